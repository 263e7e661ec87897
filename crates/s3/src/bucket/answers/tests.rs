use memoseal_doctor::{Grade, lifecycle::old_versions_expire};

use super::*;
use crate::bucket::rules;

fn ok(body: &str) -> Result<Answer, String> {
    Ok(Answer::of(200, body))
}

fn error(status: u16, code: &str) -> Result<Answer, String> {
    Ok(Answer::of(
        status,
        format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>words</Message></Error>"),
    ))
}

fn is(check: &Check, grade: Grade, part: &str) {
    let line = check.to_string();
    assert!(check.grade == grade && line.contains(part), "{line}");
    assert!(!line.contains(['\n', '\u{1b}']), "{line}");
    assert_eq!(check.todo.is_empty(), grade == Grade::Good, "{line}");
}

#[test]
fn what_is_not_allowed_or_not_known_is_not_checked() {
    type Read = fn(Result<Answer, String>) -> Check;
    let reads: [(Read, &str); 5] = [
        (|answer| versioning(answer, None), "s3:GetBucketVersioning"),
        (object_lock, "s3:GetBucketObjectLockConfiguration"),
        (|answer| public_access(answer, error(403, "AccessDenied")), "s3:GetBucketPublicAccessBlock"),
        (encryption, "s3:GetEncryptionConfiguration"),
        (|answer| rules::read(answer).unwrap_err(), "s3:GetLifecycleConfiguration"),
    ];
    for (read, permission) in reads {
        is(&read(error(403, "AccessDenied")), Grade::NotChecked, permission);
        is(&read(error(501, "NotImplemented")), Grade::NotChecked, "this server does not say (501 NotImplemented)");
        is(&read(ok("<html>sign in</html>")), Grade::NotChecked, "no answer of S3");
        is(&read(ok("")), Grade::NotChecked, "no answer of S3");
        is(&read(Err("no route".into())), Grade::NotChecked, "no route");
    }
}

#[test]
fn who_is_asked_is_who_answers() {
    let reply = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>\
                 <Arn>arn:aws:iam::111122223333:user/ada</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>";
    let with = |answer| identity("credentials", "the profile team", answer);
    is(&with(ok(reply)), Grade::Good, "arn:aws:iam::111122223333:user/ada (the profile team)");
    let refused = |code: &str| {
        let body = format!("<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code></Error></ErrorResponse>");
        with(Ok(Answer::of(403, body)))
    };
    is(&refused("InvalidClientTokenId"), Grade::Danger, "there is no such key");
    is(&refused("SignatureDoesNotMatch"), Grade::Danger, "check AWS_SECRET_ACCESS_KEY");
    is(&refused("ExpiredToken"), Grade::Danger, "sign in again");
    is(&refused("Throttling"), Grade::NotChecked, "Throttling");
    is(&with(Err("no route".into())), Grade::NotChecked, "STS cannot be asked: no route");
    is(&with(ok("<html/>")), Grade::NotChecked, "does not say whose");
}

#[test]
fn a_bucket_that_cannot_be_reached_says_why() {
    let reach = |answer| reached("memory", "eu-west-1", answer);
    is(&reach(ok("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>")), Grade::Good, "in eu-west-1");
    is(&reach(error(404, "NoSuchBucket")), Grade::Danger, "make it, or check its name");
    is(&reach(error(403, "AccessDenied")), Grade::Good, "does not let these list it");
    is(&reach(error(403, "InvalidAccessKeyId")), Grade::Danger, "there is no such key");
    is(&reach(error(403, "RequestTimeTooSkewed")), Grade::Danger, "clock");
    is(&reach(error(301, "PermanentRedirect")), Grade::Danger, "region=");
    is(&reach(error(400, "AuthorizationHeaderMalformed")), Grade::Danger, "not in eu-west-1");
    is(&reach(error(503, "SlowDown")), Grade::Danger, "503 SlowDown");
    is(&reach(ok("<html>sign in here</html>")), Grade::Danger, "is no S3");
    is(&reach(ok("")), Grade::Danger, "is no S3");
    is(&reach(Err("connection refused".into())), Grade::Danger, "HTTPS_PROXY");
}

#[test]
fn versions_and_locks() {
    let state = |status: &str| ok(&format!("<VersioningConfiguration>{status}</VersioningConfiguration>"));
    is(&versioning(state(""), None), Grade::Good, "off");
    is(&versioning(state("<Status>Suspended</Status>"), None), Grade::Warning, "suspended");
    is(&versioning(state("<Status>Enabled</Status>"), None), Grade::Warning, "let a rule delete old versions");
    is(&versioning(state("<Status>Enabled</Status>"), Some("after 7 days".into())), Grade::Good, "after 7 days");

    is(&object_lock(error(404, "ObjectLockConfigurationNotFoundError")), Grade::Good, "off");
    let lock = |rule: &str| {
        let enabled = "<ObjectLockEnabled>Enabled</ObjectLockEnabled>";
        object_lock(ok(&format!("<ObjectLockConfiguration>{enabled}{rule}</ObjectLockConfiguration>")))
    };
    is(&lock(""), Grade::Good, "nothing is locked by default");
    let days = "<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>30</Days></DefaultRetention></Rule>";
    is(&lock(days), Grade::Warning, "locked for 30 days");
    let years = "<Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Years>7</Years></DefaultRetention></Rule>";
    is(&lock(years), Grade::Warning, "locked for 7 years");
}

