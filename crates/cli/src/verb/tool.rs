//! `memoseal tool`: the memory tool over JSON lines.

use std::{
    io::{self, BufReader, Write},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Context;
use memoseal::Store;
use serde_json::{Value, json as value};
use tokio::{
    runtime::Handle,
    sync::{Mutex, oneshot},
};

use crate::{
    args::{Common, Tool},
    interrupt::{Interrupt, Stopped},
    json,
    key::Prompt,
    lines::{self, Line, MAX_LINE},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Tool) -> anyhow::Result<ExitCode> {
    let vault = output::open_vault(common, Prompt::Never).await?;
    let store = output::builder(&vault, common).read_only(verb.read_only).open().await?;
    common.interrupt.begin();
    // Reading blocks, so it has a thread of its own; it answers too, since each thread that a line is handed to takes time.
    let (ended, end) = oneshot::channel();
    let server = Server { store: store.clone(), interrupt: common.interrupt.clone(), turn: Arc::default() };
    let (runtime, turn) = (Handle::current(), Arc::clone(&server.turn));
    std::thread::spawn(move || {
        // Nobody waits any more where the program is ending.
        let _ = ended.send(runtime.block_on(server.serve()));
    });
    let served = tokio::select! {
        biased;
        () = common.interrupt.stopped() => None,
        served = end => Some(served.unwrap_or(Ok(()))),
    };
    // A line that was begun is answered first, and no other is begun.
    let _turn = turn.lock().await;
    store.settle().await;
    match served {
        None => Err(Stopped("every line that was answered is done, and no other was begun".into()).into()),
        Some(served) => served.map(|()| ExitCode::SUCCESS),
    }
}

/// Answers line after line.
struct Server {
    store: Store,
    interrupt: Interrupt,
    /// Held from the beginning of a line to the end of its answer.
    turn: Arc<Mutex<()>>,
}

impl Server {
    async fn serve(&self) -> anyhow::Result<()> {
        let mut reader = BufReader::with_capacity(64 * 1024, io::stdin().lock());
        while let Some(line) = lines::next(&mut reader, MAX_LINE).context(output::STDIN)? {
            let _turn = self.turn.lock().await;
            if self.interrupt.is_stopped() {
                break;
            }
            let answer = match read(line) {
                Ok(message) => self.store.handle_message(&message).await,
                Err(problem) => value!({ "content": format!("Error: {problem}"), "is_error": true }),
            };
            let mut stdout = io::stdout().lock();
            match writeln!(stdout, "{answer}").and_then(|()| stdout.flush()) {
                Ok(()) => {}
                // Whoever asked has gone away. What was answered is saved.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(error) => return Err(error).context(output::STDOUT),
            }
        }
        Ok(())
    }
}

fn read(line: Line) -> Result<Value, String> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return Err(format!("The line is longer than {MAX_LINE} bytes")),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| "The line is not UTF-8".to_owned())?;
    json::read(text)
}
