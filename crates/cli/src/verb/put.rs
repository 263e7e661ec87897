//! `memoseal put`.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process::ExitCode,
};

use memoseal::{Command, Reply};
use serde_json::json;

use crate::{
    args::{Common, Put},
    exit::failed,
    output,
};

/// More than any limit of a store; a larger file is not read to the end.
const MAX_FILE: u64 = 1 << 30;

pub(crate) async fn run(common: &Common, verb: &Put) -> anyhow::Result<ExitCode> {
    let path = output::tool_path(&verb.path);
    let content = read(&verb.file).map_err(|error| {
        let tried = format!("cannot read {}", verb.file.display());
        failed(tried, &error, "name a file that you may read, or - for stdin")
    })?;
    let size = content.len();
    let store = output::open_store_to_change(common).await?;
    common.interrupt.begin();
    let content = content.into();
    let command = match verb.no_clobber {
        true => Command::PutNew { path: path.clone(), content },
        false => Command::Put { path: path.clone(), content },
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
            if common.json {
                output::line(json!({ "path": path, "size": size }))?;
            } else {
                output::line(format_args!("wrote {path} ({size} bytes)"))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
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
