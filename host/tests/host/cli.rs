//! The binary as a script meets it: precedence of values, JSON, exit codes.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn spindle(arguments: &[&str]) -> Command {
    let mut command = Command::new(crate::common::program());
    command.args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    spindle(arguments).output().expect("spindle runs")
}

fn text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&text(output)).expect("one JSON value")
}

/// A database that a server has started on once.
fn database(folder: &Path) -> String {
    use spindle_actions::NewRealm;
    use spindle_actions::users::NewAccount;
    let path = folder.join("x.db");
    let owner = NewAccount {
        email: "owner@example.org".to_owned(),
        full_name: "Owner".to_owned(),
        ..NewAccount::default()
    };
    let realm = NewRealm {
        name: "Test".to_owned(),
        owner,
    };
    spindle_host::admin::Session::open(&path)
        .expect("database")
        .create_realm(&realm)
        .expect("realm");
    path.to_str().expect("text").to_owned()
}

/// A manifest whose component is there, which is all that a check of the configuration wants.
fn manifest(folder: &Path) -> String {
    let text = "spin_manifest_version = 2\n\
        [application]\nname = \"x\"\nversion = \"1.0.0\"\n\
        [[trigger.http]]\nroute = \"/...\"\ncomponent = \"x\"\n\
        [component.x]\nsource = \"x.wasm\"\n";
    let path = folder.join("spin.toml");
    std::fs::write(&path, text).expect("manifest");
    std::fs::write(folder.join("x.wasm"), "").expect("component");
    path.to_str().expect("text").to_owned()
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("own.toml");
    std::fs::write(
        &file,
        "rate_limit_user = 1\nrate_limit_address = 1\nbody_limit = 1\n",
    )
    .expect("file");
    let manifest = manifest(folder.path());
    let mut command = spindle(&["config", "check", "--rate-limit-user", "3", "--config"]);
    command
        .arg(&file)
        .args(["--manifest", &manifest])
        .env("SPINDLE_RATE_LIMIT_USER", "2")
        .env("SPINDLE_RATE_LIMIT_ADDRESS", "2");
    let shown = text(&command.output().expect("spindle runs"));
    for line in [
        "rate_limit_user = 3",
        "rate_limit_address = 2",
        "body_limit = 1",
        "max_instances = 96",
    ] {
        assert!(
            shown.lines().any(|shown| shown == line),
            "{line} in {shown}"
        );
    }
}

#[test]
fn the_printed_example_is_accepted_and_a_misspelt_key_is_not() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("own.toml");
    let example = text(&run(&["config", "example"]));
    std::fs::write(&file, &example).expect("file");
    let file = file.to_str().expect("text");
    let manifest = manifest(folder.path());
    let check = ["config", "check", "--config", file, "--manifest", &manifest];
    text(&run(&check));

    std::fs::write(file, example.replace("body_limit", "body_limitt")).expect("file");
    let refused = run(&check);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("body_limitt"));
}

#[test]
fn a_check_of_the_configuration_finds_all_that_a_start_would_meet() {
    let folder = tempfile::tempdir().expect("folder");
    let there = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let manifest = manifest(folder.path());
    std::fs::write(there("key"), "").expect("file");
    let check = |flags: &[&str]| {
        let mut all = vec!["config", "check", "--manifest", &manifest];
        all.extend(flags);
        let output = run(&all);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.success(), !output.stdout.is_empty(), "{said}");
        (output.status.success(), said)
    };
    let data = there("data");
    let good = ["--data-dir", &data, "--listen", "127.0.0.1:0"];
    assert!(check(&good).0, "{:?}", check(&good));
    assert!(!Path::new(&data).exists(), "nothing is changed");

    let below_a_file = there("key/data");
    let missing = there("missing.toml");
    let (certificate, key) = (there("missing.pem"), there("key"));
    for (flags, named, reason) in [
        (vec!["--data-dir", &*below_a_file], "data_dir", "irectory"),
        (vec!["--data-dir", &*key], "data_dir", "no directory"),
        (vec!["--code-cache", &*key], "code_cache", "no directory"),
        (
            vec!["--tls-cert", &*certificate, "--tls-key", &*key],
            "tls_cert",
            "missing.pem",
        ),
        (vec!["--listen", "192.0.2.1:3000"], "listen", "192.0.2.1"),
        (
            vec!["--disk-reserve", "1000000000000000"],
            "disk_reserve",
            "to stay free",
        ),
        (
            vec![
                "--push-service",
                "https://push.example.org",
                "--push-service-id",
                "x",
                "--push-service-key-file",
                &*certificate,
                "--external-url",
                "https://chat.example.org",
            ],
            "push_service",
            "missing.pem",
        ),
    ] {
        let (is_good, said) = check(&flags);
        assert!(
            !is_good && said.contains(named) && said.contains(reason),
            "{flags:?}: {said}"
        );
        assert!(said.matches("os error").count() <= 1, "{said}");
    }

    // What may be meant is noted.
    let wide = [
        "--trusted-proxies",
        "0.0.0.0/0",
        "--bot-networks",
        "10.0.0.0/8,::/0",
        "--data-dir",
        &data,
        "--listen",
        "127.0.0.1:0",
    ];
    let (is_good, said) = check(&wide);
    assert!(
        is_good && said.matches("is every address").count() == 2,
        "{said}"
    );

    // All errors together, each on a line of its own.
    let all = [
        "--data-dir",
        &key,
        "--code-cache",
        &key,
        "--listen",
        "127.0.0.1:0",
    ];
    let (_, said) = check(&all);
    assert_eq!(said.lines().count(), 2, "{said}");

    let refused = run(&[
        "config",
        "check",
        "--manifest",
        &missing,
        "--data-dir",
        &data,
    ]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("missing.toml") && !refused.status.success(),
        "{said}"
    );
    std::fs::remove_file(there("x.wasm")).expect("removed");
    let (is_good, said) = check(&good);
    assert!(!is_good && said.contains("x.wasm"), "{said}");
}

