//! Ceph with its S3 gateway: one monitor, one OSD that writes to disk, one gateway; without keys among them, on the
//! loopback address only.

use std::{fs, path::Path};

use anyhow::Context;

use super::{
    BUCKET, Ready, install,
    server::{Server, free_port},
};
use crate::{
    place::Place,
    python,
    tool::{Tool, end_of},
};

const PROGRAMS: [&str; 6] = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];
const PACKAGES: [&str; 4] = ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"];
/// The keys of the user that is made in it.
const KEYS: [&str; 2] = ["test", "testtest"];

pub(super) fn start(place: &Place) -> anyhow::Result<Ready> {
    install::debian(place, &PROGRAMS, &PACKAGES)?;
    let folder = place.scratch().join("ceph");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    for name in ["mon", "osd", "gateway"] {
        fs::create_dir_all(folder.join(name)).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let (id, mon_port, port) = (uuid()?, free_port()?, free_port()?);
    let file = folder.join("ceph.conf");
    fs::write(&file, configuration(&folder, mon_port, port, &id))
        .with_context(|| format!("cannot write {}", file.display()))?;
    let tool = |program| Tool::new(place, program).arg("--conf").arg(&file);
    let daemon = |program, id: [&str; 2]| {
        Tool::server(place, program).arg("--conf").arg(&file).args(["-f", "--log-to-stderr=true"]).args(id)
    };

    // Without a map it would take the default ports.
    let map = folder.join("monmap");
    Tool::new(place, "monmaptool")
        .args(["--create", "--addv", "a", &format!("[v1:127.0.0.1:{mon_port}]"), "--fsid", &id])
        .arg(&map)
        .run()?;
    tool("ceph-mon").args(["--mkfs", "-i", "a", "--monmap"]).arg(&map).run()?;
    let mut mon = Server::start(place, "ceph-mon", mon_port, daemon("ceph-mon", ["-i", "a"]))?;
    mon.wait_for_port()?;
    let osd_id = uuid()?;
    tool("ceph").args(["osd", "create"]).arg(&osd_id).run()?;
    let mkfs = place.scratch().join("ceph-osd-mkfs.log");
    tool("ceph-osd")
        .args(["-i", "0", "--mkfs", "--osd-uuid"])
        .arg(&osd_id)
        .run_into(&mkfs)
        .with_context(|| end_of(&mkfs))?;
    tool("ceph").args(["osd", "crush", "add", "osd.0", "1.0", "root=default"]).run()?;
    let osd = Server::start(place, "ceph-osd", 0, daemon("ceph-osd", ["-i", "0"]))?;
    let mut gateway = Server::start(place, "radosgw", port, daemon("radosgw", ["-n", "client.rgw"]))?;
    gateway.wait("/", "HTTP/1.1 200")?;

    let user = ["user", "create", "--uid", "test", "--display-name", "test", "--access-key", KEYS[0]];
    let made = place.scratch().join("ceph-user.log");
    tool("radosgw-admin").args(user).args(["--secret-key", KEYS[1]]).run_into(&made).with_context(|| end_of(&made))?;
    let url = gateway.url();
    let [key, secret] = KEYS;
    Tool::new(place, python::find()?).args(["localstack/make_bucket.py", &url, BUCKET, key, secret]).run()?;
    Ok(Ready {
        suite: "memoseal-s3",
        environment: vec![
            ("AWS_ACCESS_KEY_ID", key.into()),
            ("AWS_SECRET_ACCESS_KEY", secret.into()),
            ("MEMOSEAL_TEST_S3_URL", format!("s3://{BUCKET}/suite?endpoint={url}&allow_http=true")),
        ],
        address: ("MEMOSEAL_TEST_CEPH", url),
        more: vec![("MEMOSEAL_TEST_CEPH_CONF", file.display().to_string())],
        // The last that is started is the first that is ended.
        servers: vec![gateway, osd, mon],
    })
}

fn uuid() -> anyhow::Result<String> {
    let file = Path::new("/proc/sys/kernel/random/uuid");
    Ok(fs::read_to_string(file).context("Ceph runs on Linux only")?.trim().to_owned())
}

fn configuration(folder: &Path, mon_port: u16, port: u16, id: &str) -> String {
    let folder = folder.display();
    format!(
        "\
[global]
fsid = {id}
mon initial members = a
mon host = v1:127.0.0.1:{mon_port}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
mon data = {folder}/mon
osd data = {folder}/osd
rgw data = {folder}/gateway
log file = {folder}/$name.log
admin socket =
run dir = {folder}
# A monitor does not start, or ends, where the disk has 5 % or less left, however many gigabytes those are.
mon data avail warn = -1
mon data avail crit = -1
# One copy on one disk, and few groups of objects.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
osd crush chooseleaf type = 0
osd crush update on start = false
osd class update on start = false
osd objectstore = bluestore
bluestore block size = 8589934592
osd memory target = 939524096
[client.rgw]
# Without tcp_nodelay an answer waits 40 ms for a packet that does not come.
rgw frontends = beast endpoint=127.0.0.1:{port} tcp_nodelay=1
rgw dns name = localhost
rgw enable usage log = false
rgw enable ops log = false
rgw enable gc threads = false
rgw enable quota threads = false
rgw thread pool size = 64
"
    )
}
