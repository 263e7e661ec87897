//! What the answers of S3 and STS mean.

use memoseal_bucket::Answer;
use memoseal_doctor::{
    Check,
    lifecycle::{self, Versioning},
};

use super::REGION;

/// A question that was not answered: why, and what it would need.
pub(super) fn unasked(name: &'static str, permission: &str, answer: Result<Answer, String>) -> Check {
    match answer {
        Err(problem) => Check::not_checked(name, problem, "mend that, and try again"),
        Ok(answer) if answer.status() == 403 => {
            Check::not_checked(name, "these credentials may not ask", format!("allow {permission}"))
        }
        Ok(answer) => {
            let code = answer.code().unwrap_or_else(|| "no answer of S3".to_owned());
            Check::not_checked(
                name,
                format!("this server does not say ({} {code})", answer.status()),
                "look it up in the server's own console",
            )
        }
    }
}

pub(super) fn identity(name: &'static str, who: &str, answer: Result<Answer, String>) -> Check {
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            let found = format!("{who}; STS cannot be asked: {problem}");
            return Check::not_checked(name, found, "let this machine reach STS");
        }
    };
    let result = answer.xml().and_then(|root| root.child("GetCallerIdentityResult").cloned());
    match result.as_ref().and_then(|result| result.at(&["Arn"])) {
        Some(arn) if answer.status() == 200 => {
            let arn: String = arn.chars().filter(|c| !c.is_control()).take(200).collect();
            Check::good(name, format!("{arn} ({who})"))
        }
        _ => {
            let code = answer.code().unwrap_or_else(|| answer.status().to_string());
            match refusal(&code) {
                Some(todo) => Check::danger(name, format!("{who}: STS refuses them: {code}"), todo),
                None => Check::not_checked(name, format!("{who}; STS does not say whose: {code}"), "try again"),
            }
        }
    }
}

/// What to do about credentials that a service does not take; nothing for errors that say nothing about them.
fn refusal(code: &str) -> Option<&'static str> {
    Some(match code {
        "InvalidAccessKeyId" | "InvalidClientTokenId" | "UnrecognizedClientException" => {
            "there is no such key: check AWS_ACCESS_KEY_ID, or the profile"
        }
        "SignatureDoesNotMatch" => "check AWS_SECRET_ACCESS_KEY, or the profile",
        "ExpiredToken" | "ExpiredTokenException" | "InvalidToken" | "TokenRefreshRequired" => {
            "get new ones: sign in again, or take AWS_SESSION_TOKEN anew"
        }
        "RequestTimeTooSkewed" | "RequestExpired" => "set this machine's clock by the network",
        _ => return None,
    })
}

/// Whether the bucket answers, and from where it was asked.
pub(super) fn reached(bucket: &str, region: &str, answer: Result<Answer, String>) -> Check {
    const NAME: &str = "reachable";
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            let todo = "check the endpoint, the network and a proxy (HTTPS_PROXY)";
            return Check::danger(NAME, format!("no answer: {problem}"), todo);
        }
    };
    if let Some(there) = answer.header(REGION).filter(|there| *there != region) {
        let there: String = there.chars().filter(char::is_ascii_graphic).take(40).collect();
        return Check::danger(
            NAME,
            format!("the bucket is in {there}, and {region} was asked"),
            format!("add region={there} to the URL"),
        );
    }
    let code = answer.code().unwrap_or_default();
    match (answer.status(), code.as_str()) {
        (200, _) if answer.xml().is_some_and(|root| root.name() == "ListBucketResult") => {
            Check::good(NAME, format!("the bucket {bucket} answers, in {region}"))
        }
        (_, "NoSuchBucket") => {
            Check::danger(NAME, format!("there is no bucket {bucket}"), "make it, or check its name and the endpoint")
        }
        (403, "AccessDenied") => {
            Check::good(NAME, format!("the bucket {bucket} answers, and does not let these list it"))
        }
        (_, "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException") => {
            let found = format!("the bucket is not in {region}");
            Check::danger(NAME, found, "add its region to the URL: region=…")
        }
        (status, "") => Check::danger(
            NAME,
            format!("what answers is no S3 ({status}, {})", answer.header("content-type").unwrap_or("of no type")),
            "check the endpoint, and whether a proxy stands in between",
        ),
        (status, code) => match refusal(code) {
            Some(todo) => Check::danger(NAME, format!("these credentials are refused: {code}"), todo),
            None => Check::danger(
                NAME,
                format!("the bucket answers {status} {code}"),
                "see the documentation of the server",
            ),
        },
    }
}

