//! The first start of a version: the server answers with code from the fast compiler and replaces
//! it by optimized code under load; if it is interrupted, it continues at the next start.

use std::fs;
use std::path::Path;
use std::time::Duration;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Server, User, free_port};

use crate::support::{Writers, assert_sound, contents, until, until_within};

/// Long enough for a slow and busy machine, on which the compiler yields to other work.
const PATIENCE: Duration = Duration::from_secs(900);

/// The number of components that still run unoptimized code, from `/metrics`.
fn unoptimized(ops: &str) -> usize {
    let reply = Client::new(&format!("http://{ops}"), None).fetch("/metrics", &[]);
    let text = String::from_utf8(reply.bytes).expect("text");
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("spindle_components_unoptimized "));
    value.expect("the gauge").parse().expect("a number")
}

/// Files of machine code, except ones that are being written.
fn files(cache: &Path) -> usize {
    let entries = fs::read_dir(cache).expect("cache").flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "cwasm"))
        .count()
}

/// Whether a compiler process works on this directory.
fn compiles(cache: &Path) -> bool {
    let cache = cache.to_str().expect("text");
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let mut commands = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    commands.any(|command| {
        let words: Vec<_> = command.split(|byte| *byte == 0).collect();
        words.contains(&b"compile".as_slice()) && words.contains(&cache.as_bytes())
    })
}

/// One request to most of the components.
fn use_everything(user: &User) {
    for path in [
        "/users/me",
        "/users/me/subscriptions",
        "/user_groups",
        "/realm/linkifiers",
        "/server_settings",
        "/scheduled_messages",
        "/export/realm/consents",
        "/attachments",
        "/users/me/alert_words",
    ] {
        user.get(path, &[]).ok();
    }
    user.post("/register", &[]).ok();
}

#[test]
fn a_first_start_serves_at_once_and_replaces_its_code_under_load() {
    let folder = tempfile::tempdir().expect("folder");
    let cache = folder.path().join("code");
    let ops = format!("127.0.0.1:{}", free_port());
    let words = [
        "--code-cache",
        cache.to_str().expect("text"),
        "--ops-listen",
        &ops,
    ];
    let mut server = Server::spawn(Options {
        extra: words.map(str::to_owned).to_vec(),
        ..Options::default()
    });
    until("the log says how long it takes", || {
        server.log().contains("takes some seconds")
    });
    let components = unoptimized(&ops);
    assert!(components > 10, "{components} run unoptimized code");
    assert_eq!(files(&cache), components);
    let owner = server.user("owner");
    use_everything(&owner);
    until("nothing compiles beside it", || compiles(&cache));

    // Interrupted: the compiler ends with the server, and nothing is compiled fast a second time.
    server.kill();
    until("the compiler outlives its server", || !compiles(&cache));
    server.restart();
    assert_eq!(server.log().matches("tier=Baseline").count(), 1);
    assert!(
        unoptimized(&ops) > 0,
        "it was to be interrupted in the middle"
    );

    let users: Vec<User> = (0..4).map(|_| server.user("member")).collect();
    let channel = fixture::channel(
        &server,
        ChannelKind::Public,
        &users.iter().collect::<Vec<_>>(),
    )
    .id();
    // All but the last two: writers would keep the compiler waiting.
    until_within(PATIENCE, "the compiler does not come on", || {
        files(&cache) + 2 >= 2 * components || unoptimized(&ops) == 0
    });
    let writers = Writers::start(&users, &channel);
    until_within(PATIENCE, "not everything is optimized", || {
        unoptimized(&ops) == 0
    });
    let before = writers.written().acknowledged.len();
    until("writers do not go on", || {
        writers.written().acknowledged.len() > before + 40
    });
    let written = writers.stop();
    assert!(written.refused.is_empty(), "{:?}", written.refused);
    assert_eq!(contents(&server.database().sqlite()), written.acknowledged);
    use_everything(&owner);
    assert!(!compiles(&cache));
    assert_eq!(files(&cache), components, "superseded files stay");

    server.kill();
    server.restart();
    assert_eq!(unoptimized(&ops), 0);
    assert_eq!(server.log().matches("tier=Optimized").count(), 1);
    use_everything(&owner);
    assert_sound(&server);
}
