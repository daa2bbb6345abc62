//! Moves that must not begin, each with a line that says what to do.

use spindle_tests::Server;

use super::{moved, node, on_a_file, refused};

#[test]
fn a_move_that_must_not_begin_is_explained() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let [target, empty] = [(); 2].map(|()| postgres.database());
    let mut file = on_a_file();
    let data = file.directory().expect("a directory").to_owned();
    let running = refused(&data, None, &target.url());
    assert!(running.contains("stop it first"), "{running}");
    file.terminate();
    let wrong_password = target
        .url()
        .replace(spindle_test_postgres::PASSWORD, "throw-away-not");
    let other_file = data.join("other.db").display().to_string();
    for (to, expected) in [
        (
            "postgres://u:throw-away@127.0.0.1:1/x",
            "no server listens there",
        ),
        (wrong_password.as_str(), "check the user and the password"),
        (&postgres.url("missing"), "CREATE DATABASE"),
        ("mysql://u:throw-away@h/x", "--to: "),
        (&other_file, "both are database files"),
    ] {
        let said = refused(&data, None, to);
        assert!(said.contains(expected), "{to}: {said}");
        assert!(!said.contains("throw-away"), "{said}");
    }
    moved(&data, None, &target.url());
    let full = refused(&data, None, &target.url());
    assert!(full.contains("not empty"), "{full}");
    let url = target.url();
    let both = refused(&data, Some(&url), &empty.url());
    assert!(both.contains("both are databases of PostgreSQL"), "{both}");
    let there = refused(&data, Some(&url), &data.display().to_string());
    assert!(there.contains("exists already"), "{there}");
    let nothing = refused(&data, Some(&empty.url()), &other_file);
    assert!(nothing.contains("no organization"), "{nothing}");
    // Of another version, on both sides.
    target.psql("INSERT INTO schema_migrations VALUES (9999)");
    let newer = refused(&data, Some(&url), &other_file);
    assert!(newer.contains("another schema"), "{newer}");
    target.psql("DELETE FROM schema_migrations WHERE number = 9999");
    let database = rusqlite::Connection::open(data.join("spindle.db")).expect("a database");
    database
        .pragma_update(None, "user_version", 30)
        .expect("pragma");
    drop(database);
    let older = refused(&data, None, &empty.url());
    assert!(older.contains("another schema"), "{older}");
    // The empty database stayed empty.
    let tables = empty.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'");
    assert_eq!(tables, "0");
    // The moved server serves in spite of the refused moves.
    let server: Server = node(&data, &url);
    assert_eq!(server.anonymous().get("/server_settings", &[]).status, 200);
}
