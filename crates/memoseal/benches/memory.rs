//! What a store of 100,000 memories weighs in memory, contents apart, as a handle keeps it after opening.

use std::{error::Error, sync::Arc};

use memoseal::{Command, Key, Limits, Store, Vault, VaultOptions, core::Backend};
use object_store::memory::InMemory;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const MEMORIES: usize = 100_000;
/// The design's limit, with paths of 40 bytes.
const MOST_BYTES: usize = 400;

async fn open(vault: &Vault) -> Result<Store, memoseal::Error> {
    let mut limits = Limits::default();
    limits.files = usize::MAX;
    vault.user("bench").store("default").limits(limits).open().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let backend = Backend::single(Arc::new(InMemory::new()));
    let vault = Vault::create(backend, Key::raw([7; 32]), VaultOptions::default()).await?;
    let writer = open(&vault).await?;
    for chunk in (0..MEMORIES).collect::<Vec<_>>().chunks(250) {
        let path = |i: &usize| format!("/memories/directory-{:04}/memory-{i:010}.md", i / 100);
        let create = |i: &usize| Command::Create { path: path(i), file_text: "x".into() };
        for answer in writer.execute_turn(chunk.iter().map(create).collect()).await {
            assert!(!answer?.is_error());
        }
    }
    let length = "/directory-0000/memory-0000000000.md".len();
    writer.settle().await;
    drop(writer);
    let begun = std::time::Instant::now();
    let profiler = dhat::Profiler::builder().testing().build();
    let reader = open(&vault).await?;
    let bytes = dhat::HeapStats::get().curr_bytes;
    let took = begun.elapsed();
    assert_eq!(reader.memories().await?.len(), MEMORIES);
    drop(profiler);
    let each = bytes / MEMORIES;
    println!(
        "{MEMORIES} memories with paths of {length} bytes: {each} bytes each, {bytes} in all; opened in {took:.1?}"
    );
    assert!(each <= MOST_BYTES, "more than {MOST_BYTES} bytes a memory");
    Ok(())
}
