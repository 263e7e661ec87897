//! `memoseal tool`: a line in, a line out, whatever the line.

use serde_json::{Value, json};

use crate::support::*;

#[test]
fn each_form_of_a_message_is_answered_in_kind() {
    let place = Place::new();
    let mut tool = place.tool(&["--user", "alice"]);
    assert_eq!(
        tool.ask(&create("/memories/n", "one\n")),
        json!({ "content": "File created successfully at: /memories/n" })
    );
    let block = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "memory", "input": input });
    assert_eq!(
        tool.ask(&block("t1", create("/memories/n", ""))),
        json!({ "type": "tool_result", "tool_use_id": "t1", "is_error": true,
            "content": "Error: File /memories/n already exists" })
    );
    let edit = |old: &str, new: &str| json!({ "command": "str_replace", "path": "/memories/n", "old_str": old, "new_str": new });
    let turn = tool.ask(&json!([
        block("t2", edit("one", "two")),
        block("t3", edit("one", "x")),
        block("t4", edit("two", "three"))
    ]));
    let turn = turn.as_array().unwrap();
    assert_eq!(
        turn.iter().map(|result| result["tool_use_id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["t2", "t3", "t4"]
    );
    assert_eq!(turn.iter().map(|result| result.get("is_error").is_some()).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(tool.ask(&json!([])), json!([]));
    // The whole content of a message: what is no call needs no answer, and an answer without an id would be refused.
    let text = json!({ "type": "text", "text": "I look at what I know." });
    let thinking = json!({ "type": "thinking", "thinking": "…", "signature": "…" });
    let content = json!([text, thinking, block("t5", edit("two", "x")), create("/memories/m", ""), text]);
    let results = tool.ask(&content);
    assert_eq!(results.as_array().unwrap().len(), 2, "{results}");
    assert_eq!((&results[0]["tool_use_id"], &results[0]["is_error"]), (&json!("t5"), &json!(true)));
    assert_eq!(results[1], json!({ "content": "File created successfully at: /memories/m" }));
    assert_eq!(tool.ask(&json!([text])), json!([]));
    tool.close();
    assert_eq!(place.run(&["cat", "n", "--user", "alice"]).ok(), "three\n");
}

#[test]
fn a_bad_line_gets_one_error_and_the_stream_goes_on() {
    let place = Place::new();
    let mut input = Vec::new();
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let long = [b"{\"command\":\"".as_slice(), &vec![b'x'; 33 * 1024 * 1024], b"\"}"].concat();
    let bad: [&[u8]; 12] = [
        b"garbage",
        b"",
        b"   ",
        b"{\"command\":",
        b"\xff\xfe{}",
        b"null",
        b"7",
        b"\"view\"",
        b"{}",
        b"[1]",
        &deep,
        &long,
    ];
    for line in bad {
        input.extend_from_slice(line);
        input.push(b'\n');
        input.extend_from_slice(b"{\"command\":\"view\",\"path\":\"/memories\"}\n");
    }
    // The last line needs no newline.
    input.extend_from_slice(create("/memories/last", "").to_string().as_bytes());
    let answers = place.run_with(&["tool"], &input).ok();
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2 * bad.len() + 1);
    for (pair, line) in answers.chunks(2).zip(bad) {
        let error = if pair[0].is_array() { &pair[0][0] } else { &pair[0] };
        assert_eq!(error["is_error"], true, "{:?}", String::from_utf8_lossy(&line[..line.len().min(20)]));
        assert!(error["content"].as_str().unwrap().starts_with("Error: "), "{error}");
        assert!(pair[1].get("is_error").is_none(), "{}", pair[1]);
    }
    assert_eq!(answers.last().unwrap()["content"], "File created successfully at: /memories/last");
}

#[test]
#[cfg(target_os = "linux")]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    use std::io::Write;

    let place = Place::new();
    let mut tool = place.command(&["tool"]);
    let mut child = tool.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..400 {
        stdin.write_all(&chunk).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kib: u64 = peak.trim().trim_end_matches(" kB").trim().parse().unwrap();
    assert!(peak_kib < 128 * 1024, "{peak_kib} KiB for a line of 400 MiB");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_read_only_tool_answers_views_and_refuses_the_rest() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x\n").ok();
    let before = place.files();
    let mut tool = place.tool(&["--read-only"]);
    assert!(tool.ok(&json!({ "command": "view", "path": "/memories/n" })).ends_with("     1\tx\n     2\t"));
    for input in [create("/memories/m", ""), json!({ "command": "delete", "path": "/memories/n" })] {
        assert_eq!(tool.ask(&input)["is_error"], true);
    }
    tool.close();
    assert_eq!(place.files(), before);
}

#[test]
fn the_program_ends_quietly_when_nobody_reads_its_answers() {
    let place = Place::new();
    let mut command = place.command(&["tool"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    use std::io::Write;
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", create("/memories/n", "x")).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(place.run(&["cat", "n"]).ok(), "x");
}
