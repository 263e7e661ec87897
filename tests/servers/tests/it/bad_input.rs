//! What is wrong with a bucket, credentials or network is one error with its cause and what to do; nothing is written by
//! halves, and nobody waits longer than the limits that are documented.

use std::time::Duration;

use memoseal_servers::{Ended, Program, Server};
use memoseal_testproxy::{Fault, Op, Request};

use crate::support::*;

/// The patience of the engine, and some time for a slow machine: nothing here takes longer.
const LIMIT: Duration = Duration::from_secs(60);

const DENIED: &str = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
const EXPIRED: &str = "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>";
const SKEWED: &str = "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the request time and the \
                      current time is too large.</Message></Error>";
const REDIRECT: &str = "<Error><Code>PermanentRedirect</Code><Message>The bucket you are attempting to access must be \
                        addressed using the specified endpoint.</Message></Error>";

/// It failed with this code, in time, with one line that has these parts.
fn failed(ended: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(ended.code, code, "{ended:?}");
    assert!(ended.stdout.is_empty() && ended.stderr.lines().count() == 1, "{ended:?}");
    for part in parts {
        assert!(ended.stderr.contains(part), "{part:?} is not in {ended:?}");
    }
    assert!(ended.time < LIMIT, "{ended:?}");
}

/// A vault with one file, and a rule from now on.
async fn lived_in(rule: impl FnMut(&Request) -> Option<Fault> + Send + 'static) -> Option<Scene> {
    let scene = Scene::on("LocalStack").await?;
    scene.program.run_with(&["put", "a.md", "-"], b"first\n").await.unwrap().ok();
    scene.proxy.set_rule(rule);
    Some(scene)
}

/// Once the storage is well again, the one file is there as it was, and nothing else.
async fn is_untouched(scene: &Scene) {
    scene.proxy.clear_rule();
    let files = scene.files("default").await;
    assert_eq!(
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>(),
        [("a.md", "first\n")]
    );
    scene.verify().await;
}

fn is_write(request: &Request) -> bool {
    matches!(request.op, Op::Create | Op::Put | Op::Delete)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_not_there() {
    let Some(server) = Server::named("LocalStack") else { return };
    let proxy = server.proxy().await.unwrap();
    let place = server.place(&proxy).replace("s3://memoseal/", "s3://no-such-bucket/");
    let Some(program) = Program::at(&server, &proxy, place).unwrap() else { return };
    failed(&program.init().await.unwrap(), 5, &["making a vault: ", "there is no such bucket", "create it"]);
    failed(
        &program.run(&["ls", "--key-file", "/nonexistent"]).await.unwrap(),
        3,
        &["cannot read the key file /nonexistent"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_in_another_region() {
    let Some(scene) = lived_in(|_| Some(Fault::Status(301, REDIRECT))).await else { return };
    failed(&scene.program.run(&["ls"]).await.unwrap(), 5, &["listing /memories: ", "region"]);
    failed(&scene.program.run_with(&["put", "b.md", "-"], b"x").await.unwrap(), 5, &["writing b.md: ", "region"]);
    is_untouched(&scene).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_expire_in_the_middle() {
    for status in [400, 403] {
        let Some(scene) = lived_in(|_| None).await else { return };
        let mut tool = scene.program.tool("default").unwrap();
        tool.call(view("a.md")).await.unwrap().unwrap();
        scene.proxy.set_rule(move |_| Some(Fault::Status(status, EXPIRED)));
        let start = std::time::Instant::now();
        let answer = tool.call(create("b.md", "second")).await.unwrap();
        assert_eq!(said(&answer), Said::NotDone, "{status}: {answer:?}");
        // Nobody is asked again and again with credentials that were refused.
        assert!(start.elapsed() < LIMIT, "{status}: {:?}", start.elapsed());
        let sent = scene.proxy.book().trace().iter().filter(|span| span.status == Some(status)).count();
        assert!(sent <= 3, "{status}: {sent} requests were refused one after the other");
        tool.end().await.unwrap();
        let ended = scene.program.run_with(&["put", "b.md", "-"], b"x").await.unwrap();
        failed(&ended, 3, &["writing b.md: ", "ExpiredToken", "renew or check the credentials"]);
        is_untouched(&scene).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_may_only_read() {
    let Some(scene) = lived_in(|request| is_write(request).then_some(Fault::Status(403, DENIED))).await else { return };
    assert_eq!(scene.program.run(&["cat", "a.md"]).await.unwrap().ok(), "first\n");
    let ended = scene.program.run_with(&["put", "b.md", "-"], b"x").await.unwrap();
    failed(&ended, 5, &["writing b.md: ", "AccessDenied", "check what these credentials may do"]);
    is_untouched(&scene).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_may_not_list() {
    let Some(scene) = lived_in(|request| (request.op == Op::List).then_some(Fault::Status(403, DENIED))).await else {
        return;
    };
    let ended = scene.program.run(&["ls"]).await.unwrap();
    failed(&ended, 5, &["listing /memories: ", "AccessDenied", "check what these credentials may do"]);
    is_untouched(&scene).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_answers_everything_with_html() {
    let Some(scene) = lived_in(|_| Some(Fault::Html)).await else { return };
    let ended = scene.program.run(&["ls"]).await.unwrap();
    failed(&ended, 5, &["listing /memories: ", "page of HTML", "check that the storage can be reached"]);
    is_untouched(&scene).await;
}

/// 403 to a clock that is wrong says more than that something is denied.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong() {
    let Some(scene) = lived_in(|_| Some(Fault::Status(403, SKEWED))).await else { return };
    failed(&scene.program.run(&["ls"]).await.unwrap(), 5, &["listing /memories: ", "set the clock of this machine"]);
    is_untouched(&scene).await;
}

/// One that comes in between when the vault is open already.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_begins_to_answer_with_html() {
    let Some(scene) = lived_in(|_| None).await else { return };
    let mut tool = scene.program.tool("default").unwrap();
    tool.call(view("a.md")).await.unwrap().unwrap();
    scene.proxy.set_rule(|_| Some(Fault::Html));
    let start = std::time::Instant::now();
    let answer = tool.call(create("b.md", "second")).await.unwrap();
    assert!(answer.is_err() && start.elapsed() < LIMIT, "{answer:?} after {:?}", start.elapsed());
    tool.end().await.unwrap();
    is_untouched(&scene).await;
}
