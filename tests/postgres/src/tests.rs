//! The server of the tests itself: databases of their own, a crash, and a connection that is refused.

use std::path::PathBuf;

use super::*;

#[test]
fn each_test_has_a_copy_of_the_template() {
    let Some(server) = shared() else { return };
    let fill = |url: &str| {
        assert!(url.ends_with("/of_tests"), "{url}");
        server.psql(
            "of_tests",
            "CREATE TABLE t (x bigint); INSERT INTO t VALUES (7)",
        );
    };
    let one = server.database_from("of_tests", fill);
    one.psql("INSERT INTO t VALUES (8)");
    let other = server.database_from("of_tests", |_| panic!("made twice"));
    assert_eq!(one.psql("SELECT x FROM t ORDER BY x"), "7\n8");
    assert_eq!(other.psql("SELECT x FROM t"), "7");
    let (name, empty) = (one.name().to_owned(), server.database());
    drop(one);
    let names = empty.psql("SELECT datname FROM pg_database");
    assert!(!names.lines().any(|line| line == name), "{names}");
    let facts = "SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database \
                 WHERE datname = current_database()";
    assert_eq!(empty.psql(facts), "UTF8|C");
}

#[test]
fn a_server_that_was_killed_comes_back_with_its_data() {
    let Some(server) = Server::start(&[]) else {
        return skip("PostgreSQL is missing (scripts/install-postgres)");
    };
    let database = server.database();
    assert_eq!(database.psql("SHOW fsync"), "on");
    database.psql("CREATE TABLE t (x bigint); INSERT INTO t VALUES (7)");
    server.kill();
    assert!(!server.answers());
    server.start_again();
    assert_eq!(database.psql("SELECT x FROM t"), "7");
    server.stop();
    server.start_again();
    assert_eq!(database.psql("SELECT x FROM t"), "7");
    let folder = PathBuf::from(server.socket_folder());
    drop(database);
    drop(server);
    assert!(!folder.exists());
}
