//! The protocol of commits and strips as a small machine, and a search through every state that it can be in.
//!
//! Two writers create commits by put-if-absent; two redactors take one section each out of the first commit; a
//! maintainer looks whether what was taken out is gone. Every request may land, fail, land and be told to have failed,
//! or land any time later. It is an abstraction written from `docs/architecture.md`: no bytes, no keys, one command a
//! writer. The engine itself is searched by the simulation, whose histories are larger and not exhaustive.

use std::collections::HashMap;

/// How the protocol is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As it is written.
    Right,
    /// A failed create is taken for lost.
    FailedMeansLost,
    /// A failed create is taken for landed.
    FailedMeansLanded,
    /// After a failed create the command goes out again at the next number, without a look.
    BlindRetry,
    /// What was read back is ours only if nothing of it was stripped.
    WholeReadBack,
    /// A strip takes out only what its own redaction names, and nothing is looked at twice.
    StaleStrip,
    /// What was found clean once is not looked at again.
    NoSecondLook,
    /// A strip may be sent a day after what it strips was read.
    OldReads,
    /// A commit is deleted when all is gone from it that was to go.
    FreedNames,
}

impl Variant {
    /// Every variant that is wrong.
    pub const WRONG: [Self; 8] = [
        Self::FailedMeansLost,
        Self::FailedMeansLanded,
        Self::BlindRetry,
        Self::WholeReadBack,
        Self::StaleStrip,
        Self::NoSecondLook,
        Self::OldReads,
        Self::FreedNames,
    ];
}

const WRITERS: usize = 2;
const BITS: usize = 2;
/// Two commits of writers, two redactions, and one more number for who loses.
const NUMBERS: usize = 5;
const WHOLE: u8 = 0b11;

/// What lies under a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Slot {
    Empty,
    /// A writer's commit, with the sections that are left of it.
    Write {
        writer: u8,
        sections: u8,
    },
    /// Says that a section of commit 1 is redacted.
    Redaction {
        bit: u8,
    },
}

