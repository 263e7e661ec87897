//! Steps in order: a header before each, a table of results and times at the end.

use std::time::{Duration, Instant};

/// How a step ended that did not fail.
#[derive(Debug)]
pub(crate) enum Done {
    Passed,
    /// Not run, and why.
    Skipped(String),
}

/// What a step does.
type Action<'a> = Box<dyn FnOnce() -> anyhow::Result<Done> + 'a>;

/// One step, not yet run.
pub(crate) struct Step<'a> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) action: Action<'a>,
}

impl<'a> Step<'a> {
    pub(crate) fn new(
        name: &'static str,
        about: &'static str,
        action: impl FnOnce() -> anyhow::Result<Done> + 'a,
    ) -> Self {
        Self { name, about, action: Box::new(action) }
    }
}

/// Runs the steps up to the first that fails; true if none did.
pub(crate) fn run(steps: Vec<Step<'_>>) -> bool {
    let mut rows = Vec::new();
    let mut failed = false;
    for step in steps {
        if failed {
            rows.push((step.name, "not run".to_owned(), Duration::ZERO));
            continue;
        }
        println!("\n=== {}: {}", step.name, step.about);
        let start = Instant::now();
        let result = match (step.action)() {
            Ok(Done::Passed) => "passed".to_owned(),
            Ok(Done::Skipped(why)) => {
                println!("skipped: {why}");
                format!("skipped: {why}")
            }
            Err(error) => {
                failed = true;
                eprintln!("error: {error:#}");
                "FAILED".to_owned()
            }
        };
        rows.push((step.name, result, start.elapsed()));
    }
    print(&rows);
    !failed
}

fn print(rows: &[(&str, String, Duration)]) {
    let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let total: Duration = rows.iter().map(|(.., time)| *time).sum();
    println!("\n=== summary");
    for (name, result, time) in rows {
        println!("{name:width$}  {:7.1} s  {result}", time.as_secs_f64());
    }
    println!("{:width$}  {:7.1} s", "all", total.as_secs_f64());
}
