//! Lifecycle rules, out of the XML of S3.

use memoseal_bucket::{Answer, Element};
use memoseal_doctor::{
    Check,
    lifecycle::{Action, Rule},
};

use super::answers::unasked;

/// Classes whose objects have to be brought back before they can be read.
const ARCHIVES: [&str; 2] = ["GLACIER", "DEEP_ARCHIVE"];

/// The rules that are in force, or why they are not known.
pub(super) fn read(answer: Result<Answer, String>) -> Result<Vec<Rule>, Check> {
    let unknown = |answer| unasked("lifecycle", "s3:GetLifecycleConfiguration", answer);
    let answer = match answer {
        Ok(answer) => answer,
        none => return Err(unknown(none)),
    };
    if answer.code().as_deref() == Some("NoSuchLifecycleConfiguration") {
        return Ok(Vec::new());
    }
    match answer.xml() {
        Some(root) if answer.status() == 200 && root.name() == "LifecycleConfiguration" => {
            Ok(root.all("Rule").filter(|rule| rule.at(&["Status"]) == Some("Enabled")).filter_map(rule).collect())
        }
        _ => Err(unknown(Ok(answer))),
    }
}

/// A rule that is in force; nothing if it is for tagged objects, which a vault has none of.
fn rule(rule: &Element) -> Option<Rule> {
    let filter = rule.child("Filter");
    let both = filter.and_then(|filter| filter.child("And"));
    let places = [Some(rule), filter, both];
    if places.into_iter().flatten().any(|place| place.child("Tag").is_some()) {
        return None;
    }
    // For what endangers the vault it is as if these were not there.
    let is_narrowed = rule.at(&["NoncurrentVersionExpiration", "NewerNoncurrentVersions"]).is_some()
        || places.into_iter().flatten().any(|place| {
            ["ObjectSizeGreaterThan", "ObjectSizeLessThan"].iter().any(|size| place.child(size).is_some())
        });
    let prefix = places.into_iter().flatten().find_map(|place| place.at(&["Prefix"]));
    let prefixes = prefix.filter(|prefix| !prefix.is_empty()).map(str::to_owned).into_iter().collect();

    let mut actions = Vec::new();
    if let Some(when) = rule.child("Expiration").and_then(when) {
        actions.push(Action::Expires(when));
    }
    let transitions = rule.all("Transition").filter_map(|transition| transition.at(&["StorageClass"]));
    actions
        .extend(transitions.filter(|class| ARCHIVES.contains(class)).map(|class| Action::Archives(class.to_owned())));
    if let Some(days) = rule.at(&["NoncurrentVersionExpiration", "NoncurrentDays"]) {
        actions.push(Action::ExpiresOld(format!("after {} days", number(days))));
    }
    Some(Rule { id: plain(rule.at(&["ID"]).unwrap_or("without a name")), prefixes, is_narrowed, actions })
}

/// When objects are deleted; nothing for a rule that only removes delete markers.
fn when(expiration: &Element) -> Option<String> {
    let days = expiration.at(&["Days"]).map(|days| format!("after {} days", number(days)));
    days.or_else(|| expiration.at(&["Date"]).map(|date| format!("on {}", plain(date))))
}

fn number(text: &str) -> String {
    text.parse::<u64>().map_or_else(|_| "some".to_owned(), |number| number.to_string())
}

/// What a server says, as it may be shown.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}
