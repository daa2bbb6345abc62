//! `spindle doctor`: no errors on a good server, and a finding for each defect made on purpose.

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use spindle_tests::certificates::Authority;
use spindle_tests::server::binary;
use spindle_tests::{Options, Server, free_port};

fn doctor(directory: &Path, words: &[&str]) -> Output {
    Command::new(binary())
        .arg("doctor")
        .arg("--data-dir")
        .arg(directory)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("spindle doctor runs")
}

/// The outcome of a check: the worst level, and all findings.
struct Said(Value, bool);

impl Said {
    fn of(directory: &Path, words: &[&str]) -> Self {
        let output = doctor(directory, &[words, &["--json"]].concat());
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
        });
        let said = Self(report, output.status.success());
        assert_eq!(said.1, said.0["errors"] == 0, "the exit code: {}", said.0);
        said
    }

    fn findings(&self, check: &str) -> Vec<&Value> {
        let all = self.0["findings"].as_array().expect("findings").iter();
        let of_check: Vec<&Value> = all.filter(|found| found["check"] == check).collect();
        assert!(!of_check.is_empty(), "nothing of {check}: {}", self.0);
        of_check
    }

    /// Asserts that a check has this level, and that its findings contain these words.
    #[track_caller]
    fn has(&self, check: &str, level: &str, words: &str) -> &Self {
        let findings = self.findings(check);
        let is_meant = |found: &&&Value| {
            found["level"] == level
                && found["found"]
                    .as_str()
                    .is_some_and(|text| text.contains(words))
        };
        let found = findings.iter().find(is_meant);
        let found = found.unwrap_or_else(|| panic!("{check} {level} {words}: {findings:#?}"));
        assert_eq!(found["advice"].is_null(), level == "ok", "{found}");
        self
    }
}

fn directory(server: &Server) -> &Path {
    server.directory().expect("own server")
}

#[test]
fn a_good_server_has_no_errors() {
    let server = Server::spawn(Options::default());
    let directory = directory(&server);
    let before = names(directory);
    let said = Said::of(directory, &[]);
    assert_eq!(said.0["errors"], 0, "{}", said.0);
    said.has("server", "ok", "spindle serve ")
        .has("address", "ok", "reaches this server")
        .has("tls", "ok", "")
        .has("proxy", "ok", "no proxy")
        .has("database", "ok", "whole")
        .has("versions", "ok", env!("CARGO_PKG_VERSION"))
        .has("permissions", "ok", "")
        .has("backups", "warning", "no backup was ever made");
    for check in ["configuration", "clock", "disk", "open files"] {
        said.findings(check);
    }
    assert_eq!(names(directory), before, "it only reads");

    let folder = tempfile::tempdir().expect("folder");
    let backup = folder.path().join("backup");
    server.admin(&["backup", backup.to_str().expect("UTF-8")]);
    Said::of(directory, &[]).has("backups", "ok", "0 hours ago");
    fs::remove_dir_all(&backup).expect("remove");
    Said::of(directory, &[]).has("backups", "warning", "not there any more");

    let text = doctor(directory, &[]);
    assert!(text.status.success());
    let text = String::from_utf8(text.stdout).expect("text");
    assert!(text.contains("\nok       database       whole"), "{text}");
    assert!(text.contains("-> "), "{text}");
    assert!(text.contains("\nerrors: 0, warnings: "), "{text}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn an_address_that_leads_elsewhere_is_an_error() {
    let server = Server::spawn(Options::default());
    let other = Server::spawn(Options::default());
    let at = |address: &str| Said::of(directory(&server), &["--external-url", address]);
    at(server.base_url()).has("address", "ok", "reaches this server");
    at(other.base_url()).has("address", "error", "leads to another server");
    let unused = format!("http://127.0.0.1:{}", free_port());
    at(&unused).has("address", "error", "nothing answers");
}

#[test]
fn passkeys_of_another_address_are_counted() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    for host in ["localhost", "old.example.org"] {
        let add = "INSERT INTO passkeys (user_id, credential_id, user_handle, credential, rp_id, name, created) \
                   VALUES (?1, randomblob(16), zeroblob(16), '{}', ?2, 'laptop', 5)";
        let database = server.database();
        database
            .execute(add, (user.user_id, host))
            .expect("a passkey");
    }
    let (_, port) = server.base_url().rsplit_once(':').expect("a port");
    let address = format!("http://localhost:{port}");
    let said = Said::of(directory(&server), &["--external-url", &address]);
    said.has("passkeys", "ok", "1 for localhost");
    said.has("passkeys", "warning", "1 for old.example.org");
}

/// Forwards one connection after the other to a server, and adds a header to each answer.
fn proxy(server: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("address"));
    let server = server.to_owned();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&server).expect("server");
            pass(client, server);
        }
    });
    address
}

fn pass(mut client: TcpStream, mut server: TcpStream) {
    let mut request = [0; 4096];
    let length = client.read(&mut request).expect("a request");
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    server.write_all(request.as_bytes()).expect("pass on");
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let answer = answer.replacen("\r\n", "\r\nVia: 1.1 test\r\n", 1);
    let _ = client.write_all(answer.as_bytes());
    let _ = client.shutdown(Shutdown::Write);
}

