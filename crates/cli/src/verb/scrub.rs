//! `memoseal scrub`.

use std::{
    fs,
    io::{self, BufReader, Read, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use memoseal::Error;
use memoseal_scrub::{Allowed, Class, Finding, Level, MAX_TEXT, Mode, Policy, Rules, Scrubber};
use serde_json::{Value, json};

use crate::{
    args::{Common, Only, Scrub},
    exit::{self, failed},
    json,
    lines::{self, Line, MAX_LINE},
    output, rules,
};

pub(crate) fn run(common: &Common, verb: &Scrub) -> anyhow::Result<ExitCode> {
    if verb.kinds {
        return kinds(common.json);
    }
    let scrubber = scrubber(verb, rules::read(common)?)?;
    if verb.jsonl {
        return stream(&scrubber, verb);
    }
    let text = read(&verb.file)?;
    let scrubbed = scrubber.scrub_file(&text, verb.file.to_str()).map_err(invalid)?;
    let found = !scrubbed.findings.is_empty();
    match (common.json, verb.check) {
        (true, true) => output::line(json!({ "findings": scrubbed.findings }))?,
        (true, false) => output::line(json!({ "text": scrubbed.text, "findings": scrubbed.findings }))?,
        (false, true) => scrubbed.findings.iter().try_for_each(row)?,
        (false, false) => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(scrubbed.text.as_bytes()).and_then(|()| stdout.flush()).context(output::STDOUT)?;
        }
    }
    Ok(if verb.check && found { ExitCode::from(exit::DAMAGE) } else { ExitCode::SUCCESS })
}

fn row(found: &Finding) -> anyhow::Result<()> {
    output::line(format_args!("{}: {} (rule {})", found.line, found.kind, found.rule))
}

/// What the options ask for.
fn scrubber(verb: &Scrub, rules: Option<Rules>) -> anyhow::Result<Scrubber> {
    let level = match verb.only {
        Only::All => Level::All,
        Only::Secrets => Level::Secrets,
        Only::Named => Level::Off,
    };
    let modes = [(&verb.redact, Mode::Redact), (&verb.reject, Mode::Reject), (&verb.off, Mode::Off)];
    let modes = modes.into_iter().flat_map(|(kinds, mode)| kinds.iter().map(move |kind| (kind.clone(), mode)));
    let policy = Policy {
        level,
        modes: modes.collect(),
        no_default_allowlist: verb.no_default_allowlist,
        allowed: verb.allow.iter().fold(Allowed::default(), |allowed, pattern| allowed.pattern(pattern)),
    };
    rules::check_off(&verb.off, rules.as_ref())?;
    Scrubber::with_rules(policy, rules).map_err(invalid)
}

fn invalid(error: memoseal_scrub::Error) -> anyhow::Error {
    Error::Invalid(error.to_string()).into()
}

fn open(file: &Path) -> anyhow::Result<Box<dyn Read>> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let opened = fs::File::open(file).map_err(|error| {
        let tried = format_args!("cannot read {}", file.display()).to_string();
        failed(tried, &error, "name a file that you may read, or - for stdin")
    })?;
    Ok(Box::new(opened))
}

/// The text of a file. What is more than the scrubber looks at is not read to the end.
fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = MAX_TEXT as u64 + 1;
    open(file)?.take(most).read_to_end(&mut bytes).map_err(|error| {
        failed(format_args!("cannot read {}", file.display()), &error, "name a file, or - for stdin")
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let name = file.display();
        Error::Invalid(format!("{name} is no text: it is not UTF-8 at byte {at}: give it as UTF-8")).into()
    })
}

/// Answers each line of JSON.
fn stream(scrubber: &Scrubber, verb: &Scrub) -> anyhow::Result<ExitCode> {
    let mut reader = BufReader::new(open(&verb.file)?);
    let (mut found, mut wrong) = (false, false);
    // What comes line by line is answered line by line; what comes at once is written at once.
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    while let Some(line) = lines::next(&mut reader, MAX_LINE).context(output::STDIN)? {
        let answer = match line {
            Line::Bytes(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Bytes(bytes) => answer(scrubber, &bytes, verb.check),
            Line::TooLong => Err(format!("The line has more than {MAX_LINE} bytes: split its text")),
        };
        let value = match answer {
            Ok((value, some)) => {
                found |= some;
                value
            }
            Err(text) => {
                wrong = true;
                json!({ "error": text })
            }
        };
        writeln!(stdout, "{value}").context(output::STDOUT)?;
        if reader.buffer().is_empty() {
            stdout.flush().context(output::STDOUT)?;
        }
    }
    stdout.flush().context(output::STDOUT)?;
    Ok(match (wrong, verb.check && found) {
        (true, _) => ExitCode::from(exit::IN_PART),
        (false, true) => ExitCode::from(exit::DAMAGE),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// The answer to a line, and whether something was found.
fn answer(scrubber: &Scrubber, line: &[u8], only_findings: bool) -> Result<(Value, bool), String> {
    let line = std::str::from_utf8(line).map_err(|error| format!("The line is not UTF-8: {error}"))?;
    let value = json::read(line)?;
    // What else the line holds is not said: it may be what must not be seen.
    let text = value.get("text").and_then(Value::as_str).ok_or("The line has no `text`, or it is no string")?;
    let path = value.get("path").and_then(Value::as_str);
    let scrubbed = scrubber.scrub_file(text, path).map_err(|error| error.to_string())?;
    let found = !scrubbed.findings.is_empty();
    Ok((
        match only_findings {
            true => json!({ "findings": scrubbed.findings }),
            false => json!({ "text": scrubbed.text, "findings": scrubbed.findings }),
        },
        found,
    ))
}

fn kinds(as_json: bool) -> anyhow::Result<ExitCode> {
    let all = memoseal_scrub::kinds();
    let class = |class: Class| match class {
        Class::Secret => "secrets",
        Class::Personal => "all",
        Class::OptIn => "named",
        _ => "other",
    };
    if as_json {
        let kinds: Vec<Value> = all.iter().map(|(kind, of)| json!({ "kind": kind, "only": class(*of) })).collect();
        output::line(json!({ "kinds": kinds }))?;
        return Ok(ExitCode::SUCCESS);
    }
    all.iter().try_for_each(|(kind, of)| output::line(format_args!("{kind:<36} {}", class(*of))))?;
    Ok(ExitCode::SUCCESS)
}
