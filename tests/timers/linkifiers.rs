//! Owners get one notice about a list of linkifiers that exceeds its limit, which an older version allowed
//! (docs/protocol/linkifiers.md#add_linkifier).

use serde_json::json;
use spindle_tests::{Options, Server, User};

/// Longer than the interval of the job.
const TURN: u64 = 3601;
const JOB: &str = "report-skipped-linkifiers";

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
fn owners_get_one_notice_about_skipped_linkifiers() {
    let server = Server::spawn(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    for number in 0..63 {
        let sql = format!(
            r"INSERT INTO linkifiers (realm_id, position, pattern, url_template)
              VALUES (1, {number}, 'K{number}(?P<id>\w{{1,20}})', 'https://t.example/{{id}}')"
        );
        server.database().execute_batch(&sql).expect("a row");
    }
    // The first run may have begun before the rows were there.
    for _ in 0..2 {
        server.advance_past_run(TURN, JOB);
    }
    let told = notices(&owner);
    assert!(told[0].contains("4 MiB"), "{told:?}");
    assert_eq!(notices(&member), Vec::<String>::new());
    // Later runs send nothing.
    for _ in 0..3 {
        server.advance_past_run(TURN, JOB);
    }
    let sql = "SELECT count(*) FROM audit_log WHERE event_type = 'linkifiers_left_out'";
    let entries = server
        .database()
        .query_row(sql, [], |row| row.get::<_, i64>(0));
    assert_eq!(entries, Ok(1));
    assert_eq!(notices(&owner), told);
}