#[test]
fn a_proxy_must_be_configured() {
    let server = Server::spawn(Options::default());
    let address = proxy(server.address());
    let with = |words: &[&str]| {
        let words = [&["--external-url", address.as_str()][..], words].concat();
        Said::of(directory(&server), &words)
    };
    with(&[]).has("address", "ok", "reaches this server").has(
        "proxy",
        "error",
        "trusted_proxies is empty",
    );
    let trusted = with(&["--trusted-proxies", "127.0.0.1"]);
    trusted.has("proxy", "ok", "is trusted");
    assert_eq!(trusted.0["errors"], 0, "{}", trusted.0);
    with(&["--trusted-proxies", "0.0.0.0/0"]).has("proxy", "error", "every client");
}

#[test]
fn certificates_are_checked_by_key_name_validity_and_served_copy() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(authority) = Authority::new(folder.path()) else {
        return;
    };
    let used = authority.sign("used", "localhost");
    let next = authority.sign("next", "localhost");
    let files = |certificate: &Path, key: &Path| {
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let names = ["--tls-cert", "--tls-key"].map(str::to_owned);
        let [of_certificate, of_key] = names;
        vec![of_certificate, text(certificate), of_key, text(key)]
    };
    let server = Server::spawn(Options {
        extra: files(&used.certificate, &used.key),
        ..Options::default()
    });
    let with = |certificate: &Path, key: &Path, more: &[&str]| {
        let files = files(certificate, key);
        let mut words: Vec<&str> = files.iter().map(String::as_str).collect();
        words.extend(more);
        Said::of(directory(&server), &words)
    };
    // Certificates of the tests are valid for two days.
    with(&used.certificate, &used.key, &[])
        .has("address", "ok", "reaches this server")
        .has("tls", "warning", "the certificate for 127.0.0.1 ends in")
        .has("tls", "warning", "no chain")
        .has("tls", "warning", "invalid peer certificate");
    with(&used.certificate, &next.key, &[]).has("tls", "error", "is not that of");
    with(&next.certificate, &next.key, &[]).has("tls", "warning", "another certificate");
    let elsewhere = ["--external-url", "https://127.0.0.2:1"];
    with(&used.certificate, &used.key, &elsewhere).has("tls", "error", "not for 127.0.0.2");
    // As if a proxy terminated TLS: the certificate is read where clients see it.
    Said::of(directory(&server), &[]).has(
        "tls",
        "warning",
        "the certificate for 127.0.0.1 ends in",
    );
    fs::set_permissions(&used.key, Permissions::from_mode(0o644)).expect("mode");
    with(&used.certificate, &used.key, &[]).has("permissions", "error", "used.key");
}

#[test]
fn files_and_configuration_are_checked_without_a_server() {
    let mut server = Server::spawn(Options::default());
    let directory = directory(&server).to_owned();
    assert!(server.terminate().success());
    let said = Said::of(&directory, &[]);
    assert_eq!(said.0["errors"], 0, "{}", said.0);
    said.has("server", "warning", "no server runs")
        .has("database", "ok", "whole");

    let set_mode = |mode| fs::set_permissions(&directory, Permissions::from_mode(mode));
    set_mode(0o755).expect("mode");
    Said::of(&directory, &[]).has("permissions", "error", "mode 755");
    set_mode(0o700).expect("mode");

    let configuration = directory.join("spindle.toml");
    fs::write(&configuration, "no_such_option = 1\n").expect("file");
    Said::of(&directory, &[])
        .has("configuration", "error", "no_such_option")
        .has("database", "ok", "whole");
    fs::remove_file(&configuration).expect("remove");

    let much = (1_u64 << 50).to_string();
    Said::of(&directory, &["--disk-reserve", &much]).has("disk", "error", "disk_reserve");
    Said::of(&directory, &["--max-connections", "4000000000"]).has(
        "open files",
        "warning",
        "4000000000 clients",
    );

    let later = SystemTime::now() + Duration::from_secs(7200);
    let marked = directory.join("internal-token");
    let set_time = |time| {
        File::options()
            .write(true)
            .open(&marked)?
            .set_modified(time)
    };
    set_time(later).expect("time");
    Said::of(&directory, &[]).has("clock", "error", "internal-token");
    set_time(SystemTime::now()).expect("time");
}

#[test]
fn a_database_of_another_version_or_damaged_is_an_error() {
    let mut server = Server::spawn(Options::default());
    let directory = directory(&server).to_owned();
    let database = server.database().sqlite();
    assert!(server.terminate().success());
    let version: i64 = database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("version");
    let set = |version: i64| database.pragma_update(None, "user_version", version);
    set(version + 1).expect("pragma");
    Said::of(&directory, &[]).has("database", "error", "a newer version wrote it");
    set(version - 1).expect("pragma");
    Said::of(&directory, &[]).has("database", "warning", "that of this program");
    set(version).expect("pragma");
    database
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("checkpoint");
    drop(database);
    Said::of(&directory, &[]).has("database", "ok", "whole");

    let path = server.database_path();
    let mut bytes = fs::read(path).expect("database");
    let end = bytes.len() - 4096;
    for byte in &mut bytes[8192..end] {
        *byte ^= 0x55;
    }
    fs::write(path, bytes).expect("damage");
    Said::of(&directory, &[]).has("database", "error", "");
    fs::remove_file(path).expect("remove");
    Said::of(&directory, &[]).has("database", "error", "there is no database");
    let nowhere = directory.join("nowhere");
    Said::of(&nowhere, &[]).has("permissions", "error", "nowhere");
}