/// A request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Request {
    Create {
        writer: u8,
        number: u8,
    },
    /// Of commit 1. `old`: the sections that were found clean since it was sent.
    Overwrite {
        sections: u8,
        old: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Ready,
    /// Its create is on its way, and it waits for the answer.
    Sent,
    /// The answer said nothing definite.
    Doubt,
    /// It was told this.
    Told(Answer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Done,
    Failed,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Writer {
    phase: Phase,
    /// How far it has read the log.
    base: u8,
    sends: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Strip {
    /// Nothing to do yet.
    Waiting,
    /// The log says it; the object is to be read.
    Reading,
    /// It was read, with these sections.
    Read(u8),
    Over,
}

/// Notes what can come next: what happens, and what it changes.
type Add<'a> = &'a mut dyn FnMut(String, &dyn Fn(&mut State));

/// Everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    log: [Slot; NUMBERS],
    /// Who was the first under each number: it must stay the one.
    first: [Option<u8>; NUMBERS],
    flying: Vec<Request>,
    writers: [Writer; WRITERS],
    redactors: [Strip; BITS],
    maintainer: Strip,
    looks: u8,
    /// Sections that were found clean for the first time, and those that are not looked at any more.
    clean: u8,
    done: u8,
    /// Of which sections a day had passed since the first clean look when the maintainer began this look.
    settled: u8,
}

/// How much of it is searched at once: all of it at its largest has too many states.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How many writers commit, at most 2.
    pub writers: usize,
    /// How many redactors redact and strip, at most 2.
    pub redactors: usize,
    /// How often a writer sends the very same bytes.
    pub sends: u8,
    /// How often the maintainer looks.
    pub looks: u8,
}

impl Bounds {
    /// What commits and what is read back: two writers, one redactor, one maintainer.
    pub const COMMITS: Self = Self { writers: 2, redactors: 1, sends: 2, looks: 3 };
    /// What strips carry back: one writer, two redactors, and a maintainer that looks as often as it takes.
    pub const STRIPS: Self = Self { writers: 1, redactors: 2, sends: 1, looks: 5 };
}

/// What a search found.
#[derive(Debug)]
pub struct Explored {
    /// How many states there are.
    pub states: usize,
    /// The first that must not be, and how it came about.
    pub violation: Option<(String, Vec<String>)>,
}

impl State {
    fn first(bounds: Bounds) -> Self {
        let mut first = Self {
            log: [Slot::Empty; NUMBERS],
            first: [None; NUMBERS],
            flying: Vec::new(),
            writers: [Writer { phase: Phase::Ready, base: 0, sends: 0 }; WRITERS],
            redactors: [Strip::Waiting; BITS],
            maintainer: Strip::Waiting,
            looks: 0,
            clean: 0,
            done: 0,
            settled: 0,
        };
        first.writers.iter_mut().skip(bounds.writers).for_each(|writer| writer.phase = Phase::Told(Answer::Unknown));
        first.redactors.iter_mut().skip(bounds.redactors).for_each(|redactor| *redactor = Strip::Over);
        first
    }

    /// The sections since whose first clean look a day may have passed: nothing that was sent before is on its way.
    fn settled(&self, variant: Variant) -> u8 {
        // A strip leaves within a minute of its read, or not at all.
        let is_read = |strip: &Strip| matches!(strip, Strip::Read(_));
        if variant != Variant::OldReads && self.redactors.iter().any(is_read) {
            return 0;
        }
        let flying = self.flying.iter().fold(0, |bits, request| match request {
            Request::Overwrite { old, .. } => bits | old,
            Request::Create { .. } => bits,
        });
        self.clean & !flying
    }

    fn head(&self) -> usize {
        self.log.iter().rposition(|slot| *slot != Slot::Empty).map_or(0, |at| at + 1)
    }

    fn redacted(&self) -> u8 {
        self.log.iter().fold(0, |bits, slot| match slot {
            Slot::Redaction { bit } => bits | 1 << bit,
            _ => bits,
        })
    }

    fn sections(&self) -> Option<u8> {
        match self.log[0] {
            Slot::Write { sections, .. } => Some(sections),
            _ => None,
        }
    }

    fn send(&mut self, request: Request) {
        self.flying.push(request);
        self.flying.sort_unstable();
    }

    fn land(&mut self, request: Request) -> bool {
        match request {
            Request::Create { writer, number } => {
                let at = usize::from(number) - 1;
                if self.log[at] != Slot::Empty {
                    return false;
                }
                self.log[at] = Slot::Write { writer, sections: WHOLE };
                self.first[at].get_or_insert(writer);
            }
            Request::Overwrite { sections, .. } => {
                if let Slot::Write { sections: there, .. } = &mut self.log[0] {
                    *there = sections;
                }
            }
        }
        true
    }

    /// Every state that can come next, and what happened.
    fn next(&self, variant: Variant, bounds: Bounds) -> Vec<(String, Self)> {
        let mut all = Vec::new();
        let mut add = |what: String, change: &dyn Fn(&mut Self)| {
            let mut next = self.clone();
            change(&mut next);
            all.push((what, next));
        };
        for at in 0..self.flying.len() {
            if at > 0 && self.flying[at] == self.flying[at - 1] {
                continue;
            }
            let request = self.flying[at];
            let waiting = match request {
                Request::Create { writer, number } => {
                    let this = self.writers[usize::from(writer)];
                    (this.phase == Phase::Sent && this.base + 1 == number).then_some(usize::from(writer))
                }
                Request::Overwrite { .. } => None,
            };
            add(format!("{request:?} lands, and its answer is lost"), &|next| {
                next.flying.remove(at);
                next.land(request);
                if let Some(writer) = waiting {
                    next.writers[writer].phase = Phase::Doubt;
                }
            });
            add(format!("{request:?} is lost"), &|next| {
                next.flying.remove(at);
                if let Some(writer) = waiting {
                    next.writers[writer].phase = Phase::Doubt;
                }
            });
            if let Some(writer) = waiting {
                add(format!("{request:?} lands, and is answered"), &|next| {
                    next.flying.remove(at);
                    let landed = next.land(request);
                    next.writers[writer].phase = if landed { Phase::Told(Answer::Done) } else { Phase::Doubt };
                });
                add(format!("{request:?} takes too long"), &|next| next.writers[writer].phase = Phase::Doubt);
            }
        }
        for (at, writer) in self.writers.iter().enumerate() {
            let number = writer.base + 1;
            let request = Request::Create { writer: at as u8, number };
            match writer.phase {
                Phase::Ready if usize::from(number) <= NUMBERS => add(format!("writer {at} sends {number}"), &|next| {
                    next.send(request);
                    next.writers[at] = Writer { phase: Phase::Sent, sends: 1, ..next.writers[at] };
                }),
                Phase::Doubt => self.doubt((variant, bounds), at, request, &mut add),
                _ => {}
            }
        }
        for (at, redactor) in self.redactors.iter().enumerate() {
            match redactor {
                Strip::Waiting if self.sections().is_some() && self.head() < NUMBERS => {
                    add(format!("redactor {at} commits"), &|next| {
                        let head = next.head();
                        next.log[head] = Slot::Redaction { bit: at as u8 };
                        next.first[head].get_or_insert(16 + at as u8);
                        next.redactors[at] = Strip::Reading;
                    });
                }
                Strip::Reading => add(format!("redactor {at} reads"), &|next| {
                    next.redactors[at] = next.sections().map_or(Strip::Over, Strip::Read);
                }),
                Strip::Read(seen) => {
                    let own = if variant == Variant::StaleStrip { 1 << at } else { self.redacted() & !self.done };
                    add(format!("redactor {at} strips"), &|next| {
                        if seen & own != 0 {
                            next.send(Request::Overwrite { sections: seen & !own, old: 0 });
                        }
                        next.redactors[at] = Strip::Over;
                    });
                    add(format!("redactor {at} is gone"), &|next| next.redactors[at] = Strip::Over);
                }
                _ => {}
            }
        }
        self.maintain(variant, bounds, &mut add);
        all
    }

    fn doubt(&self, (variant, bounds): (Variant, Bounds), at: usize, request: Request, add: Add<'_>) {
        let writer = self.writers[at];
        let tell = |answer: Answer| move |next: &mut Self| next.writers[at].phase = Phase::Told(answer);
        let go_on = move |next: &mut Self| {
            next.writers[at] = Writer { phase: Phase::Ready, base: writer.base + 1, sends: 0 };
        };
        match variant {
            Variant::FailedMeansLost => return add(format!("writer {at} calls it lost"), &tell(Answer::Failed)),
            Variant::FailedMeansLanded => return add(format!("writer {at} calls it done"), &tell(Answer::Done)),
            Variant::BlindRetry => return add(format!("writer {at} takes the next number"), &go_on),
            _ => {}
        }
        match self.log[usize::from(writer.base)] {
            Slot::Empty if writer.sends < bounds.sends => add(format!("writer {at} sends the same again"), &|next| {
                next.send(request);
                next.writers[at] = Writer { phase: Phase::Sent, sends: writer.sends + 1, ..writer };
            }),
            Slot::Empty => add(format!("writer {at} gives up"), &tell(Answer::Unknown)),
            Slot::Write { writer: there, sections }
                if usize::from(there) == at && (variant != Variant::WholeReadBack || sections == WHOLE) =>
            {
                add(format!("writer {at} finds its own"), &tell(Answer::Done));
            }
            _ => add(format!("writer {at} finds another's"), &go_on),
        }
    }

    fn maintain(&self, variant: Variant, bounds: Bounds, add: Add<'_>) {
        let pending = self.redacted() & !self.done;
        match self.maintainer {
            Strip::Waiting if pending != 0 && self.looks < bounds.looks => add("maintenance reads".into(), &|next| {
                next.looks += 1;
                next.settled = next.settled(variant);
                next.maintainer = next.sections().map_or(Strip::Waiting, Strip::Read);
            }),
            Strip::Read(seen) if seen & pending != 0 => add("maintenance strips".into(), &|next| {
                next.send(Request::Overwrite { sections: seen & !pending, old: 0 });
                next.maintainer = Strip::Waiting;
            }),
            Strip::Read(_) => {
                let at_once = matches!(variant, Variant::StaleStrip | Variant::NoSecondLook);
                let done = if at_once { pending } else { self.settled };
                add("maintenance finds it clean".into(), &|next| {
                    let news = pending & !next.clean;
                    next.clean |= pending;
                    next.done |= done & pending;
                    for request in &mut next.flying {
                        if let Request::Overwrite { old, .. } = request {
                            *old |= news;
                        }
                    }
                    next.flying.sort_unstable();
                    next.maintainer = Strip::Waiting;
                    next.settled = 0;
                    if variant == Variant::FreedNames
                        && next.done == next.redacted()
                        && next.sections() == Some(WHOLE & !next.redacted())
                    {
                        next.log[0] = Slot::Empty;
                    }
                });
            }
            _ => {}
        }
    }

    /// What must not be.
    fn violation(&self) -> Option<String> {
        for (at, slot) in self.log.iter().enumerate() {
            if let (Slot::Write { writer, .. }, Some(first)) = (slot, self.first[at])
                && *writer != first
            {
                return Some(format!("number {} was taken twice", at + 1));
            }
        }
        for (at, writer) in self.writers.iter().enumerate() {
            let own = |slot: &&Slot| matches!(slot, Slot::Write { writer, .. } if usize::from(*writer) == at);
            let landed = self.log.iter().filter(own).count();
            match writer.phase {
                _ if landed > 1 => return Some(format!("the command of writer {at} was carried out twice")),
                Phase::Told(Answer::Done) if landed == 0 && self.first.iter().all(|first| *first != Some(at as u8)) => {
                    return Some(format!("writer {at} was told of success, and nothing is there"));
                }
                Phase::Told(Answer::Failed) if landed == 1 => {
                    return Some(format!("writer {at} was told that nothing changed, and it is there"));
                }
                _ => {}
            }
        }
        let sections = self.sections()?;
        if self.flying.is_empty() && self.done & sections != 0 && self.redactors.iter().all(|it| *it == Strip::Over) {
            let looks_on = self.redacted() & !self.done != 0;
            if !looks_on && self.maintainer == Strip::Waiting {
                return Some("a section that was redacted is back, and nobody looks any more".into());
            }
        }
        if (sections | self.redacted()) != WHOLE {
            return Some("a section is gone that nobody redacted".into());
        }
        None
    }
}

/// Searches everything that can come of this variant, until something is wrong.
pub fn explore(variant: Variant, bounds: Bounds) -> Explored {
    let first = State::first(bounds);
    let mut known = HashMap::from([(first.clone(), 0)]);
    let mut states = vec![(first, 0, String::new())];
    let mut at = 0;
    while let Some((state, ..)) = states.get(at) {
        if let Some(problem) = state.violation() {
            let mut trace = Vec::new();
            let mut back = at;
            while back != 0 {
                let (_, before, what) = &states[back];
                trace.push(what.clone());
                back = *before;
            }
            trace.reverse();
            return Explored { states: states.len(), violation: Some((problem, trace)) };
        }
        for (what, next) in state.clone().next(variant, bounds) {
            if !known.contains_key(&next) {
                known.insert(next.clone(), states.len());
                states.push((next, at, what));
            }
        }
        at += 1;
    }
    Explored { states: states.len(), violation: None }
}
