//! Group *tampering*: somebody has the bucket and not the key.
//!
//! Each case makes vaults of its own, changes objects below the public API as whoever has the bucket can, and looks
//! who notices: a process that starts now, one that runs already, an inspection. None of them may panic or give
//! another answer than the truth; each has to be told what `docs/threat-model.md` promises; and when what was there is
//! put back, everything reads again.
//!
//! | module | what it holds |
//! |---|---|
//! | `scene` | a vault that was lived in, readers cold and warm |
//! | `attack` | an attack and who has to notice it |
//! | `layout` | where the parts of an object lie |
//! | `destroyed` | users and stores that are gone, and some that only seem so |
//! | `bits`, `places`, `order`, `checkpoints`, `blocks`, `listings` | objects changed, swapped, moved, removed, listed falsely |
//! | `older`, `witnessed` | older states than a process, or a machine, has seen |
//! | `isolation` | users and stores are apart, and what they write shows nowhere |

mod attack;
mod bits;
mod blocks;
mod checkpoints;
mod destroyed;
mod isolation;
mod layout;
mod listings;
mod older;
mod order;
mod places;
mod scene;
mod witnessed;

pub(crate) use bits::{
    a_changed_bit_in_a_checkpoint_is_noticed, a_changed_bit_in_a_commit_is_noticed,
    a_changed_bit_in_a_keyring_is_noticed, a_changed_bit_in_a_vaults_header_is_noticed,
    an_object_cut_short_or_grown_is_noticed, damage_to_one_content_is_told_of_its_file_alone,
};
pub(crate) use blocks::a_block_of_history_is_not_believed;
pub(crate) use checkpoints::a_checkpoint_that_does_not_follow_from_the_log_is_noticed;
pub(crate) use destroyed::{
    a_log_emptied_by_somebody_else_is_noticed, a_tombstone_elsewhere_destroys_nobody,
    what_was_destroyed_does_not_come_back_unseen,
};
pub(crate) use isolation::{
    a_keyring_of_another_user_opens_nothing, a_log_of_another_user_or_store_opens_nothing,
    what_is_written_shows_nowhere,
};
pub(crate) use listings::{
    a_listing_out_of_order_is_refused, a_listing_that_hides_names_hides_nothing,
    a_listing_with_doubled_names_is_refused, a_listing_with_extra_names_is_noticed,
    what_somebody_else_put_there_is_found,
};
pub(crate) use older::{
    a_generation_at_another_number_is_noticed, a_stub_in_place_of_the_newest_is_noticed,
    an_older_header_than_a_process_has_seen_is_noticed, an_older_keyring_than_a_process_has_seen_is_noticed,
    an_older_log_than_a_process_has_seen_is_noticed,
};
pub(crate) use order::{
    a_commit_at_another_number_is_noticed, a_commit_removed_from_the_middle_is_noticed,
    a_commit_that_lost_its_race_is_noticed, commits_in_another_order_are_noticed,
};
pub(crate) use places::{
    objects_of_another_vault_are_noticed, sections_where_others_belong_are_noticed, swapped_objects_are_noticed,
};
pub(crate) use witnessed::{
    a_checkpoint_does_not_hide_what_was_seen, a_commit_that_lost_in_place_of_the_newest_is_noticed,
    an_older_copy_of_the_vault_is_noticed, the_newest_commits_cannot_be_removed_unseen,
};
