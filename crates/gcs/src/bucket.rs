//! What is set for a bucket: its resource in the JSON API, one request.

use async_trait::async_trait;
use memoseal_bucket::{Answer, Error, chain};
use memoseal_doctor::{
    Check, Grade, Permissions, Provider,
    lifecycle::{self, Action, Rule},
};
use object_store::{
    client::{HttpClient, HttpConnector, HttpRequest, HttpRequestBody},
    gcp::{GcpCredential, GoogleCloudStorage},
    path::Path,
};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::place::{Place, refused};

/// A bucket, for who looks whether it can hold a vault.
pub struct Bucket {
    place: Place,
    store: GoogleCloudStorage,
    client: HttpClient,
    /// The answer about the bucket, asked for once.
    resource: OnceCell<Result<Answer, String>>,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bucket").field("location", &self.place.location).finish_non_exhaustive()
    }
}

impl Bucket {
    pub(crate) fn new(place: Place) -> Result<Self, Error> {
        let options = place.settings.client_options();
        let client = place.settings.connector().connect(&options).map_err(refused(place.location.bucket()))?;
        Ok(Self { store: place.client()?, place, client, resource: OnceCell::new() })
    }

    fn server(&self) -> &str {
        self.place.endpoint.as_deref().unwrap_or("https://storage.googleapis.com")
    }

    async fn credential(&self) -> Result<Option<std::sync::Arc<GcpCredential>>, String> {
        if self.place.is_anonymous {
            return Ok(None);
        }
        self.store.credentials().get_credential().await.map(Some).map_err(|error| chain(&error))
    }

    async fn resource(&self) -> &Result<Answer, String> {
        let ask = async || {
            let uri = format!("{}/storage/v1/b/{}?projection=full", self.server(), self.place.location.bucket());
            let mut request = HttpRequest::new(HttpRequestBody::empty());
            *request.uri_mut() = uri.parse().map_err(|_| "no URL comes of it".to_owned())?;
            if let Some(credential) = self.credential().await? {
                let bearer = format!("Bearer {}", credential.bearer);
                let bearer = bearer.parse().map_err(|_| "a token that cannot be sent".to_owned())?;
                request.headers_mut().insert("authorization", bearer);
            }
            Answer::to(&self.client, request).await
        };
        self.resource.get_or_init(ask).await
    }

    fn tls(&self) -> Check {
        match self.server().starts_with("https:") {
            true => Check::good("TLS", "yes, and its certificate is checked"),
            false => Check::warning(
                "TLS",
                "none: names, sizes and the times of requests travel in the clear, and could be changed on their way",
                "use https:, unless the server is on this machine",
            ),
        }
    }

    async fn credentials(&self) -> Check {
        const NAME: &str = "credentials";
        match self.credential().await {
            Ok(None) => {
                Check::warning(NAME, "none: requests are not signed", "leave out anonymous=true on Google's own")
            }
            Ok(Some(_)) => Check::not_checked(
                NAME,
                "there is a token; Google is not asked whose, since the token would stand in a URL",
                "see `gcloud auth list`, or client_email in the file of a service account",
            ),
            Err(problem) => {
                let todo = "check GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`";
                Check::danger(NAME, problem, todo)
            }
        }
    }
}

#[async_trait]
impl Provider for Bucket {
    fn permissions(&self) -> Permissions {
        Permissions::new(
            "storage.objects.create (and .delete, to overwrite)",
            "storage.objects.get",
            "storage.objects.list",
            "storage.objects.delete",
        )
    }

    async fn reach(&self) -> Vec<Check> {
        let credentials = self.credentials().await;
        if credentials.grade == Grade::Danger {
            return vec![self.tls(), credentials];
        }
        vec![self.tls(), credentials, reached(self.place.location.bucket(), self.resource().await)]
    }

    async fn settings(&self) -> Vec<Check> {
        settings(self.resource().await, self.place.location.prefix())
    }
}

fn reached(bucket: &str, answer: &Result<Answer, String>) -> Check {
    const NAME: &str = "reachable";
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            return Check::danger(NAME, format!("no answer: {problem}"), "check the endpoint, the network and a proxy");
        }
    };
    match (answer.status(), json(answer)) {
        (200, Some(resource)) => {
            let place = resource["location"].as_str().map_or_else(|| "somewhere".to_owned(), plain);
            Check::good(NAME, format!("the bucket {bucket} answers, in {place}"))
        }
        (404, _) => Check::danger(NAME, format!("there is no bucket {bucket}"), "make it, or check its name"),
        (403, _) => Check::good(NAME, format!("the bucket {bucket} answers, and does not let these look at it")),
        (401, _) => Check::danger(NAME, "these credentials are refused", "get new ones"),
        (status, _) => Check::danger(
            NAME,
            format!("what answers is no Google Cloud Storage ({status})"),
            "check the endpoint, and whether a proxy stands in between",
        ),
    }
}

