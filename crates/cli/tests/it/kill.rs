//! `kill -9` in the middle of a stream: what was answered is there, and the vault is clean.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::*;

const KILLS: usize = 200;
const LINES: usize = 8;

#[test]
fn what_was_answered_survives_two_hundred_kills() {
    let place = Place::new();
    // What the program has said is there, and what it was asked for without an answer.
    let mut answered: BTreeMap<String, String> = BTreeMap::new();
    let mut in_doubt: BTreeMap<String, String> = BTreeMap::new();
    for kill in 0..KILLS {
        let mut tool = place.tool(&[]);
        let mut asked = Vec::new();
        for i in 0..LINES {
            let path = format!("/memories/{}/{kill}-{i}", kill % 7);
            let text = format!("{kill} {i}\n");
            tool.try_send(&create(&path, &text).to_string()).unwrap();
            asked.push((path, text));
        }
        // It has all lines, and dies while it works on one of them; sometimes before it has answered any.
        let mut answers = Vec::new();
        answers.extend((0..kill % LINES).map_while(|_| tool.answer()));
        tool.child.kill().unwrap();
        answers.extend(std::iter::from_fn(|| tool.answer()));
        tool.child.wait().unwrap();
        assert!(answers.iter().all(|answer| answer.get("is_error").is_none()), "{answers:?}");
        let rest = asked.split_off(answers.len());
        answered.extend(asked);
        in_doubt.extend(rest);
        if kill % 50 == 49 || kill == 0 {
            check(&place, &answered, &in_doubt);
        }
    }
    assert!(in_doubt.len() > KILLS, "the kills came too late to test anything: {}", in_doubt.len());
}

fn check(place: &Place, answered: &BTreeMap<String, String>, in_doubt: &BTreeMap<String, String>) {
    let verified = place.run(&["verify", "--read-data", "--json"]).ok();
    let verified: serde_json::Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(verified["findings"], json!([]));
    let mut tool = place.tool(&["--read-only"]);
    for (path, text) in answered {
        let shown = tool.ok(&json!({ "command": "view", "path": path }));
        assert!(shown.contains(&format!("     1\t{}", text.trim_end())), "{path}: {shown}");
    }
    tool.close();
    let listed: serde_json::Value = serde_json::from_str(&place.run(&["ls", "-r", "--json"]).ok()).unwrap();
    for entry in listed["entries"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap();
        assert!(answered.contains_key(path) || in_doubt.contains_key(path), "{path} was never asked for");
    }
}
