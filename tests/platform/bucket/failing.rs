//! A bucket that cannot be used: at the start, and later.

use std::path::Path;
use std::process::Command;

use spindle_s3::{Mood, S3, SECRET_KEY};
use spindle_tests::server::{binary, repository};
use spindle_tests::{Call, Client, FilePart, Reply, free_port, until};

use super::{attachments, begin, offset, part, say, server, url, variables};

fn is_503(reply: &Reply) {
    assert_eq!(reply.status, 503, "{reply:?}");
    assert_eq!(reply.body["result"], "error", "{reply:?}");
    assert!(reply.header("retry-after").is_some(), "{reply:?}");
    assert_eq!(reply.body["code"], "INTERNAL_SERVER_ERROR", "{reply:?}");
    let text = reply.body["msg"].as_str().unwrap_or_default();
    assert!(
        text.starts_with("The file storage is unreachable"),
        "{text}"
    );
}

fn get(path: &str) -> Call {
    Call::new("GET", path).at_root()
}

/// Runs the program; returns whether it succeeded, and all that it has said.
fn run(words: &[&str], data: &Path, variables: &[(String, String)]) -> (bool, String) {
    let output = Command::new(binary())
        .args(words)
        .arg("--data-dir")
        .arg(data)
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "none"])
        .envs(variables.iter().cloned())
        .current_dir(repository())
        .output()
        .expect("the program runs");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(said).expect("UTF-8"),
    )
}

#[test]
fn a_bucket_that_cannot_be_used_is_explained_at_the_start() {
    let s3 = S3::start();
    let folder = tempfile::tempdir().expect("folder");
    let but = |name: &str, value: &str| {
        let mut variables = variables(&s3);
        variables.retain(|(found, _)| found != name);
        variables.push((name.to_owned(), value.to_owned()));
        variables
    };
    let port = free_port();
    let table = [
        (
            but("SPINDLE_BLOBS", "s3://missing"),
            "s3://missing cannot be written: there is no such bucket",
        ),
        (
            but("SPINDLE_BLOBS_SECRET_KEY", "another-secret"),
            "does not accept the access key and its secret",
        ),
        (
            but(
                "SPINDLE_BLOBS_ENDPOINT",
                &format!("http://127.0.0.1:{port}"),
            ),
            "Connection refused",
        ),
        (but("SPINDLE_BLOBS", "files"), "not of the form s3://BUCKET"),
        (
            but("SPINDLE_BLOBS_SECRET_KEY_FILE", "/no/such/file"),
            "either blobs_secret_key or blobs_secret_key_file",
        ),
    ];
    for (variables, expected) in &table {
        let commands: [&[&str]; 2] = [&["serve"], &["config", "check"]];
        for words in commands {
            let (succeeded, said) = run(words, folder.path(), variables);
            assert!(!succeeded, "{words:?} {expected}");
            assert!(
                !said.contains("secret-") && !said.contains("-secret"),
                "{said}"
            );
            let lines = said.lines().filter(|line| line.contains(expected));
            assert_eq!(lines.count(), 1, "{words:?} {expected}: {said}");
        }
    }
    let works = variables(&s3);
    let (succeeded, said) = run(&["config", "check"], folder.path(), &works);
    assert!(succeeded, "{said}");
    assert!(
        said.contains("s3://files/some/prefix") && !said.contains(SECRET_KEY),
        "{said}"
    );
    // Nothing is left of the checks.
    assert!(s3.keys().is_empty(), "{:?}", s3.keys());
}

#[test]
fn a_bucket_that_fails_later_loses_nothing_and_stops_nothing_else() {
    let mut s3 = S3::start();
    let ops = format!("127.0.0.1:{}", free_port());
    let server = server(&s3, &["--ops-listen", &ops]);
    let user = server.owner();
    let file = url(user.upload("/user_uploads", "a.txt", b"tea leaves"));
    let path = begin(&user, 10);
    user.send(part(&path, 0, b"first "));
    let before = s3.keys();
    let health = || {
        let client = Client::new(&format!("http://{ops}"), None);
        let reply = client.try_send(&get("/health/ready")).expect("an answer");
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.body
    };
    assert_eq!(health()["status"], "ready");
    let upload = Call::new("POST", "/user_uploads").upload(
        &[],
        &[FilePart {
            field: "file",
            file_name: "b.txt",
            content_type: None,
            content: b"more",
        }],
    );
    for round in 0..2 {
        if round == 0 {
            s3.set(Mood::Refuses(403_u16.try_into().expect("a status")));
        } else {
            s3.go_away();
        }
        for call in [&upload, &part(&path, 6, b"last"), &get(&file)] {
            is_503(&user.try_send(call).expect("an answer"));
        }
        say(&user, "goes on").ok();
        assert_eq!(attachments(&user).len(), 1);
        let body = health();
        assert_eq!(body["status"], "degraded", "{body}");
        let reason = body["checks"]["blobs"].as_str().expect("a reason");
        assert!(reason.contains("s3://files/some/prefix"), "{reason}");
        if round == 0 {
            s3.set(Mood::Works);
        } else {
            s3.come_back();
        }
        // The check does not delay the answer, so its result may come with a later one.
        until("the bucket is ready, and has no more files", || {
            (health()["status"] == "ready" && s3.keys() == before).then_some(())
        });
    }
    // Every acknowledged change is there, and more can be made.
    assert_eq!(offset(&user, &path), 6);
    let joined = url(user.send(part(&path, 6, b"last")));
    assert_eq!(user.fetch(&joined, &[]).bytes, b"first last");
    assert_eq!(user.fetch(&file, &[]).bytes, b"tea leaves");
}
