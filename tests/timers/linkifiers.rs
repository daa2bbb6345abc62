//! A list of linkifiers that is older than the bound of its size: one notice to the owners says how many are not searched for
//! (docs/protocol/linkifiers.md#add_linkifier).

use std::time::{Duration, Instant};

use serde_json::json;
use spindle_tests::{Options, Server, User};

/// Longer than the interval of the timer.
const TURN: u64 = 3601;

/// Notices about linkifiers that the user has received.
fn notices(user: &User) -> Vec<String> {
    let narrow = json!([{"operator": "is", "operand": "dm"}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
        ("narrow", &narrow),
    ];
    let found = user.get("/messages", &pairs).ok();
    let messages = found["messages"].as_array().expect("messages").iter();
    let contents = messages.filter_map(|message| message["content"].as_str());
    contents
        .filter(|content| content.contains("linkifiers"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_owners_are_told_once_of_linkifiers_that_are_left_out() {
    let server = Server::spawn(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    for number in 0..63 {
        let sql = format!(
            r"INSERT INTO linkifiers (realm_id, position, pattern, url_template)
              VALUES (1, {number}, 'K{number}(?P<id>\w{{1,20}})', 'https://t.example/{{id}}')"
        );
        server.database().execute_batch(&sql).expect("a row");
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    while notices(&owner).is_empty() {
        assert!(Instant::now() < deadline, "no notice");
        server.advance(TURN);
        std::thread::sleep(Duration::from_millis(100));
    }
    let told = notices(&owner);
    assert!(told[0].contains("4 MiB"), "{told:?}");
    assert_eq!(notices(&member), Vec::<String>::new());
    // The next runs say nothing; another timer's work shows that they are over.
    for _ in 0..3 {
        let done = || {
            let sql = "SELECT count(*) FROM audit_log WHERE event_type = 'linkifiers_left_out'";
            server
                .database()
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .expect("a count")
        };
        server.advance(TURN);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(done(), 1);
    }
    assert_eq!(notices(&owner), told);
}
