//! `memoseal tool`: the memory tool over JSON lines.

use std::{
    io::{self, BufReader, Write},
    process::ExitCode,
};

use anyhow::Context;
use serde_json::{Value, json as value};
use tokio::sync::mpsc;

use crate::{
    args::{Common, Tool},
    interrupt::Stopped,
    json,
    key::Prompt,
    lines::{self, Line, MAX_LINE},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Tool) -> anyhow::Result<ExitCode> {
    let vault = output::open_vault(common, Prompt::Never).await?;
    let store = output::builder(&vault, common).read_only(verb.read_only).open().await?;
    // Reading blocks, so it has a thread of its own; one line is on its way at a time.
    let (sender, mut lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut reader = BufReader::with_capacity(64 * 1024, io::stdin().lock());
        while let Some(line) = lines::next(&mut reader, MAX_LINE).transpose() {
            let failed = line.is_err();
            if sender.blocking_send(line).is_err() || failed {
                return;
            }
        }
    });
    common.interrupt.begin();
    loop {
        let line = tokio::select! {
            biased;
            () = common.interrupt.stopped() => {
                store.settle().await;
                return Err(Stopped("every line that was answered is done, and no other was begun".into()).into());
            }
            line = lines.recv() => line,
        };
        let Some(line) = line else { break };
        let answer = match read(line.context(output::STDIN)?) {
            Ok(message) => store.handle_message(&message).await,
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
    store.settle().await;
    Ok(ExitCode::SUCCESS)
}

fn read(line: Line) -> Result<Value, String> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return Err(format!("The line is longer than {MAX_LINE} bytes")),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| "The line is not UTF-8".to_owned())?;
    json::read(text)
}
