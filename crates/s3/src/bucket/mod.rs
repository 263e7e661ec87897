//! What is set for a bucket: questions that `object_store` does not ask, each one signed request.

mod answers;
mod rules;

use async_trait::async_trait;
use memoseal_bucket::{Answer, Error};
use memoseal_doctor::{Check, Grade, Permissions, Provider, lifecycle};
use object_store::{
    CredentialProvider,
    aws::AwsAuthorizer,
    client::{HttpClient, HttpConnector, HttpRequest, HttpRequestBody},
};

use crate::place::{Place, refused};

/// The region for which requests to a bucket are to be signed.
const REGION: &str = "x-amz-bucket-region";

/// A bucket, for who looks whether it can hold a vault.
pub struct Bucket {
    place: Place,
    client: HttpClient,
    /// Where STS is asked, if that is known.
    sts: Option<String>,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bucket").field("location", &self.place.location).finish_non_exhaustive()
    }
}

impl Bucket {
    pub(crate) fn new(place: Place, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let options = place.settings.client_options();
        let client = place.settings.connector().connect(&options).map_err(refused(place.location.bucket()))?;
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let amazons = || place.endpoint.is_none().then(|| format!("https://sts.{}.amazonaws.com", place.region));
        let sts = set("AWS_ENDPOINT_URL_STS").or_else(|| set("AWS_ENDPOINT_URL")).or_else(amazons);
        Ok(Self { place, client, sts })
    }

    /// The answer to a question about the bucket, such as `versioning`.
    async fn ask(&self, query: &str) -> Result<Answer, String> {
        let uri = format!("{}/?{query}", self.place.bucket_url());
        // With the bucket in the path the slash would name an object that is called nothing.
        let uri = if self.place.path_style { uri.replacen("/?", "?", 1) } else { uri };
        self.send("s3", "GET", &uri, String::new()).await
    }

    async fn send(&self, service: &str, method: &str, uri: &str, body: String) -> Result<Answer, String> {
        let credential = self.place.credentials.get_credential().await.map_err(|error| error.to_string())?;
        let mut request = HttpRequest::new(HttpRequestBody::from(body));
        *request.method_mut() = method.parse().map_err(|_| "no such method".to_owned())?;
        *request.uri_mut() = uri.parse().map_err(|_| "no URL comes of it".to_owned())?;
        if method == "POST" {
            let form = "application/x-www-form-urlencoded".parse().map_err(|_| "no such type".to_owned())?;
            request.headers_mut().insert("content-type", form);
        }
        let signer = AwsAuthorizer::new(&credential, service, &self.place.region);
        signer.try_authorize(&mut request, None).map_err(|error| error.to_string())?;
        Answer::to(&self.client, request).await
    }

    fn tls(&self) -> Check {
        const NAME: &str = "TLS";
        if self.place.bucket_url().starts_with("https:") {
            return Check::good(NAME, "yes, and its certificate is checked");
        }
        Check::warning(
            NAME,
            "none: names, sizes and the times of requests travel in the clear, and could be changed on their way",
            "use https:, unless the server is on this machine",
        )
    }

    /// Whose credentials these are, as STS says.
    async fn identity(&self) -> Check {
        const NAME: &str = "credentials";
        let who = &self.place.who;
        if let Err(error) = self.place.credentials.get_credential().await {
            return Check::danger(NAME, memoseal_bucket::chain(&error), "see there");
        }
        let Some(sts) = &self.sts else {
            let todo = "set AWS_ENDPOINT_URL_STS, if this server has an STS";
            return Check::not_checked(NAME, format!("{who}; whose it is, is not known"), todo);
        };
        let form = "Action=GetCallerIdentity&Version=2011-06-15".to_owned();
        let answer = self.send("sts", "POST", &format!("{}/", sts.trim_end_matches('/')), form).await;
        answers::identity(NAME, who, answer)
    }

    async fn rules(&self) -> Result<Vec<lifecycle::Rule>, Check> {
        rules::read(self.ask("lifecycle").await)
    }
}

#[async_trait]
impl Provider for Bucket {
    fn permissions(&self) -> Permissions {
        Permissions::new("s3:PutObject", "s3:GetObject", "s3:ListBucket", "s3:DeleteObject")
    }

    async fn reach(&self) -> Vec<Check> {
        let credentials = self.identity().await;
        if credentials.grade == Grade::Danger {
            return vec![self.tls(), credentials];
        }
        let answer = self.ask("list-type=2&max-keys=1").await;
        vec![self.tls(), credentials, answers::reached(self.place.location.bucket(), &self.place.region, answer)]
    }

    async fn settings(&self) -> Vec<Check> {
        let prefix = self.place.location.prefix();
        let rules = self.rules().await;
        let old = rules.as_ref().ok().and_then(|rules| lifecycle::old_versions_expire(rules, prefix));
        vec![
            answers::versioning(self.ask("versioning").await, old),
            rules.map_or_else(|unasked| unasked, |rules| lifecycle::check(&rules, prefix)),
            answers::object_lock(self.ask("object-lock").await),
            answers::public_access(self.ask("publicAccessBlock").await, self.ask("policyStatus").await),
            answers::encryption(self.ask("encryption").await),
        ]
    }
}
