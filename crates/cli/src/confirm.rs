//! Asking before something is done that cannot be undone.

use std::io::{IsTerminal, Write};

use memoseal::Error;

use crate::exit::failed;

/// Goes on only if `yes` was given, or somebody at the terminal says so.
pub(crate) fn confirm(what: &str, yes: bool) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        let problem = "nothing was changed: this has to be confirmed, and stdin is not a terminal; give --yes";
        return Err(Error::Invalid(problem.into()).into());
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{what}\nGo on? [y/N] ")
        .and_then(|()| stderr.flush())
        .map_err(|error| failed("cannot ask whether to go on", &error, "give --yes to say so"))?;
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| failed("cannot read the answer", &error, "give --yes instead"))?;
    if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Error::Invalid("nothing was changed, since the answer was no: answer y to go on".into()).into())
}