#[test]
fn flags_that_cannot_be_read_are_refused_in_plain_words() {
    for (flags, expected) in [
        (["--listen", "localhost:3000"], "such as \"127.0.0.1:3000\""),
        (["--rate-limit-user", "many"], "a whole number"),
        (["--log-level", "chatty"], "neither a level"),
        (["--access-log", "perhaps"], "true or false"),
        (["--test-clock", "x"], "unexpected argument"),
    ] {
        let refused = run(&[&["config", "check"][..], &flags].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && said.contains(expected),
            "{said}"
        );
        assert!(!said.contains("socket address syntax"), "{said}");
    }
}

#[test]
fn an_error_is_said_once() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("no/such.toml");
    let file = file.to_str().expect("text");
    for command in [["config", "check"].as_slice(), &["serve"]] {
        let refused = run(&[command, &["--config", file]].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(said.matches("os error").count(), 1, "{said}");
    }
}

#[test]
fn scripts_get_json() {
    let folder = tempfile::tempdir().expect("folder");
    let database = database(folder.path());
    let admin = |arguments: &[&str]| {
        let mut all = vec!["admin", "user"];
        all.extend(arguments);
        all.extend(["--database", &database, "--output", "json"]);
        run(&all)
    };
    let created = json(&admin(&[
        "create",
        "--email",
        "ada@example.org",
        "--full-name",
        "Ada",
        "--role",
        "guest",
    ]));
    assert_eq!(created["email"], "ada@example.org");
    assert_eq!(created["api_key"].as_str().map(str::len), Some(32));
    // After the owner and the bots of the server itself.
    assert_eq!(created["user_id"], 5);
    let listed = json(&admin(&["list"]));
    assert_eq!(listed[1]["role"], "guest");
    let rotated = json(&admin(&["rotate-key", "--email", "ADA@example.org"]));
    assert_ne!(rotated["api_key"], created["api_key"]);
    let bot = json(&admin(&[
        "create",
        "--email",
        "bot@example.org",
        "--full-name",
        "Bot",
        "--bot",
    ]));
    assert_eq!(bot["user_id"], 6);

    let refused = admin(&["deactivate", "--email", "nobody@example.org"]);
    assert!(!refused.status.success() && refused.stdout.is_empty());
    assert!(
        !admin(&["create", "--email", "no address", "--full-name", "X"])
            .status
            .success()
    );
}

#[test]
fn a_zuliprc_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let database = database(folder.path());
    let file = folder.path().join("owner.zuliprc");
    let path = file.to_str().expect("text");
    let arguments = [
        "admin",
        "user",
        "zuliprc",
        "--database",
        &database,
        "--email",
        "owner@example.org",
    ];
    text(&run(&[
        &arguments[..],
        &["--site", "https://chat.example.org", "--file", path],
    ]
    .concat()));
    let written = std::fs::read_to_string(&file).expect("file");
    assert!(
        written.starts_with("[api]\nemail=owner@example.org\nkey="),
        "{written}"
    );
    assert!(written.ends_with("site=https://chat.example.org\n"));
    assert_eq!(
        file.metadata().expect("file").permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn the_exit_code_says_whether_a_database_is_sound() {
    let folder = tempfile::tempdir().expect("folder");
    let database = database(folder.path());
    let check = || {
        run(&[
            "admin",
            "check",
            "--database",
            &database,
            "--output",
            "json",
        ])
    };
    assert_eq!(json(&check())["sound"], true);
    let connection = rusqlite::Connection::open(&database).expect("database");
    connection
        .execute("UPDATE users SET is_active = 0", [])
        .expect("update");
    let refused = check();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stdout).contains("owners"));

    let missing = run(&["admin", "user", "list", "--database", "no/such.db"]);
    assert!(!missing.status.success() && !Path::new("no").exists());
}

/// As of `spindle ... | head -1`.
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut example = spindle(&["config", "example"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("spindle runs");
    drop(example.stdout.take());
    let ended = example.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.is_empty(), "{said}");
}
