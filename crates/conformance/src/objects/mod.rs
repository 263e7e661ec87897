//! Group *objects*: what the format asks of an object store.
//!
//! Creates go through the backend's `creates()`, everything else through its `rest()`, and everything lies below its
//! prefix, as in the engine.

mod clients;
mod creates;
mod deletes;
mod listings;
mod names;
mod reads;
mod site;

pub(crate) use clients::{a_403_for_a_missing_object_changes_nothing_else, a_second_client_sees_every_write};
pub(crate) use creates::{create_of_an_existing_object_is_refused, create_raced_by_sixteen_is_won_by_one};
pub(crate) use deletes::{a_deleted_object_is_gone, delete_of_a_missing_object_is_harmless};
pub(crate) use listings::{
    a_listing_begins_after_its_offset, a_listing_is_in_byte_order, a_listing_keeps_to_its_prefix,
    a_listing_of_nothing_is_empty, a_listing_tells_sizes, eleven_hundred_names_are_listed_newest_first,
};
pub(crate) use names::{long_and_deep_names_come_back, names_of_the_format_come_back};
pub(crate) use reads::{
    a_large_object_comes_back_whole, a_missing_object_is_not_found, a_range_beyond_the_end_is_an_error,
    an_empty_object_is_an_object, an_overwrite_is_never_seen_by_halves, overwrite_replaces, ranges_are_exact,
};