pub(super) fn versioning(answer: Result<Answer, String>, old_expire: Option<String>) -> Check {
    match &answer {
        Ok(found) if found.status() == 200 => match found.xml() {
            Some(root) if root.name() == "VersioningConfiguration" => {
                let state = match root.at(&["Status"]) {
                    Some("Enabled") => Versioning::On,
                    Some(_) => Versioning::Suspended,
                    None => Versioning::Never,
                };
                lifecycle::versioning(state, old_expire)
            }
            _ => unasked("versioning", "s3:GetBucketVersioning", answer),
        },
        _ => unasked("versioning", "s3:GetBucketVersioning", answer),
    }
}

pub(super) fn object_lock(answer: Result<Answer, String>) -> Check {
    const NAME: &str = "object lock";
    let Ok(found) = &answer else { return unasked(NAME, "s3:GetBucketObjectLockConfiguration", answer) };
    if found.code().as_deref() == Some("ObjectLockConfigurationNotFoundError") {
        return Check::good(NAME, "off");
    }
    let root = found.xml().filter(|root| found.status() == 200 && root.name() == "ObjectLockConfiguration");
    let Some(root) = root else { return unasked(NAME, "s3:GetBucketObjectLockConfiguration", answer) };
    if root.at(&["ObjectLockEnabled"]) != Some("Enabled") {
        return Check::good(NAME, "off");
    }
    let rule = root.child("Rule").and_then(|rule| rule.child("DefaultRetention"));
    let time = rule.and_then(|rule| {
        let days = rule.at(&["Days"]).map(|days| format!("{days} days"));
        days.or_else(|| rule.at(&["Years"]).map(|years| format!("{years} years")))
    });
    match time {
        None => Check::good(NAME, "on, and nothing is locked by default"),
        Some(time) => Check::warning(
            NAME,
            format!("on: every version is locked for {time}, and what is redacted or destroyed stays so long"),
            "take the default retention away, or know that it is so",
        ),
    }
}

pub(super) fn public_access(block: Result<Answer, String>, policy: Result<Answer, String>) -> Check {
    const NAME: &str = "public access";
    let is_public = policy.as_ref().ok().and_then(|policy| {
        let none = policy.code().as_deref() == Some("NoSuchBucketPolicy");
        let root = policy.xml().filter(|root| policy.status() == 200 && root.name() == "PolicyStatus");
        root.map(|root| root.at(&["IsPublic"]).is_some_and(|is| is.eq_ignore_ascii_case("true")))
            .or(none.then_some(false))
    });
    let blocks = block.as_ref().ok().and_then(|block| {
        let none = block.code().as_deref() == Some("NoSuchPublicAccessBlockConfiguration");
        let root = block.xml().filter(|root| block.status() == 200 && root.name() == "PublicAccessBlockConfiguration");
        let all = ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"];
        let is =
            |root: &memoseal_bucket::Element, name| root.at(&[name]).is_some_and(|is| is.eq_ignore_ascii_case("true"));
        root.map(|root| all.iter().all(|name| is(&root, name))).or(none.then_some(false))
    });
    match (blocks, is_public) {
        (Some(true), _) => Check::good(NAME, "blocked"),
        (_, Some(true)) => Check::danger(
            NAME,
            "the bucket's policy is public: what it grants, it grants to everybody",
            "block public access (`aws s3api put-public-access-block`)",
        ),
        (Some(false), _) => Check::warning(
            NAME,
            "not blocked altogether: an ACL or a policy could open the bucket",
            "block public access (`aws s3api put-public-access-block`)",
        ),
        (None, _) => unasked(NAME, "s3:GetBucketPublicAccessBlock", block),
    }
}

pub(super) fn encryption(answer: Result<Answer, String>) -> Check {
    const NAME: &str = "encryption";
    let Ok(found) = &answer else { return unasked(NAME, "s3:GetEncryptionConfiguration", answer) };
    if found.code().as_deref() == Some("ServerSideEncryptionConfigurationNotFoundError") {
        return Check::good(NAME, "none by default; what memoseal writes is sealed");
    }
    let root = found.xml().filter(|root| found.status() == 200 && root.name() == "ServerSideEncryptionConfiguration");
    let algorithm = root.as_ref().and_then(|root| {
        root.at(&["Rule", "ApplyServerSideEncryptionByDefault", "SSEAlgorithm"]).filter(|name| !name.is_empty())
    });
    match algorithm {
        Some(name) => {
            let name: String = name.chars().filter(char::is_ascii_graphic).take(40).collect();
            Check::good(NAME, format!("{name} by default, around what memoseal seals"))
        }
        None => unasked(NAME, "s3:GetEncryptionConfiguration", answer),
    }
}

#[cfg(test)]
mod tests;
