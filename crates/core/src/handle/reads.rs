//! That memories were read: kept in the handle until the next commit takes it along, or maintenance writes it.

use std::collections::BTreeSet;

use super::replica::Replica;
use crate::state::{DAY_MS, MemoryId, Note};

/// So many ride along in one commit of something else: 7 KB.
pub(super) const RIDING: usize = 256;
/// So many are written by one commit of their own.
pub(super) const ALONE: usize = 4_096;

/// Readings that are not in the log yet: each memory at most once a day.
#[derive(Debug, Default)]
pub(super) struct Reads(BTreeSet<(u32, MemoryId)>);

impl Reads {
    /// Forgets what the log says.
    pub(super) fn in_log(&mut self, note: &Note) {
        let Note::Used { day, memories } = note else { return };
        for memory in memories {
            self.0.remove(&(*day, *memory));
        }
    }
}

impl Replica {
    /// Notes that these were read just now.
    pub(super) fn note_read(&self, memories: impl IntoIterator<Item = MemoryId>) {
        if self.options.read_only {
            return;
        }
        let now_ms = self.user.vault().env().clock.now_ms();
        let Ok(day) = u32::try_from(now_ms.div_euclid(DAY_MS)) else { return };
        let confirmed = self.confirmed();
        let news =
            memories.into_iter().filter(|id| confirmed.state.get_id(*id).is_some_and(|memory| memory.is_news(day)));
        self.reads().0.extend(news.map(|id| (day, id)));
    }

    /// Readings of one day, at most so many, that the log does not tell yet.
    pub(super) fn unwritten_reads(&self, most: usize) -> Option<Note> {
        let confirmed = self.confirmed();
        let mut reads = self.reads();
        let is_news = |day: u32, id: MemoryId| confirmed.state.get_id(id).is_some_and(|memory| memory.is_news(day));
        while let Some(day) = reads.0.first().map(|(day, _)| *day) {
            let of_day = reads.0.iter().take_while(|(of, _)| *of == day).take(most).map(|(_, id)| *id);
            let (news, old): (Vec<_>, Vec<_>) = of_day.partition(|id| is_news(day, *id));
            for id in old {
                reads.0.remove(&(day, id));
            }
            if !news.is_empty() {
                return Some(Note::Used { day, memories: news });
            }
        }
        None
    }
}