fn json(answer: &Answer) -> Option<Value> {
    serde_json::from_slice(answer.body()).ok().filter(Value::is_object)
}

fn settings(answer: &Result<Answer, String>, prefix: &Path) -> Vec<Check> {
    let resource = answer.as_ref().ok().filter(|answer| answer.status() == 200).and_then(json);
    let Some(resource) = resource else {
        let (found, todo) = match answer {
            Ok(answer) if answer.status() == 403 => ("these credentials may not ask", "allow storage.buckets.get"),
            Ok(_) => ("this server does not say", "look it up in the server's own console"),
            Err(_) => ("there was no answer", "mend that, and try again"),
        };
        let names = ["versioning", "lifecycle", "object lock", "public access", "encryption"];
        return names.map(|name| Check::not_checked(name, found, todo)).to_vec();
    };
    let rules = rules(&resource);
    vec![
        versioning(&resource, lifecycle::old_versions_expire(&rules, prefix)),
        lifecycle::check(&rules, prefix),
        retention(&resource),
        public_access(&resource),
        match resource["encryption"]["defaultKmsKeyName"].as_str() {
            Some(key) => Check::good("encryption", format!("by the key {}, around what memoseal seals", plain(key))),
            None => Check::good("encryption", "Google's own, around what memoseal seals"),
        },
    ]
}

/// Soft deletion keeps what was overwritten or deleted, as versions do, and for a time.
fn versioning(resource: &Value, old_expire: Option<String>) -> Check {
    let kept = whole(&resource["softDeletePolicy"]["retentionDurationSeconds"]).map_or(0, |seconds| seconds / 86_400);
    let is_on = resource["versioning"]["enabled"].as_bool().unwrap_or(false);
    let state = if is_on { lifecycle::Versioning::On } else { lifecycle::Versioning::Off };
    let old = lifecycle::versioning(state, old_expire);
    if kept == 0 || old.grade != Grade::Good {
        return old;
    }
    Check::warning(
        "versioning",
        format!("soft deletion keeps what is redacted or destroyed for {kept} days"),
        "set it to 0, or know that it is so (`gcloud storage buckets update --clear-soft-delete`)",
    )
}

fn rules(resource: &Value) -> Vec<Rule> {
    let all = resource["lifecycle"]["rule"].as_array().into_iter().flatten();
    all.enumerate().filter_map(|(at, rule)| read(at, rule)).collect()
}

