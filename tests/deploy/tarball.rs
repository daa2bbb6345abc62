//! The tarball: unpacked into an empty directory, its one program is the whole server.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use spindle_tests::server::{binary, repository};
use spindle_tests::{Client, Queue};

use crate::{Running, package, read, run, version};

/// Unpacks it and returns the one folder in it.
fn unpacked(into: &Path) -> Option<PathBuf> {
    let path = package(".tar.gz")?;
    let name = path
        .file_name()?
        .to_str()?
        .trim_end_matches(".tar.gz")
        .to_owned();
    assert_eq!(
        name,
        format!("spindle-{}-{}-linux", version(), std::env::consts::ARCH)
    );
    let file = std::fs::File::open(&path).expect("the tarball");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut times = Vec::new();
    let mut names = Vec::new();
    for entry in archive.entries().expect("a tar archive") {
        let mut entry = entry.expect("an entry");
        let header = entry.header();
        assert_eq!((header.uid().ok(), header.gid().ok()), (Some(0), Some(0)));
        times.push(header.mtime().expect("a time"));
        names.push(entry.path().expect("a name").into_owned());
        assert!(entry.unpack_in(into).expect("unpacked"));
    }
    // The same sources give the same file: one timestamp, and a fixed order.
    times.dedup();
    assert_eq!(times.len(), 1, "{times:?}");
    assert!(names.is_sorted(), "{names:?}");
    assert!(names.iter().all(|entry| entry.starts_with(&name)));
    Some(into.join(name))
}

#[test]
fn the_tarball_contains_the_files_of_a_deployment() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(folder) = unpacked(folder.path()) else {
        return;
    };
    for name in [
        "spindle",
        "spindle.example.toml",
        "README.md",
        "LICENSE",
        "docs/OPERATIONS.md",
        "docs/UPGRADING.md",
        "deploy/systemd/spindle.service",
        "deploy/systemd/spindle-backup.service",
        "deploy/systemd/spindle-backup.timer",
        "deploy/nginx/spindle.conf",
        "deploy/caddy/Caddyfile",
        "deploy/spinkube/spindle.yaml",
        "deploy/container/Containerfile",
        "deploy/compose/compose.yaml",
        "deploy/compose/spindle.example.env",
        "apps/poll.wasm",
        "apps/poll.md",
    ] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    let program = folder.join("spindle");
    let said = run(Command::new(&program).arg("--version"));
    assert_eq!(said.trim(), format!("spindle {}", version()));
    // It is stripped: cargo's build contains the names of functions.
    let symbols = run(Command::new("nm").arg(&program));
    assert!(symbols.contains("no symbols"), "{symbols}");
    let symbols = run(Command::new("nm").arg(binary()));
    assert!(symbols.contains("main"), "{symbols}");
    let example = run(Command::new(&program).args(["config", "example"]));
    assert_eq!(example, read(&folder.join("spindle.example.toml")));
}

/// The program contains the built components, with a manifest next to them that Spin can read.
#[test]
fn the_program_contains_the_built_components() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(unpacked) = unpacked(folder.path()) else {
        return;
    };
    let program = unpacked.join("spindle");
    let application = folder.path().join("application");
    run(Command::new(&program)
        .args(["components", "extract"])
        .arg(&application));
    let manifest = |path: &Path| -> toml::Table { read(path).parse().expect("TOML") };
    let shipped = manifest(&application.join("spin.toml"));
    let built = manifest(&repository().join("spin.toml"));
    assert_eq!(shipped["trigger"], built["trigger"]);
    assert_eq!(shipped["variables"], built["variables"]);
    let components = |manifest: &toml::Table| manifest["component"].as_table().expect("it").clone();
    let mut listed = vec![
        "runtime-config.example.toml".to_owned(),
        "spin.toml".to_owned(),
    ];
    for (name, mut component) in components(&built) {
        let mut packed = components(&shipped)[&name].clone();
        let source = |table: &toml::Value| table["source"].as_str().expect("source").to_owned();
        let (from, to) = (source(&component), source(&packed));
        let here = std::fs::read(application.join(&to)).expect("a component");
        let there = std::fs::read(repository().join(&from)).expect("a component");
        assert!(
            here == there,
            "{to} is not what was built: run cargo xtask package again"
        );
        listed.push(to);
        // The rest is equal, apart from the build commands.
        for table in [&mut component, &mut packed] {
            let table = table.as_table_mut().expect("a table");
            table.remove("source");
            table.remove("build");
        }
        assert_eq!(packed, component, "{name}");
    }
    listed.sort();
    let said = run(Command::new(&program).args(["components", "list"]));
    assert_eq!(said.lines().collect::<Vec<_>>(), listed);
    // The second time the folder is not empty, and nothing is overwritten.
    let again = Command::new(&program)
        .args(["components", "extract"])
        .arg(&application)
        .output()
        .expect("it runs");
    assert!(!again.status.success());
}

