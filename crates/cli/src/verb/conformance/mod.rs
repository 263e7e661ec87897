//! `memoseal conformance URL`: whether a place is fit for a vault, tried out on it.
//!
//! | module | what |
//! |---|---|
//! | `site` | the folder that is made in it and removed afterwards |
//! | `report` | what is told: a table, JSON, JUnit |

mod report;
mod site;

use std::{fs::File, io::Write as _, process::ExitCode, sync::Arc, time::Duration};

use memoseal::Error;
use memoseal_conformance::{Case, cases};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::Instant,
};

use self::{
    report::{Outcome, Report},
    site::Site,
};
use crate::{
    args::{Common, Conformance},
    exit::{self, failed},
    interrupt::Stopped,
    output::{self, Disk},
    progress::Progress,
};

/// How long one case may take: far longer than any does, so that the program ends whatever the storage does.
const LIMIT: Duration = Duration::from_secs(30 * 60);

pub(crate) async fn run(common: &Common, verb: &Conformance) -> anyhow::Result<ExitCode> {
    let chosen = choose(verb)?;
    if verb.list {
        for case in &chosen {
            output::line(case)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Before anything is begun: a report that cannot be written is no use afterwards.
    let junit = verb.junit.as_ref().map(|path| {
        let advice = "name a file in a folder that you may write to";
        File::create(path).map_err(|error| failed(format_args!("cannot write {}", path.display()), &error, advice))
    });
    let mut junit = junit.transpose()?;
    let url = verb.url.as_deref().unwrap_or_default();
    let site = Arc::new(Site::at(url).await?);
    common.interrupt.begin();

    let start = Instant::now();
    // With their own threads, and all that they leave running ends before their folder is removed: nothing comes after.
    let threads = Builder::new_multi_thread().enable_all().build().map_err(|error| {
        failed("cannot start threads", &error, "end other programs, or raise the limit of this user")
    })?;
    let (outcomes, is_stopped) = all(common, &threads, &site, &chosen, verb.jobs).await;
    end(threads).await;
    let left = site.clean().await;
    let report = Report { folder: site.folder().to_owned(), outcomes, time: start.elapsed(), left };
    if let (Some(file), Some(path)) = (&mut junit, &verb.junit) {
        file.write_all(report.junit().as_bytes())
            .map_err(|error| Disk(format!("cannot write {}: {error}: make room, and run it again", path.display())))?;
    }
    if common.json {
        output::line(report.json())?
    } else {
        report.print()?
    }

    if is_stopped {
        let done = format!("{} of {} cases were run", report.outcomes.len(), chosen.len());
        let rest = match &report.left {
            None => "nothing was left in the storage".to_owned(),
            Some(error) => format!("{} could not be removed ({error}): remove it", report.folder),
        };
        return Err(Stopped(format!("{done}, {rest}")).into());
    }
    Ok(match (report.failed(), &report.left) {
        (0, None) => ExitCode::SUCCESS,
        (0, Some(_)) => ExitCode::from(exit::IN_PART),
        _ => ExitCode::from(exit::DAMAGE),
    })
}

/// The cases that were asked for; all if none was.
fn choose(verb: &Conformance) -> Result<Vec<Case>, Error> {
    let all = cases();
    let unknown = |what: &str, name: &str| {
        Error::Invalid(format!("there is no {what} `{name}`: `memoseal conformance --list` names them"))
    };
    if let Some(name) = verb.group.iter().find(|name| all.iter().all(|case| case.group != **name)) {
        return Err(unknown("group", name));
    }
    let is = |case: &Case, name: &str| case.name == name || case.to_string() == name;
    if let Some(name) = verb.case.iter().find(|name| !all.iter().any(|case| is(case, name))) {
        return Err(unknown("case", name));
    }
    let everything = verb.group.is_empty() && verb.case.is_empty();
    let wanted = |case: &Case| {
        everything || verb.group.iter().any(|name| case.group == name) || verb.case.iter().any(|name| is(case, name))
    };
    Ok(all.into_iter().filter(wanted).collect())
}

/// Runs the cases, so many side by side, until they are done or Ctrl-C is pressed; in the order of the list.
async fn all(
    common: &Common,
    threads: &Runtime,
    site: &Arc<Site>,
    chosen: &[Case],
    jobs: usize,
) -> (Vec<Outcome>, bool) {
    let mut progress = Progress::each("conformance", "cases");
    let mut left = chosen.iter().copied().enumerate();
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    let total = chosen.len() as u64;
    progress.set(0, total);
    loop {
        while running.len() < jobs {
            let Some((n, case)) = left.next() else { break };
            let site = Arc::clone(site);
            running.spawn_on(async move { (n, one(case, site).await) }, threads.handle());
        }
        let ended = tokio::select! {
            biased;
            () = common.interrupt.stopped() => break,
            ended = running.join_next() => ended,
        };
        match ended {
            None => break,
            Some(Ok(ended)) => done.push(ended),
            // A case is run in a task of its own, so this one has no reason to end early.
            Some(Err(error)) => tracing::error!("a case came to no end: {error}"),
        }
        progress.set(done.len() as u64, total);
    }
    let is_stopped = common.interrupt.is_stopped();
    running.shutdown().await;
    done.sort_by_key(|(n, _)| *n);
    (done.into_iter().map(|(_, outcome)| outcome).collect(), is_stopped)
}

/// Waits until nothing of the cases runs any more: what was handed to a disk is written, all else is dropped.
async fn end(threads: Runtime) {
    let ended = tokio::task::spawn_blocking(move || threads.shutdown_timeout(LIMIT)).await;
    if let Err(error) = ended {
        tracing::error!("the threads of the cases came to no end: {error}");
    }
}

async fn one(case: Case, site: Arc<Site>) -> Outcome {
    let start = Instant::now();
    let mut task = JoinSet::new();
    task.spawn(async move { tokio::time::timeout(LIMIT, case.run(&*site)).await });
    let failure = match task.join_next().await {
        Some(Ok(Ok(Ok(())))) => None,
        Some(Ok(Ok(Err(failure)))) => Some(failure.to_string()),
        Some(Ok(Err(_))) => Some(format!("no end after {} minutes", LIMIT.as_secs() / 60)),
        Some(Err(error)) => Some(format!("the case itself broke: {error}")),
        None => Some("the case was not run".into()),
    };
    Outcome { case, failure, time: start.elapsed() }
}
