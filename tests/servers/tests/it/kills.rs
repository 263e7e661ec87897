//! Ceph's OSD and gateway are killed in the middle of writes. `cargo xtask test` has stopped both by now: here they are
//! started again and again.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use memoseal_servers::{Server, variable_of};

use crate::support::*;

/// How often both are killed.
const KILLS: usize = 3;
/// How many changes have to be answered between two kills.
const BETWEEN: usize = 20;

/// The two processes that hold what was written; killed when they are let go.
struct Ceph {
    configuration: PathBuf,
    port: u16,
    running: Vec<Child>,
}

impl Ceph {
    fn start(configuration: PathBuf, url: &str) -> Self {
        let port = url.rsplit(':').next().unwrap().parse().unwrap();
        let mut ceph = Self { configuration, port, running: Vec::new() };
        ceph.start_both();
        ceph
    }

    fn start_both(&mut self) {
        for (program, id) in [("ceph-osd", ["-i", "0"]), ("radosgw", ["-n", "client.rgw"])] {
            let mut command = Command::new(program);
            command.arg("--conf").arg(&self.configuration).arg("-f").args(id);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            self.running.push(command.spawn().unwrap());
        }
        let start = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(120), "the gateway does not come back");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// SIGKILL to both, by their ids.
    fn kill(&mut self) {
        for mut process in self.running.drain(..) {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

impl Drop for Ceph {
    fn drop(&mut self) {
        self.kill();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_the_death_of_osd_and_gateway() {
    let (Some(configuration), Some(server)) = (variable_of("MEMOSEAL_TEST_CEPH_CONF"), Server::named("Ceph")) else {
        return;
    };
    let mut ceph = Ceph::start(configuration.into(), &server.url);
    let Some(scene) = Scene::on("Ceph").await else { return };
    let scene = Arc::new(scene);
    let mut tool = scene.program.tool("alice").unwrap();
    tool.call(create("log.md", "")).await.unwrap().unwrap();

    let done = Arc::new(AtomicUsize::new(0));
    let enough = KILLS * BETWEEN + BETWEEN;
    let writing = tokio::spawn({
        let done = Arc::clone(&done);
        async move {
            let mut answers = Vec::new();
            while done.load(Ordering::SeqCst) < enough {
                let line = format!("line-{}", answers.len());
                let said = said(&tool.call(insert("log.md", &line)).await.unwrap());
                if said == Said::Done {
                    done.fetch_add(1, Ordering::SeqCst);
                }
                answers.push((line, said));
            }
            tool.end().await.unwrap();
            answers
        }
    });
    for kill in 1..=KILLS {
        while done.load(Ordering::SeqCst) < kill * BETWEEN {
            assert!(!writing.is_finished(), "the writer has stopped");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        ceph.kill();
        tokio::task::block_in_place(|| ceph.start_both());
    }
    let answers = writing.await.unwrap();

    let files = scene.files("alice").await;
    for (line, said) in &answers {
        let times = files["log.md"].lines().filter(|found| found == line).count();
        match said {
            Said::Done => assert_eq!(times, 1, "{line} was acknowledged"),
            Said::Unknown => assert!(times <= 1, "{line} stands there twice"),
            Said::NotDone => assert_eq!(times, 0, "{line} was refused"),
        }
    }
    scene.verify().await;
}
