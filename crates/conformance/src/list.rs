//! The one list of all cases, and the macro that makes tests of it.

/// Calls the macro that is named in brackets with its arguments and the list of all cases:
/// `[path::to::macro](arguments…)` becomes `path::to::macro! { (arguments…) group { name, … } … }`.
///
/// A group is a module of this crate, a name an async function in it.
#[doc(hidden)]
#[macro_export]
macro_rules! __with_cases {
    ([$($then:tt)+]($($argument:tt)*)) => {
        $($then)+! { ($($argument)*)
            objects {
                create_raced_by_sixteen_is_won_by_one,
                create_of_an_existing_object_is_refused,
                overwrite_replaces,
                an_overwrite_is_never_seen_by_halves,
                an_empty_object_is_an_object,
                a_large_object_comes_back_whole,
                a_missing_object_is_not_found,
                ranges_are_exact,
                a_range_beyond_the_end_is_an_error,
                a_deleted_object_is_gone,
                delete_of_a_missing_object_is_harmless,
                names_of_the_format_come_back,
                long_and_deep_names_come_back,
                eleven_hundred_names_are_listed_newest_first,
                a_listing_begins_after_its_offset,
                a_listing_keeps_to_its_prefix,
                a_listing_is_in_byte_order,
                a_listing_of_nothing_is_empty,
                a_listing_tells_sizes,
                a_second_client_sees_every_write,
                a_403_for_a_missing_object_changes_nothing_else,
            }
            tool {
                paths_are_resolved_lexically,
                paths_outside_are_refused,
                paths_that_escape_are_refused,
                encoded_paths_are_refused,
                invisible_characters_in_paths_are_refused,
                names_are_kept_in_nfc,
                path_limits_hold,
                nothing_lies_below_a_file,
                names_are_told_apart_by_their_bytes,
                an_empty_store_lists_its_root,
                a_listing_shows_two_levels_by_bytes,
                a_listing_leaves_out_hidden_items_but_counts_them,
                sizes_have_one_decimal_and_roll_over,
                a_long_listing_is_cut_at_a_row,
                view_range_of_a_directory_counts_rows,
                a_directory_exists_while_something_lies_under_it,
                a_file_is_shown_with_numbered_lines,
                numbers_are_right_aligned,
                view_range_selects_lines,
                a_view_range_beyond_the_file_names_its_lines,
                a_long_file_is_cut_at_a_line,
                a_long_line_is_whole_when_asked_for_alone,
                the_cap_is_configurable,
                a_million_lines_are_too_many,
                a_view_is_current,
                images_come_back_as_image_blocks,
                what_is_no_image_is_told_by_content,
                put_replaces_files_and_never_directories,
                images_have_their_own_limit,
                create_keeps_every_byte,
                create_refuses_what_exists,
                create_refuses_a_trailing_slash,
                create_overwrites_where_that_is_allowed,
                str_replace_shows_a_snippet,
                str_replace_shows_at_most_fifty_lines,
                str_replace_needs_one_occurrence,
                str_replace_is_literal,
                str_replace_without_new_str_deletes,
                str_replace_refuses_an_empty_old_str,
                str_replace_needs_a_file,
                str_replace_by_itself_changes_nothing,
                an_edit_works_without_the_content_at_hand,
                insert_keeps_the_final_newline,
                insert_checks_the_line,
                insert_needs_a_file,
                insert_of_nothing_into_an_empty_file_changes_nothing,
                delete_takes_what_is_in_a_directory,
                the_root_is_not_deleted,
                a_deleted_path_is_free,
                clearing_deletes_everything,
                rename_moves_a_file,
                rename_moves_a_directory,
                rename_checks_in_order,
                a_thousand_files_move_in_one_commit,
                what_is_no_command_is_named,
                bad_fields_are_named,
                integers_are_integers,
                unknown_fields_are_ignored,
                odd_blocks_are_answered,
                a_turn_is_one_commit_in_order,
                an_error_does_not_stop_a_turn,
                a_turn_that_changes_nothing_commits_nothing,
                directories_move_within_a_turn,
                turns_of_several_handles_all_land,
                the_defaults_are_those_of_the_contract,
                a_full_store_takes_no_new_file,
                a_full_store_does_not_grow,
                what_is_too_large_can_be_made_smaller,
                storage_out_of_reach_is_said,
                a_lost_answer_is_looked_up,
                an_unknown_outcome_is_said,
                the_example_exchange,
                the_example_of_each_command,
                two_edits_to_one_file_in_one_turn_both_land,
                a_multi_line_old_str_matches,
                an_omitted_new_str_writes_nothing,
                two_matches_on_one_line_are_refused,
                overlapping_matches_are_two,
                a_sibling_of_the_root_is_refused,
                no_answer_holds_an_error_of_the_host,
                create_without_file_text_leaves_no_file,
                a_failed_rename_makes_no_parent,
                insert_keeps_form_feeds_and_line_separators,
                a_directory_is_not_renamed_into_itself,
                deleting_a_directory_leaves_what_begins_alike,
            }
            tampering {
                a_changed_bit_in_a_checkpoint_is_noticed,
                a_changed_bit_in_a_commit_is_noticed,
                a_changed_bit_in_a_keyring_is_noticed,
                a_changed_bit_in_a_vaults_header_is_noticed,
                an_object_cut_short_or_grown_is_noticed,
                damage_to_one_content_is_told_of_its_file_alone,
                objects_of_another_vault_are_noticed,
                sections_where_others_belong_are_noticed,
                swapped_objects_are_noticed,
                a_commit_at_another_number_is_noticed,
                a_commit_removed_from_the_middle_is_noticed,
                a_commit_that_lost_its_race_is_noticed,
                commits_in_another_order_are_noticed,
                a_keyring_of_another_user_opens_nothing,
                a_log_of_another_user_or_store_opens_nothing,
                what_is_written_shows_nowhere,
                a_checkpoint_that_does_not_follow_from_the_log_is_noticed,
                a_log_emptied_by_somebody_else_is_noticed,
                a_tombstone_elsewhere_destroys_nobody,
                what_was_destroyed_does_not_come_back_unseen,
                a_block_of_history_is_not_believed,
                a_stub_in_place_of_the_newest_is_noticed,
                a_generation_at_another_number_is_noticed,
                an_older_header_than_a_process_has_seen_is_noticed,
                an_older_keyring_than_a_process_has_seen_is_noticed,
                an_older_log_than_a_process_has_seen_is_noticed,
                a_checkpoint_does_not_hide_what_was_seen,
                a_commit_that_lost_in_place_of_the_newest_is_noticed,
                an_older_copy_of_the_vault_is_noticed,
                the_newest_commits_cannot_be_removed_unseen,
                a_listing_out_of_order_is_refused,
                a_listing_that_hides_names_hides_nothing,
                a_listing_with_doubled_names_is_refused,
                a_listing_with_extra_names_is_noticed,
                what_somebody_else_put_there_is_found,
            }
            durability {
                a_crash_in_a_run_of_commands_loses_nothing,
                every_command_is_there_after_opening_anew,
                a_crash_in_the_first_change_of_a_user_loses_nothing,
                a_crash_while_a_vault_is_made_leaves_none_or_one,
                a_turn_lands_whole_or_not_at_all,
                a_user_made_by_two_processes_is_one,
                a_crash_while_a_checkpoint_is_written_loses_nothing,
                a_missed_checkpoint_is_written_later,
                a_crash_in_a_rotation_locks_nobody_out,
                a_crash_while_a_slot_is_added_locks_nobody_out,
                a_crash_while_a_slot_is_removed_locks_nobody_out,
                a_crash_while_keyrings_are_sealed_anew_locks_nobody_out,
                a_crash_in_a_redaction_is_made_up_for,
                a_crash_in_maintenance_is_made_up_for,
                a_crash_while_a_store_is_destroyed_is_made_up_for,
                a_crash_while_a_user_is_destroyed_is_made_up_for,
                a_cancelled_change_is_carried_through_or_withdrawn,
                a_put_that_lands_after_all_is_applied_once,
                a_put_that_lands_late_changes_nothing_twice,
                two_handles_in_turn_see_each_other,
            }
        }
    };
}