#[test]
fn a_public_bucket_is_a_danger() {
    let block = |last: &str| {
        ok(&format!(
            "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls>\
             <BlockPublicPolicy>TRUE</BlockPublicPolicy><RestrictPublicBuckets>{last}</RestrictPublicBuckets>\
             </PublicAccessBlockConfiguration>"
        ))
    };
    let public = |is: &str| ok(&format!("<PolicyStatus><IsPublic>{is}</IsPublic></PolicyStatus>"));
    is(&public_access(block("true"), error(404, "NoSuchBucketPolicy")), Grade::Good, "blocked");
    is(&public_access(block("true"), public("true")), Grade::Good, "blocked");
    is(&public_access(block("false"), public("true")), Grade::Danger, "the bucket's policy is public");
    is(&public_access(block("false"), error(404, "NoSuchBucketPolicy")), Grade::Warning, "not blocked altogether");
    let none = || error(404, "NoSuchPublicAccessBlockConfiguration");
    is(&public_access(none(), public("TRUE")), Grade::Danger, "the bucket's policy is public");
    is(&public_access(none(), public("false")), Grade::Warning, "not blocked altogether");
    is(&public_access(error(403, "AccessDenied"), public("true")), Grade::Danger, "the bucket's policy is public");
}

#[test]
fn encryption_by_default() {
    let by = |name: &str| {
        ok(&format!(
            "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>{name}</SSEAlgorithm>\
             </ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>"
        ))
    };
    is(&encryption(by("AES256")), Grade::Good, "AES256 by default");
    is(&encryption(by("aws:kms")), Grade::Good, "aws:kms by default");
    is(&encryption(error(404, "ServerSideEncryptionConfigurationNotFoundError")), Grade::Good, "none by default");
    is(&encryption(by("")), Grade::NotChecked, "does not say");
}

/// One rule, as S3 writes it.
fn rule(status: &str, place: &str, action: &str) -> String {
    format!("<Rule><ID>tidy &amp; clean</ID><Status>{status}</Status>{place}{action}</Rule>")
}

fn checked(all: &[String]) -> Check {
    let body = format!("<LifecycleConfiguration>{}</LifecycleConfiguration>", all.concat());
    rules::read(ok(&body)).map_or_else(|check| check, |rules| lifecycle::check(&rules, &"team".into()))
}

#[test]
fn rules_that_delete_or_archive_memory_are_found_in_every_form() {
    let expires = "<Expiration><Days>30</Days></Expiration>";
    for (place, touches) in [
        ("", true),
        ("<Filter/>", true),
        ("<Filter></Filter>", true),
        ("<Prefix></Prefix>", true),
        ("<Prefix>team/</Prefix>", true),
        ("<Filter><Prefix>team/users/</Prefix></Filter>", true),
        ("<Filter><And><Prefix>te</Prefix><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter>", true),
        ("<Filter><ObjectSizeLessThan>5000</ObjectSizeLessThan></Filter>", true),
        ("<Filter><Prefix>logs/</Prefix></Filter>", false),
        ("<Filter><Tag><Key>temporary</Key><Value>1</Value></Tag></Filter>", false),
        ("<Filter><And><Prefix></Prefix><Tag><Key>a</Key><Value>1</Value></Tag></And></Filter>", false),
    ] {
        let check = checked(&[rule("Enabled", place, expires)]);
        assert_eq!(check.grade == Grade::Danger, touches, "{place}: {check}");
        assert_eq!(checked(&[rule("Disabled", place, expires)]).grade, Grade::Good, "{place}");
    }
    is(&checked(&[rule("Enabled", "", expires)]), Grade::Danger, "`tidy & clean` deletes objects after 30 days");
    let date = "<Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration>";
    is(&checked(&[rule("Enabled", "", date)]), Grade::Danger, "on 2030-01-01");
    for (action, is_danger) in [
        ("<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>", false),
        (
            "<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>",
            false,
        ),
        ("<Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>", false),
        ("<Transition><Days>30</Days><StorageClass>GLACIER_IR</StorageClass></Transition>", false),
        (
            "<Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>\
          <Transition><Days>90</Days><StorageClass>DEEP_ARCHIVE</StorageClass></Transition>",
            true,
        ),
        ("<Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition>", true),
        ("<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>", false),
    ] {
        assert_eq!(checked(&[rule("Enabled", "", action)]).grade == Grade::Danger, is_danger, "{action}");
    }
    is(
        &rules::read(error(404, "NoSuchLifecycleConfiguration"))
            .map(|rules| lifecycle::check(&rules, &"a".into()))
            .unwrap(),
        Grade::Good,
        "no rules",
    );
}

#[test]
fn the_expiry_of_old_versions_is_found() {
    let old = "<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>";
    let body = format!("<LifecycleConfiguration>{}</LifecycleConfiguration>", rule("Enabled", "", old));
    let rules = rules::read(ok(&body)).unwrap();
    assert_eq!(old_versions_expire(&rules, &"team".into()).as_deref(), Some("after 7 days"));
}
