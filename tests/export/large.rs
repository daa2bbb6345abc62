//! Imports and exports that take long: progress, the state after a killed import, and, as a drill
//! (`cargo xtask drill export 250000`), the duration with many messages.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindle_tests::server::{DATABASE_URL, binary};
use spindle_tests::{Client, PATIENCE, env_number, until_within};

use crate::generated::{self, OWNER};
use crate::support::{Folder, import_watched, summary};

/// Asserts that the organization has everything of a generated archive.
#[track_caller]
fn is_whole(folder: &Folder, messages: u64, receipts: u64) {
    for (table, expected) in [("messages", messages), ("user_messages", receipts)] {
        let sql = format!("SELECT count(*) FROM {table}");
        let found = folder
            .open()
            .query_row(&sql, [], |row| row.get::<_, i64>(0));
        assert_eq!(found.unwrap().cast_unsigned(), expected, "{table}");
    }
    let mut check = folder.admin(&["check"]);
    let output = check.args(["--output", "json"]).output().unwrap();
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(checked["sound"], true, "{checked}");
}

/// Bytes of the database.
fn size(folder: &Folder) -> u64 {
    let sql = match folder.url() {
        Some(_) => "SELECT pg_database_size(current_database())",
        None => "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    };
    let size = folder.open().query_row(sql, [], |row| row.get::<_, i64>(0));
    size.unwrap().cast_unsigned()
}

#[test]
fn many_messages_are_imported_and_exported() {
    let messages = env_number("SPINDLE_IMPORT_MESSAGES", 2000).max(2000);
    let folder = Folder::new();
    let path = folder.data().with_extension("tar.gz");
    let receipts = generated::write(&path, messages);
    let (output, used) = import_watched(&path, &folder);
    let seconds = used.seconds;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    println!(
        "{messages} messages with {receipts} receipts: imported in {seconds:.1} s; written {:.0} MiB for a \
         database of {:.0} MiB; most resident memory {:.0} MiB",
        mib(used.written),
        mib(size(&folder)),
        mib(used.resident),
    );
    // The buffers that docs/OPERATIONS.md names, and the program.
    assert!(used.resident < 400 << 20, "{used:?}");
    let summary = summary(&output);
    assert_eq!(summary["rows"]["zerver_message"], messages);
    assert_eq!(summary["rows"]["zerver_usermessage"], receipts);
    assert_eq!(summary["notes"], json!({}));
    let lines = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{lines}");
    if seconds < 5.0 {
        assert_eq!(lines, "", "no terminal, and a short import");
    } else if receipts > 1_000_000 && seconds > 15.0 {
        assert!(lines.contains('%'), "{lines}");
    }
    is_whole(&folder, messages, receipts);

    let server = folder.serve();
    let made = server.admin(&["user", "rotate-key", "--email", OWNER]);
    let key = (made["email"].as_str(), made["api_key"].as_str());
    let (email, key) = (key.0.unwrap(), key.1.unwrap());
    let owner = Client::new(server.base_url(), Some((email, key)));
    // Message 1999 is in the last channel; the index has it, and only it. The last word of a search
    // is also a beginning, so the number comes first.
    let narrow = json!([
        {"operator": "channel", "operand": 1010},
        {"operator": "search", "operand": "1999 number"},
    ]);
    let narrow = narrow.to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "10"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let found = owner.get("/messages", &pairs).ok()["messages"].take();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let access = [("owner_full_content_access", "true")];
    owner.patch("/realm", &access).ok();
    let began = Instant::now();
    let everything = [("export_type", "full_without_consent")];
    owner.post("/export/realm", &everything).ok();
    // There may be millions of messages.
    let patience = PATIENCE + Duration::from_millis(messages);
    let pause = Duration::from_millis(100);
    until_within(patience, pause, "the export is built", || {
        let export = owner.get("/export/realm", &[]).ok()["exports"][0].take();
        assert_eq!(export["failed_timestamp"], Value::Null, "{}", server.log());
        server.advance(5);
        export["export_url"].is_string().then_some(())
    });
    let seconds = began.elapsed().as_secs_f64();
    println!("exported in {seconds:.1} s");
}

/// On a terminal, even a short import prints progress.
#[test]
fn a_terminal_shows_progress_and_what_is_left_out() {
    let folder = Folder::new();
    let path = folder.data().with_extension("tar.gz");
    generated::write(&path, 20);
    let words = [&binary(), &path, &folder.data()];
    let [program, archive, data] = words.map(|path| path.to_str().unwrap().to_owned());
    let command = format!("'{program}' admin import --data-dir '{data}' '{archive}'");
    // Gives the program a terminal.
    let mut script = Command::new("script");
    if let Some(url) = folder.url() {
        script.env(DATABASE_URL, url);
    }
    let output = script
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("reading the archive: 0 of"), "{text}");
    // Data that is never imported is listed with the reason.
    for what in [
        "passwords, API keys and tokens: ",
        "drafts, polls",
        "everything else is as it was",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
}

#[test]
fn data_that_is_left_out_is_listed_with_the_reason() {
    let folder = Folder::new();
    let path = folder.data().with_extension("tar.gz");
    generated::write(&path, 20);
    let summary = summary(&folder.import_file(&path, &[]));
    let left_out = summary["left_out"].as_array().unwrap();
    assert!(left_out.len() >= 3, "{summary}");
    for entry in left_out {
        for name in ["what", "why"] {
            assert!(!entry[name].as_str().unwrap().is_empty(), "{entry}");
        }
    }
}

/// Whether a killed import had finished.
fn kill_when(path: &Path, folder: &Folder, state: impl Fn(&Folder) -> bool) -> bool {
    let mut command = folder.admin(&["import"]);
    command
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child: Child = command.spawn().unwrap();
    while !state(folder) {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return true;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap().success()
}

/// A state of an import, and its sign.
type State = (&'static str, fn(&Folder) -> bool);

/// At whatever point an import is killed, there is no organization or all of it; the next import starts again.
#[test]
fn a_killed_import_leaves_no_organization_or_all_of_it() {
    let messages = 3000;
    let archives = Folder::new();
    let path = archives.data().with_extension("tar.gz");
    let receipts = generated::write(&path, messages);
    let states: [State; 5] = [
        ("reading", |folder| {
            folder.data().join("importing/tables").exists()
        }),
        ("a database is made", |folder| {
            folder.data().join("importing/spindle.db").exists()
        }),
        ("the database is filled", |folder| {
            let path = folder.data().join("importing/spindle.db");
            path.metadata().is_ok_and(|file| file.len() > 2 << 20)
        }),
        ("an organization is there", Folder::has_organization),
        ("the end", Folder::is_settled),
    ];
    for (name, state) in states {
        let folder = Folder::new();
        let is_finished = kill_when(&path, &folder, state);
        let is_there = folder.is_settled();
        println!("{name}: finished {is_finished}, there {is_there}");
        assert!(is_there || !is_finished);
        if is_there {
            is_whole(&folder, messages, receipts);
            continue;
        }
        // Administration does not recognize an organization.
        let output = folder.admin(&["user", "list"]).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        // A server creates no new organization in its place.
        let output = folder.starting(folder.url().as_deref()).output().unwrap();
        let errors = [output.stdout, output.stderr].concat();
        let errors = String::from_utf8_lossy(&errors);
        assert!(!output.status.success(), "{errors}");
        assert!(errors.contains("was not finished"), "{errors}");
        assert!(!folder.is_settled());
        summary(&folder.import_file(&path, &[]));
        is_whole(&folder, messages, receipts);
        assert!(!folder.data().join("importing").exists());
    }
}
