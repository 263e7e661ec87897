//! Laying edits over a state, also those that no command makes.

use bytes::Bytes;
use memoseal_core::{
    command::Edit,
    path::{MemoryPath, ToolPath},
    state::{Memory, MemoryId, Overlay, State, VersionId},
};

const A: MemoryId = MemoryId::from_bytes([1; 16]);
const B: MemoryId = MemoryId::from_bytes([2; 16]);

fn path(below: &str) -> MemoryPath {
    ToolPath::parse(&format!("/memories{below}")).unwrap().resolved().clone()
}

fn version(seq: u64) -> VersionId {
    VersionId { seq, index: 0 }
}

/// A state with `A` at `/a`, three bytes, made at 10.
fn base() -> State {
    let empty = State::default();
    let create = Edit::Create { path: path("/a"), content: Bytes::from_static(b"one") };
    Overlay::new(&empty).apply(&create, A, version(1), 10).into_iter().collect()
}

fn paths(tree: &Overlay<'_>) -> Vec<String> {
    tree.under(&MemoryPath::root()).map(|memory| memory.path.to_string()).collect()
}

#[test]
fn what_each_edit_leaves() {
    let base = base();
    let mut tree = Overlay::new(&base);
    let write = Edit::Write { memory: A, content: Bytes::from_static(b"three") };
    let written = tree.apply(&write, B, version(2), 20).unwrap();
    assert_eq!((written.id, written.size, written.version, written.content.version), (A, 5, version(2), version(2)));
    assert_eq!((written.created_ms, written.updated_ms), (10, 20));

    let moved = tree.apply(&Edit::Move { memory: A, path: path("/b") }, B, version(3), 30).unwrap();
    assert_eq!((moved.id, moved.path.as_str(), moved.sha256), (A, "/b", written.sha256));
    // A move shares the content of the version before.
    assert_eq!((moved.version, moved.content.version), (version(3), version(2)));
    assert_eq!((moved.created_ms, moved.updated_ms), (10, 30));

    assert!(tree.apply(&Edit::Delete { memory: A }, B, version(4), 40).is_none());
    assert_eq!((tree.files(), tree.bytes(), paths(&tree)), (0, 0, Vec::new()));
    assert!(tree.get_id(A).is_none() && tree.get(&path("/a")).is_none());
    // The state below is as it was.
    assert_eq!((base.files(), base.bytes()), (1, 3));
}

#[test]
fn a_memory_that_is_gone_is_not_edited() {
    let base = base();
    let mut tree = Overlay::new(&base);
    tree.apply(&Edit::Delete { memory: A }, B, version(2), 20);
    tree.apply(&Edit::Create { path: path("/a"), content: Bytes::from_static(b"new") }, B, version(3), 30);
    for edit in [
        Edit::Write { memory: A, content: Bytes::from_static(b"x") },
        Edit::Move { memory: A, path: path("/c") },
        Edit::Delete { memory: A },
        Edit::Delete { memory: MemoryId::from_bytes([9; 16]) },
    ] {
        assert!(tree.apply(&edit, B, version(4), 40).is_none(), "{edit:?}");
        assert_eq!((tree.files(), tree.bytes(), paths(&tree)), (1, 3, vec!["/memories/a".to_owned()]));
        assert_eq!(tree.get(&path("/a")).unwrap().id, B);
    }
}

#[test]
fn a_path_is_taken_once_whatever_is_laid_over_it() {
    let base = base();
    let mut tree = Overlay::new(&base);
    tree.apply(&Edit::Create { path: path("/a"), content: Bytes::from_static(b"12345") }, B, version(2), 20);
    assert_eq!((tree.files(), tree.bytes(), paths(&tree)), (1, 5, vec!["/memories/a".to_owned()]));
    assert!(tree.get_id(A).is_none());
    assert_eq!(tree.get_id(B).unwrap().size, 5);
}

#[test]
fn edits_and_state_are_merged_in_the_order_of_paths() {
    let empty = State::default();
    let mut tree = Overlay::new(&empty);
    let create = |name: &str| Edit::Create { path: path(name), content: Bytes::new() };
    let mut memories: Vec<Memory> = Vec::new();
    for (number, name) in (1..).zip(["/a/1", "/a/3", "/a!", "/b"]) {
        memories.extend(tree.apply(&create(name), MemoryId::from_bytes([number; 16]), version(1), 0));
    }
    let state: State = memories.into_iter().collect();
    let mut tree = Overlay::new(&state);
    for (number, name) in (11..).zip(["/a/2", "/a/4", "/0", "/c/d"]) {
        tree.apply(&create(name), MemoryId::from_bytes([number; 16]), version(2), 0);
    }
    tree.apply(&Edit::Delete { memory: MemoryId::from_bytes([2; 16]) }, A, version(3), 0);
    assert_eq!(
        paths(&tree),
        ["/0", "/a/1", "/a/2", "/a/4", "/a!", "/b", "/c/d"].map(|name| format!("/memories{name}"))
    );
    let under: Vec<_> = tree.under(&path("/a")).map(|memory| memory.path.as_str().to_owned()).collect();
    assert_eq!(under, ["/a/1", "/a/2", "/a/4"]);
    assert!(tree.is_directory(&path("/c")) && !tree.is_directory(&path("/b")) && !tree.is_directory(&path("/d")));
}
