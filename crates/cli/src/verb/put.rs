//! `memoseal put`.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process::ExitCode,
};

use bytes::Bytes;
use memoseal::{
    Command, Error, Reply,
    core::{
        path::MemoryPath,
        scrub::{Finding, Scrubbing},
    },
};
use serde_json::json;

use crate::{
    args::{Common, Put},
    exit::failed,
    key, output, taken_out,
};

/// More than any limit of a store; a larger file is not read to the end.
const MAX_FILE: u64 = 1 << 30;

pub(crate) async fn run(common: &Common, verb: &Put) -> anyhow::Result<ExitCode> {
    let path = output::tool_path(&verb.path);
    refuse_key(common, &verb.file)?;
    let content = read(&verb.file).map_err(|error| {
        let tried = format!("cannot read {}", verb.file.display());
        failed(tried, &error, "name a file that you may read, or - for stdin")
    })?;
    let content = Bytes::from(content);
    let store = output::open_store_to_change(common).await?;
    // Asked before the write: a question that fails afterwards would call a success a failure.
    let scrubbing = store.scrubbing().await?;
    common.interrupt.begin();
    let (at, given) = (path.clone(), content.clone());
    let command = match verb.no_clobber {
        true => Command::PutNew { path: at, content: given },
        false => Command::Put { path: at, content: given },
    };
    let reply = store.execute(command).await?;
    store.settle().await;
    match reply {
        Reply::Error(text) if verb.no_clobber && text.ends_with("already exists") => {
            Err(output::refused(&text, "leave --no-clobber out to replace it").into())
        }
        Reply::Error(text) => {
            Err(output::refused(&text, "give text or an image, and a path where a file can stand").into())
        }
        _ => {
            let (size, found) = kept(&scrubbing, &path, &content);
            if common.json {
                output::line(json!({ "path": path, "size": size, "taken_out": taken_out::counts(&found) }))?;
            } else {
                output::line(format_args!("wrote {path} ({})", output::count(size, "byte")))?;
                taken_out::print("taken out", &found)?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Refuses the file that opens the vault: whoever reads the memory would read the key.
fn refuse_key(common: &Common, file: &Path) -> Result<(), Error> {
    // What cannot be found is stdin, or fails when it is read.
    let Ok(place) = fs::canonicalize(file) else { return Ok(()) };
    if key::files(common)?.iter().any(|key| fs::canonicalize(key).is_ok_and(|key| key == place)) {
        let file = file.display();
        return Err(Error::Invalid(format!("{file}: {}: keep a copy of it outside of the vault", key::STAYS_OUTSIDE)));
    }
    Ok(())
}

/// How many bytes of a content are kept, and what is taken out of it: the store's policy says so, of any text.
fn kept(scrubbing: &Scrubbing, path: &str, content: &[u8]) -> (usize, Vec<Finding>) {
    if let (Ok(path), Ok(text)) = (MemoryPath::parse(path), std::str::from_utf8(content))
        && let Scrubbing::By(scrub) = scrubbing
        && let Ok(Some(scrubbed)) = scrub.text(&path, text)
    {
        return (scrubbed.text.len(), scrubbed.findings);
    }
    (content.len(), Vec::new())
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(MAX_FILE).read_to_end(&mut content)?;
    } else {
        fs::File::open(file)?.take(MAX_FILE).read_to_end(&mut content)?;
    }
    Ok(content)
}
