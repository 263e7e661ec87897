//! Group *tool*: what the model asks and reads, end to end, through a store's front door.
//!
//! Each case makes a vault of its own, and ends by opening it anew and comparing. What the cases quote is the tool's
//! contract, table by table:
//!
//! | module | what it holds |
//! |---|---|
//! | `session` | a store that answers `tool_use` blocks; checks every `tool_result` block for its shape and for leaks |
//! | `input` | the inputs of the six commands in short |
//! | `paths`, `directories`, `files`, `images`, `create`, `replace`, `insert`, `trees`, `inputs`, `turns`, `limits` | the contract's chapters |
//! | `failures` | what the model reads when storage fails |
//! | `documentation` | the examples of the tool's documentation |
//! | `defects` | known defects of other implementations, each by its name |

mod create;
mod defects;
mod directories;
mod documentation;
mod failures;
mod files;
mod images;
mod input;
mod inputs;
mod insert;
mod limits;
mod paths;
mod replace;
mod session;
mod trees;
mod turns;

pub(crate) use create::{
    create_keeps_every_byte, create_overwrites_where_that_is_allowed, create_refuses_a_trailing_slash,
    create_refuses_what_exists,
};
pub(crate) use defects::{
    a_directory_is_not_renamed_into_itself, a_failed_rename_makes_no_parent, a_multi_line_old_str_matches,
    a_sibling_of_the_root_is_refused, an_omitted_new_str_writes_nothing, create_without_file_text_leaves_no_file,
    deleting_a_directory_leaves_what_begins_alike, insert_keeps_form_feeds_and_line_separators,
    no_answer_holds_an_error_of_the_host, overlapping_matches_are_two, two_edits_to_one_file_in_one_turn_both_land,
    two_matches_on_one_line_are_refused,
};
pub(crate) use directories::{
    a_directory_exists_while_something_lies_under_it, a_listing_leaves_out_hidden_items_but_counts_them,
    a_listing_shows_two_levels_by_bytes, a_long_listing_is_cut_at_a_row, an_empty_store_lists_its_root,
    sizes_have_one_decimal_and_roll_over, view_range_of_a_directory_counts_rows,
};
pub(crate) use documentation::{the_example_exchange, the_example_of_each_command};
pub(crate) use failures::{a_lost_answer_is_looked_up, an_unknown_outcome_is_said, storage_out_of_reach_is_said};
pub(crate) use files::{
    a_file_is_shown_with_numbered_lines, a_long_file_is_cut_at_a_line, a_long_line_is_whole_when_asked_for_alone,
    a_million_lines_are_too_many, a_view_is_current, a_view_range_beyond_the_file_names_its_lines,
    numbers_are_right_aligned, the_cap_is_configurable, view_range_selects_lines,
};
pub(crate) use images::{
    images_come_back_as_image_blocks, images_have_their_own_limit, put_replaces_files_and_never_directories,
    what_is_no_image_is_told_by_content,
};
pub(crate) use inputs::{
    bad_fields_are_named, integers_are_integers, odd_blocks_are_answered, unknown_fields_are_ignored,
    what_is_no_command_is_named,
};
pub(crate) use insert::{
    insert_checks_the_line, insert_keeps_the_final_newline, insert_needs_a_file,
    insert_of_nothing_into_an_empty_file_changes_nothing,
};
pub(crate) use limits::{
    a_full_store_does_not_grow, a_full_store_takes_no_new_file, the_defaults_are_those_of_the_contract,
    what_is_too_large_can_be_made_smaller,
};
pub(crate) use paths::{
    encoded_paths_are_refused, invisible_characters_in_paths_are_refused, names_are_kept_in_nfc,
    names_are_told_apart_by_their_bytes, nothing_lies_below_a_file, path_limits_hold, paths_are_resolved_lexically,
    paths_outside_are_refused, paths_that_escape_are_refused,
};
pub(crate) use replace::{
    an_edit_works_without_the_content_at_hand, str_replace_by_itself_changes_nothing, str_replace_is_literal,
    str_replace_needs_a_file, str_replace_needs_one_occurrence, str_replace_refuses_an_empty_old_str,
    str_replace_shows_a_snippet, str_replace_shows_at_most_fifty_lines, str_replace_without_new_str_deletes,
};
pub(crate) use trees::{
    a_deleted_path_is_free, a_thousand_files_move_in_one_commit, clearing_deletes_everything,
    delete_takes_what_is_in_a_directory, rename_checks_in_order, rename_moves_a_directory, rename_moves_a_file,
    the_root_is_not_deleted,
};
pub(crate) use turns::{
    a_turn_is_one_commit_in_order, a_turn_that_changes_nothing_commits_nothing, an_error_does_not_stop_a_turn,
    directories_move_within_a_turn, turns_of_several_handles_all_land,
};
