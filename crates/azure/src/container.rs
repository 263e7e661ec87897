//! What is set for a container: its own properties, and those of the service. Versioning, lifecycle rules and the account's own
//! settings are known to the management API only, which takes other credentials.

use async_trait::async_trait;
use memoseal_bucket::{Answer, Error, chain};
use memoseal_doctor::{Check, Grade, Permissions, Provider};
use object_store::{
    azure::{AzureAuthorizer, MicrosoftAzure},
    client::{HttpClient, HttpConnector, HttpRequest, HttpRequestBody},
};

use crate::place::{Place, refused};

/// A container, for who looks whether it can hold a vault.
pub struct Container {
    place: Place,
    store: MicrosoftAzure,
    client: HttpClient,
}

impl std::fmt::Debug for Container {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Container").field("location", &self.place.location).finish_non_exhaustive()
    }
}

impl Container {
    pub(crate) fn new(place: Place) -> Result<Self, Error> {
        // The emulator's own client allows http as well.
        let options = place.settings.client_options();
        let options = options.with_allow_http(place.account_url().starts_with("http:"));
        let client = place.settings.connector().connect(&options).map_err(refused(place.location.bucket()))?;
        Ok(Self { store: place.client()?, place, client })
    }

    async fn ask(&self, uri: String) -> Result<Answer, String> {
        let credential = self.store.credentials().get_credential().await.map_err(|error| chain(&error))?;
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = uri.parse().map_err(|_| "no URL comes of it".to_owned())?;
        let account = self.place.account.as_deref().unwrap_or_default();
        AzureAuthorizer::new(&credential, account).try_authorize(&mut request).map_err(|error| error.to_string())?;
        Answer::to(&self.client, request).await
    }

    async fn properties(&self) -> Result<Answer, String> {
        self.ask(format!("{}/{}?restype=container", self.place.account_url(), self.place.location.bucket())).await
    }

    async fn service(&self) -> Result<Answer, String> {
        self.ask(format!("{}/?restype=service&comp=properties", self.place.account_url())).await
    }

    async fn credentials(&self) -> Check {
        const NAME: &str = "credentials";
        match self.store.credentials().get_credential().await {
            Ok(_) => Check::not_checked(
                NAME,
                format!("there are some for the account {}", self.place.account.as_deref().unwrap_or("that was named")),
                "Azure does not say whose; see `az account show`",
            ),
            Err(error) => Check::danger(NAME, chain(&error), "check the AZURE_… variables, or sign in (`az login`)"),
        }
    }

    fn tls(&self) -> Check {
        match self.place.account_url().starts_with("https:") {
            true => Check::good("TLS", "yes, and its certificate is checked"),
            false => Check::warning(
                "TLS",
                "none: names, sizes and the times of requests travel in the clear, and could be changed on their way",
                "use https:, unless the server is on this machine",
            ),
        }
    }
}

#[async_trait]
impl Provider for Container {
    fn permissions(&self) -> Permissions {
        const ROLE: &str = "the role Storage Blob Data Contributor, or a SAS with racwdl";
        Permissions::new(ROLE, ROLE, ROLE, ROLE)
    }

    async fn reach(&self) -> Vec<Check> {
        let credentials = self.credentials().await;
        if credentials.grade == Grade::Danger {
            return vec![self.tls(), credentials];
        }
        vec![self.tls(), credentials, reached(self.place.location.bucket(), self.properties().await)]
    }

    async fn settings(&self) -> Vec<Check> {
        let properties = self.properties().await;
        vec![
            soft_delete(self.service().await),
            Check::not_checked(
                "versioning",
                "only the management API says",
                "see `az storage account blob-service-properties show` (isVersioningEnabled)",
            ),
            Check::not_checked(
                "lifecycle",
                "only the management API says",
                "see `az storage account management-policy show`: no rule may delete or archive the vault",
            ),
            object_lock(&properties),
            public_access(&properties),
            encryption(&properties),
        ]
    }
}

fn reached(container: &str, answer: Result<Answer, String>) -> Check {
    const NAME: &str = "reachable";
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            return Check::danger(NAME, format!("no answer: {problem}"), "check the account, the network and a proxy");
        }
    };
    let code = answer.header("x-ms-error-code").map(str::to_owned).or_else(|| answer.code()).unwrap_or_default();
    match answer.status() {
        200 if answer.header("x-ms-request-id").is_some() => {
            Check::good(NAME, format!("the container {container} answers"))
        }
        404 => Check::danger(
            NAME,
            format!("there is no container {container}"),
            "make it, or check its name and the account",
        ),
        403 if code.starts_with("Authorization") => {
            Check::good(NAME, format!("the container {container} answers, and does not let these look at it"))
        }
        401 | 403 => Check::danger(
            NAME,
            format!("these credentials are refused ({code})"),
            "check the account and its key, and the clock of this machine",
        ),
        status => Check::danger(
            NAME,
            format!("what answers is no Azure storage ({status} {code})"),
            "check the endpoint, and whether a proxy stands in between",
        ),
    }
}

fn unasked(name: &'static str, answer: &Result<Answer, String>) -> Check {
    match answer {
        Err(problem) => Check::not_checked(name, problem, "mend that, and try again"),
        Ok(answer) => Check::not_checked(
            name,
            format!("it is not said ({})", answer.status()),
            "use the account's key, or the role Storage Account Contributor",
        ),
    }
}