/// Makes a test of every case: `suite!(place)`, where `place` is an expression for a [`Place`](crate::Place),
/// evaluated once a test.
///
/// The tests stand in one module a group, which is named after it and sees what the invoking module sees. The
/// invoking crate needs `tokio` with `macros` and `rt-multi-thread`.
#[macro_export]
macro_rules! suite {
    ($place:expr) => {
        $crate::__with_cases! { [$crate::__tests]($place) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __tests {
    (($place:expr) $($group:ident { $($name:ident,)* })*) => {
        $(
            mod $group {
                #[allow(unused_imports, reason = "a group uses what stands beside the macro only if its place does")]
                use super::*;

                $(
                    #[tokio::test(flavor = "multi_thread")]
                    async fn $name() -> Result<(), $crate::Failure> {
                        let place = $place;
                        if let Some(why) = $crate::Place::absent(&place)? {
                            eprintln!("SKIPPED: {why}");
                            return Ok(());
                        }
                        $crate::run(stringify!($group), stringify!($name), &place).await
                    }
                )*
            }
        )*

        #[test]
        fn every_case_is_a_test() {
            let tests = vec![$($((stringify!($group), stringify!($name)),)*)*];
            let cases = $crate::cases();
            assert_eq!(tests, cases.iter().map(|case| (case.group, case.name)).collect::<Vec<_>>());
        }
    };
}
