//! Control characters in messages of older versions are replaced by a job, a hundred messages at a time
//! (docs/UPGRADING.md).

use spindle_tests::{Server, User, until};

use super::start;

fn contents(user: &User) -> Vec<(String, String)> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "500"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let raw = user.get("/messages", &pairs).ok();
    let html = user.get("/messages", &pairs[..3]).ok();
    let texts = |body: &serde_json::Value| -> Vec<String> {
        let messages = body["messages"].as_array().expect("messages").iter();
        let contents = messages.filter_map(|message| message["content"].as_str());
        contents.map(str::to_owned).collect()
    };
    texts(&raw).into_iter().zip(texts(&html)).collect()
}

fn left(server: &Server) -> i64 {
    let sql = "SELECT messages_to_mend FROM realms WHERE id = 1";
    let database = server.database();
    database
        .query_row(sql, [], |row| row.get(0))
        .expect("a number")
}

#[test]
fn control_characters_of_old_messages_are_replaced() {
    let (server, user) = start();
    let to = format!("[{}]", user.id());
    let mut ids = Vec::new();
    for number in 0..120 {
        let content = format!("text {number}");
        let message = [("type", "direct"), ("to", &*to), ("content", &*content)];
        ids.push(
            user.post("/messages", &message).ok()["id"]
                .as_i64()
                .expect("an id"),
        );
    }
    // The oldest and the newest are in different batches.
    let spoil = |id: i64| {
        let sql = "UPDATE messages SET content = 'a' || char(13, 10) || 'b' || char(27) || '[31m', \
                   rendered_content = '<p>a<br>' || char(10) || 'b' || char(27) || '[31m</p>' WHERE id = ?1";
        assert_eq!(server.database().execute(sql, [id]), Ok(1));
    };
    spoil(ids[0]);
    spoil(ids[119]);
    let sql = "UPDATE realms SET messages_to_mend = ?1 WHERE id = 1";
    assert_eq!(server.database().execute(sql, [ids[119]]), Ok(1));
    server.advance_past_run(61, "mend-messages");
    until("all messages are mended", || {
        (left(&server) == 0).then_some(())
    });
    let found = contents(&user);
    let mended = (
        "a\nb\u{FFFD}[31m".to_owned(),
        "<p>a<br>\nb\u{FFFD}[31m</p>".to_owned(),
    );
    assert_eq!(found.iter().filter(|text| **text == mended).count(), 2);
    let untouched = found.iter().filter(|(text, _)| text.starts_with("text "));
    assert_eq!(untouched.count(), 118);
    let sql = "SELECT count(*) FROM audit_log WHERE event_type = 'messages_mended'";
    let entries: i64 = server
        .database()
        .query_row(sql, [], |row| row.get(0))
        .expect("a number");
    assert_eq!(entries, 2, "one for each batch");
}