fn soft_delete(answer: Result<Answer, String>) -> Check {
    const NAME: &str = "soft delete";
    let root = answer.as_ref().ok().filter(|answer| answer.status() == 200).and_then(Answer::xml);
    let policy = root.as_ref().and_then(|root| root.child("DeleteRetentionPolicy"));
    match policy {
        Some(policy) if policy.at(&["Enabled"]) == Some("true") => Check::warning(
            NAME,
            format!("what is redacted or destroyed stays for {} days", policy.at(&["Days"]).unwrap_or("some")),
            "turn it off for blobs, or know that it is so",
        ),
        Some(_) => Check::good(NAME, "off"),
        None => unasked(NAME, &answer),
    }
}

/// The headers of a container that was looked at.
fn looked_at(properties: &Result<Answer, String>) -> Option<&Answer> {
    properties.as_ref().ok().filter(|answer| answer.status() == 200)
}

fn object_lock(properties: &Result<Answer, String>) -> Check {
    const NAME: &str = "object lock";
    let Some(answer) = looked_at(properties) else { return unasked(NAME, properties) };
    let is = |name| answer.header(name).map(|value| value.eq_ignore_ascii_case("true"));
    match (is("x-ms-has-immutability-policy"), is("x-ms-has-legal-hold")) {
        (Some(true), _) | (_, Some(true)) => Check::danger(
            NAME,
            "blobs here cannot be overwritten: headers, keyrings and redactions need that",
            "take the policy or the hold away, or keep the vault in another container",
        ),
        (Some(false), Some(false)) => Check::good(NAME, "off"),
        _ => unasked(NAME, properties),
    }
}

fn public_access(properties: &Result<Answer, String>) -> Check {
    const NAME: &str = "public access";
    let Some(answer) = looked_at(properties) else { return unasked(NAME, properties) };
    match answer.header("x-ms-blob-public-access") {
        Some(_) => Check::danger(NAME, "everybody may read what lies here", "set the container's access to private"),
        None => Check::good(NAME, "none"),
    }
}

fn encryption(properties: &Result<Answer, String>) -> Check {
    const NAME: &str = "encryption";
    let Some(answer) = looked_at(properties) else { return unasked(NAME, properties) };
    match answer.header("x-ms-default-encryption-scope") {
        Some(scope) if scope != "$account-encryption-key" => {
            let scope: String = scope.chars().filter(char::is_ascii_graphic).take(60).collect();
            Check::good(NAME, format!("by the scope {scope}, around what memoseal seals"))
        }
        _ => Check::good(NAME, "the account's, around what memoseal seals"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(headers: &[(&str, &str)]) -> Result<Answer, String> {
        Ok(headers.iter().fold(Answer::of(200, ""), |answer, (name, value)| answer.with_header(name, value)))
    }

    const UNLOCKED: [(&str, &str); 2] = [("x-ms-has-immutability-policy", "false"), ("x-ms-has-legal-hold", "false")];

    #[test]
    fn what_the_headers_say() {
        assert_eq!(object_lock(&properties(&UNLOCKED)).grade, Grade::Good);
        for (name, _) in UNLOCKED {
            assert_eq!(object_lock(&properties(&[(name, "true")])).grade, Grade::Danger);
        }
        assert_eq!(object_lock(&properties(&[])).grade, Grade::NotChecked);
        assert_eq!(public_access(&properties(&[])).grade, Grade::Good);
        assert_eq!(public_access(&properties(&[("x-ms-blob-public-access", "blob")])).grade, Grade::Danger);
        assert!(encryption(&properties(&[("x-ms-default-encryption-scope", "mine")])).found.contains("mine"));
    }

    #[test]
    fn what_is_not_answered_is_not_checked() {
        for answer in [Ok(Answer::of(403, "")), Err("no route".to_owned())] {
            for read in [object_lock, public_access, encryption] {
                assert_eq!(read(&answer).grade, Grade::NotChecked);
            }
            assert_eq!(soft_delete(answer).grade, Grade::NotChecked);
        }
    }

    #[test]
    fn soft_deletion_is_told() {
        let with = |policy: &str| {
            let body = format!("<StorageServiceProperties>{policy}</StorageServiceProperties>");
            soft_delete(Ok(Answer::of(200, body)))
        };
        let on = with("<DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy>");
        assert!(on.grade == Grade::Warning && on.found.contains("7 days"), "{on}");
        assert_eq!(with("<DeleteRetentionPolicy><Enabled>false</Enabled></DeleteRetentionPolicy>").grade, Grade::Good);
        assert_eq!(with("").grade, Grade::NotChecked);
    }

    #[test]
    fn a_container_that_cannot_be_reached_says_why() {
        let error = |status, code: &str| Ok(Answer::of(status, "").with_header("x-ms-error-code", code));
        for (answer, grade, part) in [
            (properties(&[("x-ms-request-id", "1")]), Grade::Good, "answers"),
            (properties(&[]), Grade::Danger, "no Azure storage"),
            (error(404, "ContainerNotFound"), Grade::Danger, "there is no container"),
            (error(403, "AuthorizationPermissionMismatch"), Grade::Good, "does not let these look"),
            (error(403, "AuthenticationFailed"), Grade::Danger, "the clock"),
            (error(503, "ServerBusy"), Grade::Danger, "503 ServerBusy"),
            (Err("no route".to_owned()), Grade::Danger, "no route"),
        ] {
            let check = reached("memory", answer);
            assert!(check.grade == grade && check.to_string().contains(part), "{check}");
        }
    }
}
