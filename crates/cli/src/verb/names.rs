//! `memoseal users` and `memoseal stores`.

use std::process::ExitCode;

use memoseal::Error;
use serde_json::json;

use crate::{args::Common, key::Prompt, output};

pub(crate) async fn users(common: &Common) -> anyhow::Result<ExitCode> {
    print("users", output::open_vault(common, Prompt::Once).await?.users().await?, common)
}

pub(crate) async fn stores(common: &Common) -> anyhow::Result<ExitCode> {
    let user = output::open_vault(common, Prompt::Once).await?.user(&common.user);
    let stores = user.stores().await?;
    if stores.is_empty() && !user.exists().await? {
        let what = format!("user {}", common.user);
        return Err(Error::NotFound { what, hint: "see who there is with `memoseal users`".into() }.into());
    }
    print("stores", stores, common)
}

fn print(what: &str, names: Vec<String>, common: &Common) -> anyhow::Result<ExitCode> {
    if common.json {
        output::line(json!({ what: names }))?;
    } else {
        names.iter().try_for_each(output::line)?;
    }
    Ok(ExitCode::SUCCESS)
}
