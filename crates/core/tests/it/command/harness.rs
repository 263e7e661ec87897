//! A tree in memory that answers commands, and the inputs of the six commands in short.

use std::{cell::RefCell, collections::BTreeMap};

use bytes::Bytes;
use memoseal_core::{
    command::{self, Command, Contents, Edit, Limits, NeedsContent, Outcome, Reply},
    scrub::Scrubbing,
    state::{Memory, MemoryId, Overlay, State, VersionId},
};
use serde_json::{Value, json};

pub(super) fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

pub(super) fn view_range(path: &str, range: [i64; 2]) -> Value {
    json!({"command": "view", "path": path, "view_range": range})
}

pub(super) fn create(path: &str, file_text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": file_text})
}

pub(super) fn str_replace(path: &str, old_str: &str, new_str: &str) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": old_str, "new_str": new_str})
}

pub(super) fn insert(path: &str, insert_line: i64, insert_text: &str) -> Value {
    json!({"command": "insert", "path": path, "insert_line": insert_line, "insert_text": insert_text})
}

pub(super) fn delete(path: &str) -> Value {
    json!({"command": "delete", "path": path})
}

pub(super) fn rename(old_path: &str, new_path: &str) -> Value {
    json!({"command": "rename", "old_path": old_path, "new_path": new_path})
}

/// All contents of a harness, by the version that wrote them; it notes which are asked for.
#[derive(Default)]
struct Written {
    contents: BTreeMap<VersionId, Bytes>,
    asked: RefCell<usize>,
    hidden: bool,
}

impl Contents for Written {
    fn get(&self, memory: &Memory) -> Option<Bytes> {
        *self.asked.borrow_mut() += 1;
        if self.hidden { None } else { self.contents.get(&memory.content.version).cloned() }
    }
}

/// A store without a log.
#[derive(Default)]
pub(super) struct Harness {
    memories: BTreeMap<MemoryId, Memory>,
    written: Written,
    seq: u64,
    pub(super) limits: Limits,
}

impl Harness {
    /// A store that holds these files.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let mut store = Self::default();
        for (path, text) in files {
            store.ok(create(path, text));
        }
        store
    }

    /// Runs the commands of one turn as a group: each sees what those before it did.
    pub(super) fn group(&mut self, commands: &[Result<Command, String>]) -> Vec<Outcome> {
        self.seq += 1;
        let state: State = self.memories.values().cloned().collect();
        let mut tree = Overlay::new(&state);
        let mut index = 0;
        let mut outcomes = Vec::new();
        for command in commands {
            let outcome = match command {
                Ok(command) => command::run(command, &tree, &self.limits, &self.written, &Scrubbing::Off)
                    .expect("content is at hand"),
                Err(text) => Outcome { reply: Reply::Error(text.clone()), edits: Vec::new(), found: Vec::new() },
            };
            if let Reply::Error(text) = &outcome.reply {
                assert!(!text.is_empty() && outcome.edits.is_empty(), "{outcome:?}");
            }
            for edit in &outcome.edits {
                let version = VersionId { seq: self.seq, index };
                let mut id = [0; 16];
                id[..8].copy_from_slice(&self.seq.to_be_bytes());
                id[8..12].copy_from_slice(&index.to_be_bytes());
                index += 1;
                let now_ms = i64::try_from(self.seq).unwrap();
                let memory = tree.apply(edit, MemoryId::from_bytes(id), version, now_ms);
                match (edit, memory) {
                    (Edit::Delete { memory }, None) => {
                        self.memories.remove(memory).expect("it was there");
                    }
                    (Edit::Delete { .. }, Some(_)) | (_, None) => panic!("{edit:?} does not fit"),
                    (edit, Some(memory)) => {
                        if let Edit::Create { content, .. } | Edit::Write { content, .. } = edit {
                            self.written.contents.insert(version, content.clone());
                        }
                        self.memories.insert(memory.id, memory);
                    }
                }
            }
            outcomes.push(outcome);
        }
        // What the overlay counted is what the state comes to.
        let state: State = self.memories.values().cloned().collect();
        assert_eq!((tree.files(), tree.bytes()), (state.files(), state.bytes()));
        outcomes
    }

    /// Runs one input.
    pub(super) fn call(&mut self, input: &Value) -> Reply {
        self.command(Command::parse(input))
    }

    pub(super) fn command(&mut self, command: Result<Command, String>) -> Reply {
        self.outcome(command).reply
    }

    pub(super) fn outcome(&mut self, command: Result<Command, String>) -> Outcome {
        self.group(&[command]).pop().unwrap()
    }

    /// Runs the inputs of one turn; errors start with a cross, so that they cannot be mistaken.
    pub(super) fn turn(&mut self, inputs: &[Value]) -> Vec<String> {
        let commands: Vec<_> = inputs.iter().map(Command::parse).collect();
        let replies = self.group(&commands).into_iter().map(|outcome| outcome.reply);
        replies
            .map(|reply| match reply {
                Reply::Text(text) => text,
                Reply::Error(text) => format!("✗ {text}"),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// The text of a success.
    #[track_caller]
    pub(super) fn ok(&mut self, input: Value) -> String {
        match self.call(&input) {
            Reply::Text(text) => text,
            other => panic!("{input} gave {other:?}"),
        }
    }

    /// The text of an error, which left everything as it was.
    #[track_caller]
    pub(super) fn err(&mut self, input: Value) -> String {
        let before = self.files();
        match self.call(&input) {
            Reply::Error(text) => {
                assert_eq!(self.files(), before, "{input}");
                text
            }
            other => panic!("{input} gave {other:?}"),
        }
    }

    /// The text of a success that writes nothing, because everything stands as it should.
    #[track_caller]
    pub(super) fn no_op(&mut self, input: Value) -> String {
        let outcome = self.outcome(Command::parse(&input));
        assert_eq!(outcome.edits, Vec::new(), "{input}");
        match outcome.reply {
            Reply::Text(text) => text,
            other => panic!("{input} gave {other:?}"),
        }
    }

    /// Every file with its content, by path.
    pub(super) fn files(&self) -> BTreeMap<String, Bytes> {
        let content = |memory: &Memory| self.written.contents.get(&memory.content.version).cloned().unwrap();
        self.memories.values().map(|memory| (memory.path.to_string(), content(memory))).collect()
    }

    /// The paths of every file.
    pub(super) fn paths(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }

    /// The content of one file, as text.
    #[track_caller]
    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8(self.files()[path].to_vec()).unwrap()
    }

    /// How many contents the command asks for, and whether it can do without.
    pub(super) fn asks(&mut self, input: Value) -> (usize, Result<(), NeedsContent>) {
        let state: State = self.memories.values().cloned().collect();
        self.written.hidden = true;
        self.written.asked.replace(0);
        let command = Command::parse(&input).unwrap();
        let outcome = command::run(&command, &Overlay::new(&state), &self.limits, &self.written, &Scrubbing::Off);
        self.written.hidden = false;
        (self.written.asked.take(), outcome.map(|_| ()))
    }
}