/// Each app of the repository, as it was built.
#[test]
fn the_tarball_contains_the_apps() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(folder) = unpacked(folder.path()) else {
        return;
    };
    let mut apps = Vec::new();
    for entry in std::fs::read_dir(repository().join("apps")).expect("apps") {
        let path = entry.expect("an entry").path();
        if path.join("Cargo.toml").is_file() {
            let name = path.file_name().expect("a name");
            apps.push(name.to_str().expect("UTF-8").to_owned());
        }
    }
    assert!(apps.contains(&"poll".to_owned()), "{apps:?}");
    for name in apps {
        let built = format!(
            "target/wasm32-wasip2/component/app_{}.wasm",
            name.replace('-', "_")
        );
        let here = std::fs::read(folder.join("apps").join(format!("{name}.wasm")));
        let there = std::fs::read(repository().join(built)).expect("a component");
        assert!(
            here.expect("an app") == there,
            "{name} is not what was built: run cargo xtask package again"
        );
        let text = read(&folder.join("apps").join(format!("{name}.md")));
        for link in text.split("](../").skip(1) {
            let target = link.split([')', '#']).next().expect("a part");
            assert!(folder.join(target).exists(), "{name}: {target}");
        }
    }
    // The program finds them by name, and says which there are.
    let output = Command::new(folder.join("spindle"))
        .args(["app", "install", "nothing"])
        .current_dir(&folder)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("poll"), "{said}");
}

/// In an empty directory, with an empty environment: it serves, notifies the service manager,
/// survives a reload, and stops on request.
#[test]
fn the_program_alone_is_the_whole_server() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(unpacked) = unpacked(folder.path()) else {
        return;
    };
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("folder");
    let notify = folder.path().join("notify");
    let manager = UnixDatagram::bind(&notify).expect("socket");
    let limit = Some(Duration::from_secs(120));
    manager.set_read_timeout(limit).expect("timeout");
    let child = Command::new(unpacked.join("spindle"))
        .args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "none"])
        .current_dir(&empty)
        .env_clear()
        .env("NOTIFY_SOCKET", &notify)
        .env("WATCHDOG_USEC", "200000")
        // Compiled once for all tests; without it the program compiles for itself.
        .env(
            "SPINDLE_CODE_CACHE",
            spindle_tests::code_cache::code_cache(),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut running = Running(child);
    let base = address(&mut running.0);
    assert_eq!(state(&manager), "READY=1");

    let zuliprc = read(&empty.join("data/owner.zuliprc"));
    let value = |name: &str| {
        let line = zuliprc.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a value").to_owned()
    };
    let owner = Client::new(&base, Some((&value("email="), &value("key="))));
    let mut queue = Queue::of(&owner, &["message"]);
    let to_itself = owner.get("/users/me", &[]).ok()["user_id"].clone();
    let to = format!("[{to_itself}]");
    let message = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "from one file"),
    ];
    owner.post("/messages", &message).ok();
    queue.expect(|event| event["message"]["content"] == "from one file");
    let files: Vec<_> = std::fs::read_dir(&empty)
        .expect("folder")
        .flatten()
        .collect();
    assert_eq!(
        files.len(),
        1,
        "it writes nothing beside its data: {files:?}"
    );

    assert_eq!(state(&manager), "WATCHDOG=1");
    signal(&running.0, "HUP");
    owner.get("/users/me", &[]).ok();
    signal(&running.0, "TERM");
    while state(&manager) != "STOPPING=1" {}
    let status = running.0.wait().expect("it ends");
    assert!(status.success(), "{status}");
}

fn signal(child: &Child, name: &str) {
    run(Command::new("kill").args(["-s", name, &child.id().to_string()]));
}

/// The next notification to the service manager.
#[track_caller]
fn state(manager: &UnixDatagram) -> String {
    let mut text = [0; 100];
    let count = manager.recv(&mut text).expect("a state in time");
    String::from_utf8_lossy(&text[..count]).into_owned()
}

/// The address that the server prints; later output is read and dropped.
#[track_caller]
fn address(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stdout.take().expect("stdout"));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = lines.read_line(&mut line);
        let _ = sender.send(line);
        let _ = lines.read_to_end(&mut Vec::new());
    });
    let line = receiver
        .recv_timeout(Duration::from_secs(120))
        .expect("a line");
    let (_, address) = line.trim().split_once(" serves ").expect("an address");
    address.to_owned()
}
