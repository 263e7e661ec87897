//! Group *durability*: what was answered stays, however a process ends.
//!
//! A process that ends is one whose requests have no effect from the `n`-th on, of which the first may have taken
//! effect unanswered; each `n` is tried until the verb has no `n`-th request. Then one that starts anew finds everything
//! that was answered, nothing by halves, and nothing in its way.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | what a store holds, in memory |
//! | `commands` | each command, opened anew after it; commands cut short |
//! | `crash` | a verb that ends at every request in turn |
//! | `first_use`, `checkpoints`, `keys`, `redact`, `destroy` | the verbs that write more than once |
//! | `writers` | two handles in turn, puts that land late, callers that go away |

mod checkpoints;
mod commands;
mod crash;
mod destroy;
mod first_use;
mod keys;
mod model;
mod redact;
mod writers;

pub(crate) use checkpoints::{
    a_crash_while_a_checkpoint_is_written_loses_nothing, a_missed_checkpoint_is_written_later,
};
pub(crate) use commands::{a_crash_in_a_run_of_commands_loses_nothing, every_command_is_there_after_opening_anew};
pub(crate) use destroy::{
    a_crash_while_a_store_is_destroyed_is_made_up_for, a_crash_while_a_user_is_destroyed_is_made_up_for,
};
pub(crate) use first_use::{
    a_crash_in_the_first_change_of_a_user_loses_nothing, a_crash_while_a_vault_is_made_leaves_none_or_one,
    a_turn_lands_whole_or_not_at_all, a_user_made_by_two_processes_is_one,
};
pub(crate) use keys::{
    a_crash_in_a_rotation_locks_nobody_out, a_crash_while_a_slot_is_added_locks_nobody_out,
    a_crash_while_a_slot_is_removed_locks_nobody_out, a_crash_while_keyrings_are_sealed_anew_locks_nobody_out,
};
pub(crate) use redact::{a_crash_in_a_redaction_is_made_up_for, a_crash_in_maintenance_is_made_up_for};
pub(crate) use writers::{
    a_cancelled_change_is_carried_through_or_withdrawn, a_put_that_lands_after_all_is_applied_once,
    a_put_that_lands_late_changes_nothing_twice, two_handles_in_turn_see_each_other,
};
