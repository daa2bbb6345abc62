//! The start on PostgreSQL: TLS, and what an operator reads when the database cannot be used.

use std::path::Path;
use std::process::Command;

use spindle_test_postgres::{Database, PASSWORD, Server as Postgres};
use spindle_tests::certificates::Authority;
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Options, Server};

/// Runs the program with a database; returns whether it succeeded, and all that it has said.
fn run(words: &[&str], data: &Path, url: &str) -> (bool, String) {
    let output = Command::new(binary())
        .args(words)
        .arg("--data-dir")
        .arg(data)
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "none"])
        .env(DATABASE_URL, url)
        .current_dir(repository())
        .output()
        .expect("the program runs");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(said).expect("UTF-8"),
    )
}

fn with(database: &Database<'_>, statements: &str) -> String {
    database.psql(statements);
    database.url()
}

#[test]
fn a_database_that_cannot_be_used_is_explained() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let [newer, foreign, other_history, locked, weak] = [(); 5].map(|()| postgres.database());
    postgres.psql(
        "postgres",
        "CREATE DATABASE latin_start TEMPLATE template0 ENCODING LATIN1; \
         CREATE ROLE weak LOGIN PASSWORD 'throw-away-too'",
    );
    let address = format!("127.0.0.1:{}", postgres.port());
    let newer = with(
        &newer,
        "CREATE TABLE schema_migrations (number bigint PRIMARY KEY); \
         INSERT INTO schema_migrations VALUES (9999)",
    );
    let foreign = with(&foreign, "CREATE TABLE parts (id bigint)");
    let other_history = with(
        &other_history,
        "CREATE TABLE schema_migrations (version text)",
    );
    let name = locked.name();
    let read_only = with(
        &locked,
        &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"),
    );
    let weak = format!("postgres://weak:throw-away-too@{address}/{}", weak.name());
    let table = [
        (
            "postgres://u:throw-away@h:port/x".to_owned(),
            "postgres://USER:PASSWORD@HOST/DATABASE",
        ),
        (
            "postgres://u:throw-away@no-such-host.invalid/x".to_owned(),
            "correct the host",
        ),
        (
            "postgres://u:throw-away@127.0.0.1:1/x".to_owned(),
            "no server listens there",
        ),
        (
            format!("postgres://spindle:throw-away-not@{address}/postgres"),
            "check the user and the password",
        ),
        (postgres.url("missing"), "CREATE DATABASE"),
        (postgres.url("latin_start"), "LATIN1"),
        (newer, "newer version"),
        (foreign, "tables of another program"),
        (other_history, "tables of another program"),
        (read_only, "accepts no writes"),
        (
            format!("{}?sslmode=require", postgres.url("postgres")),
            "the URL requires TLS",
        ),
        (
            format!("{}?sslrootcert=/no/such/file", postgres.url("postgres")),
            "sslrootcert: cannot read /no/such/file",
        ),
    ];
    for (url, expected) in &table {
        let commands: [&[&str]; 3] = [&["serve"], &["config", "check"], &["doctor"]];
        for words in commands {
            let (succeeded, said) = run(words, folder.path(), url);
            assert!(!succeeded, "{words:?} {url}");
            assert!(said.contains(expected), "{words:?} {expected}: {said}");
            assert!(!said.contains("throw-away"), "{said}");
            let lines = said.lines().filter(|line| line.contains(expected));
            assert_eq!(lines.count(), 1, "{said}");
        }
    }
    // Whether a user may create tables is seen when it does.
    let (succeeded, said) = run(&["serve"], folder.path(), &weak);
    assert!(
        !succeeded && said.contains("must own the database"),
        "{said}"
    );
    assert!(!said.contains(PASSWORD), "{said}");
}

#[test]
fn connections_are_encrypted_and_certificates_verified() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(authority) = Authority::new(folder.path()) else {
        return;
    };
    let Some(postgres) = Postgres::start(&["fsync=off"]) else {
        spindle_test_postgres::shared();
        return;
    };
    let made = authority.sign("database", "localhost");
    postgres.use_tls(&made.certificate, &made.key);
    let database = postgres.database();
    let data = tempfile::tempdir().expect("folder");
    let url = |host: &str, parameters: &str| {
        let url = database.url().replace("127.0.0.1", host);
        format!("{url}?{parameters}")
    };
    let root = format!("sslrootcert={}", authority.bundle().display());
    for (url, expected) in [
        (url("127.0.0.1", "sslmode=require"), "certificate"),
        (url("127.0.0.1", "sslmode=prefer"), "certificate"),
        // Another name of the same machine, which the certificate does not have.
        (
            url("127.0.0.2", &format!("sslmode=verify-full&{root}")),
            "certificate",
        ),
    ] {
        let (succeeded, said) = run(&["config", "check"], data.path(), &url);
        assert!(!succeeded && said.contains(expected), "{url}: {said}");
    }
    let server = Server::spawn(Options {
        environment: vec![(
            DATABASE_URL.to_owned(),
            url("localhost", &format!("sslmode=verify-full&{root}")),
        )],
        ..Options::default()
    });
    let me = server.owner().get("/users/me", &[]).ok();
    assert_eq!(me["is_owner"], true);
    let used = database.psql(
        "SELECT count(*) > 1, bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE datname = current_database() AND client_addr IS NOT NULL",
    );
    assert_eq!(used, "t|t");
}

#[test]
fn commands_that_work_on_a_database_file_refuse_a_server() {
    let folder = tempfile::tempdir().expect("folder");
    let other = folder.path().join("other").display().to_string();
    for words in [&["backup", &other][..], &["restore", &other], &["demo"]] {
        let output = Command::new(binary())
            .arg("admin")
            .args(words)
            .arg("--data-dir")
            .arg(folder.path())
            .env(DATABASE_URL, "postgres://spindle:throw-away@127.0.0.1:1/x")
            .output()
            .expect("the program runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!output.status.success(), "{words:?}");
        assert!(
            said.contains("works on a database file"),
            "{words:?}: {said}"
        );
        assert!(!said.contains("throw-away"), "{said}");
    }
    let left = std::fs::read_dir(folder.path()).expect("folder").count();
    assert_eq!(left, 0);
}
