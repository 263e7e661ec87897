//! `memoseal destroy-user` and `memoseal destroy-store`.

use std::process::ExitCode;

use memoseal::{Actor, Destroyed, Destruction};
use serde_json::{Value, json};

use crate::{
    args::{Common, DestroyStore, DestroyUser, Destroying},
    confirm::confirm,
    exit,
    interrupt::Stopped,
    key::Prompt,
    output,
    progress::Progress,
};

/// What no destruction can reach.
const REACH: &str = "It cannot be undone. Bucket versions, backups, and whoever has read it keep what they have; `memoseal \
                     users` and `stores` name what is left.";

pub(crate) async fn user(common: &Common, verb: &DestroyUser) -> anyhow::Result<ExitCode> {
    let user = output::open_vault(common, Prompt::Once).await?.user(&verb.name);
    let going = user.preview_destruction().await?;
    let what = format!("user {}", verb.name);
    let told = format!("{what}: {}, {}", stores(&going), size(&going));
    if !goes_on(common, &verb.how, &told, &going)? {
        return Ok(ExitCode::SUCCESS);
    }
    let destroyed = common.interrupt.unless_stopped(user.destroy(&actor(common), progress(going.objects))).await;
    report(common, &what, &going, &destroyed.ok_or_else(|| stopped(&what))??)
}

pub(crate) async fn store(common: &Common, verb: &DestroyStore) -> anyhow::Result<ExitCode> {
    let user = output::open_vault(common, Prompt::Once).await?.user(&common.user);
    let going = user.preview_store_destruction(&verb.name).await?;
    let what = format!("store {} of user {}", verb.name, common.user);
    if !goes_on(common, &verb.how, &format!("{what}: {}", size(&going)), &going)? {
        return Ok(ExitCode::SUCCESS);
    }
    let actor = actor(common);
    let destroyed = user.destroy_store(&verb.name, &actor, progress(going.objects));
    let destroyed = common.interrupt.unless_stopped(destroyed).await;
    report(common, &what, &going, &destroyed.ok_or_else(|| stopped(&what))??)
}

/// Every step can be taken again.
fn stopped(what: &str) -> Stopped {
    Stopped(format!("{what} may be destroyed in part; run the same again, or `memoseal maintain`, which goes on"))
}

fn actor(common: &Common) -> Actor {
    Actor::Local { name: common.actor.clone() }
}

/// Whether it is to be done: not in a dry run, and not before it was confirmed.
fn goes_on(common: &Common, how: &Destroying, told: &str, going: &Destruction) -> anyhow::Result<bool> {
    if !how.dry_run {
        confirm(&format!("This destroys {told}.\n{REACH}"), how.yes)?;
        return Ok(true);
    }
    if common.json {
        output::line(to_json(true, going))?;
    } else {
        output::line(format_args!("would destroy {told}"))?;
    }
    Ok(false)
}

fn stores(going: &Destruction) -> String {
    match going.stores.as_slice() {
        [] => "no store".to_owned(),
        [store] => format!("store {store}"),
        stores => format!("stores {}", stores.join(", ")),
    }
}

fn size(going: &Destruction) -> String {
    format!("{} of {}", output::count(going.objects, "object"), output::count(going.bytes, "byte"))
}

fn to_json(dry_run: bool, going: &Destruction) -> Value {
    json!({ "dry_run": dry_run, "stores": going.stores, "objects": going.objects, "bytes": going.bytes })
}

fn report(common: &Common, what: &str, going: &Destruction, destroyed: &Destroyed) -> anyhow::Result<ExitCode> {
    for (store, error) in &destroyed.damaged {
        tracing::warn!("the log of store {store} could not be closed, and was destroyed all the same: {error}");
    }
    if common.json {
        let mut told = to_json(false, going);
        told["emptied"] = destroyed.emptied.into();
        let damaged = destroyed.damaged.iter();
        told["damaged"] = damaged.map(|(store, error)| json!({ "store": store, "error": error.to_string() })).collect();
        output::line(told)?;
    } else {
        output::line(format_args!(
            "destroyed {what}: {} overwritten; what is left, names, goes with a `memoseal maintain` in seven days or later",
            output::count(destroyed.emptied, "object")
        ))?;
    }
    Ok(if destroyed.damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::DAMAGE) })
}

/// Tells on stderr, if that is a terminal, how far the work has come.
fn progress(total: u64) -> impl FnMut(u64) + Send {
    let mut progress = Progress::new("destroying", "objects");
    // The last commits come on top of what was counted.
    move |done| progress.set(done, total.max(done + 1))
}