/// A rule that deletes; no class of Google's has to be brought back before it is read.
fn read(at: usize, rule: &Value) -> Option<Rule> {
    if rule["action"]["type"].as_str() != Some("Delete") {
        return None;
    }
    let condition = &rule["condition"];
    // Only for objects with a time that memoseal gives none.
    if ["daysSinceCustomTime", "customTimeBefore"].iter().any(|name| !condition[*name].is_null()) {
        return None;
    }
    let old = ["daysSinceNoncurrentTime", "noncurrentTimeBefore"].iter().any(|name| !condition[*name].is_null());
    let newer = whole(&condition["numNewerVersions"]).is_some_and(|count| count > 0);
    let after = |days: u64| format!("after {days} days");
    let action = match old || newer || condition["isLive"].as_bool() == Some(false) {
        true => {
            let days = whole(&condition["daysSinceNoncurrentTime"]).or_else(|| whole(&condition["age"]));
            Action::ExpiresOld(days.map_or_else(|| "by a rule".to_owned(), after))
        }
        false => Action::Expires(whole(&condition["age"]).map_or_else(|| "by a rule".to_owned(), after)),
    };
    let prefixes = condition["matchesPrefix"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Some(Rule {
        id: format!("number {}", at + 1),
        prefixes: prefixes.map(str::to_owned).collect(),
        is_narrowed: newer || ["matchesSuffix", "matchesStorageClass"].iter().any(|part| condition[*part].is_array()),
        actions: vec![action],
    })
}

/// With a retention nothing may be overwritten until it ends, and with holds never: the engine overwrites.
fn retention(resource: &Value) -> Check {
    const NAME: &str = "object lock";
    if let Some(seconds) = whole(&resource["retentionPolicy"]["retentionPeriod"]) {
        return Check::danger(
            NAME,
            format!(
                "a retention policy keeps every object from being overwritten for {} days: headers, keyrings and redactions need that",
                seconds / 86_400
            ),
            "take the policy away, or keep the vault in another bucket",
        );
    }
    if resource["defaultEventBasedHold"].as_bool() == Some(true) {
        return Check::danger(
            NAME,
            "every new object is held, and cannot be overwritten",
            "take the default hold away",
        );
    }
    Check::good(NAME, "off")
}

fn public_access(resource: &Value) -> Check {
    match resource["iamConfiguration"]["publicAccessPrevention"].as_str() {
        Some("enforced") => Check::good("public access", "blocked"),
        Some(_) => Check::warning(
            "public access",
            "not blocked for this bucket: IAM or an ACL could open it",
            "enforce it (`gcloud storage buckets update --public-access-prevention`)",
        ),
        None => Check::not_checked("public access", "the answer does not say", "see the bucket's permissions"),
    }
}

/// A whole number; the JSON API writes large ones as text.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(resource: &Value) -> Vec<Check> {
        settings(&Ok(Answer::of(200, resource.to_string())), &"team".into())
    }

    fn one(resource: &Value, name: &str) -> Check {
        all(resource).into_iter().find(|check| check.name == name).unwrap()
    }

    #[test]
    fn what_is_not_answered_is_not_checked() {
        for (answer, part) in [
            (Ok(Answer::of(403, "{}")), "allow storage.buckets.get"),
            (Ok(Answer::of(404, "")), "does not say"),
            (Ok(Answer::of(200, "<html>")), "does not say"),
            (Ok(Answer::of(200, "[]")), "does not say"),
            (Err("no route".to_owned()), "no answer"),
        ] {
            let checks = settings(&answer, &"team".into());
            assert_eq!(checks.len(), 5);
            assert!(checks.iter().all(|check| check.grade == Grade::NotChecked && check.to_string().contains(part)));
        }
        for (answer, grade) in [
            (Ok(Answer::of(200, "{\"location\":\"EU\"}")), Grade::Good),
            (Ok(Answer::of(403, "{}")), Grade::Good),
            (Ok(Answer::of(404, "{}")), Grade::Danger),
            (Ok(Answer::of(401, "{}")), Grade::Danger),
            (Ok(Answer::of(200, "<html>")), Grade::Danger),
            (Err("no route".to_owned()), Grade::Danger),
        ] {
            assert_eq!(reached("memory", &answer).grade, grade, "{answer:?}");
        }
    }

    #[test]
    fn versions_soft_deletion_locks_and_access() {
        for (resource, name, grade) in [
            (json!({}), "versioning", Grade::Good),
            (json!({"versioning": {"enabled": true}}), "versioning", Grade::Warning),
            (json!({"softDeletePolicy": {"retentionDurationSeconds": "604800"}}), "versioning", Grade::Warning),
            (json!({"softDeletePolicy": {"retentionDurationSeconds": "0"}}), "versioning", Grade::Good),
            (json!({"retentionPolicy": {"retentionPeriod": "86400"}}), "object lock", Grade::Danger),
            (json!({"defaultEventBasedHold": true}), "object lock", Grade::Danger),
            (json!({}), "object lock", Grade::Good),
            (json!({"iamConfiguration": {"publicAccessPrevention": "enforced"}}), "public access", Grade::Good),
            (json!({"iamConfiguration": {"publicAccessPrevention": "inherited"}}), "public access", Grade::Warning),
            (json!({}), "public access", Grade::NotChecked),
            (json!({"encryption": {"defaultKmsKeyName": "projects/example/key"}}), "encryption", Grade::Good),
        ] {
            let check = one(&resource, name);
            assert_eq!(check.grade, grade, "{resource}: {check}");
        }
    }

    #[test]
    fn rules_that_delete_memory_are_found() {
        for (condition, is_danger) in [
            (json!({"age": 30}), true),
            (json!({"age": 30, "isLive": true}), true),
            (json!({"createdBefore": "2030-01-01"}), true),
            (json!({"age": 30, "matchesPrefix": ["team/users/"]}), true),
            (json!({"age": 30, "matchesPrefix": ["logs/"]}), false),
            (json!({"age": 30, "isLive": false}), false),
            (json!({"numNewerVersions": 3}), false),
            (json!({"daysSinceNoncurrentTime": 7}), false),
            (json!({"daysSinceCustomTime": 7}), false),
        ] {
            let resource = json!({"lifecycle": {"rule": [{"action": {"type": "Delete"}, "condition": condition}]}});
            assert_eq!(one(&resource, "lifecycle").grade == Grade::Danger, is_danger, "{resource}");
        }
        let moved = json!({"lifecycle": {"rule": [{"action": {"type": "SetStorageClass"}, "condition": {"age": 1}}]}});
        assert_eq!(one(&moved, "lifecycle").grade, Grade::Good);
        let old = json!({"versioning": {"enabled": true}, "lifecycle": {"rule": [
            {"action": {"type": "Delete"}, "condition": {"daysSinceNoncurrentTime": 7}}]}});
        assert!(one(&old, "versioning").found.contains("after 7 days"));
        // Not for all old versions: some stay for good.
        for narrowed in
            [json!({"numNewerVersions": 3}), json!({"daysSinceNoncurrentTime": 7, "matchesSuffix": ["/fff"]})]
        {
            let resource = json!({"versioning": {"enabled": true}, "lifecycle": {"rule": [
                {"action": {"type": "Delete"}, "condition": narrowed}]}});
            assert_eq!(one(&resource, "versioning").grade, Grade::Warning);
        }
    }
}
