//! Pages of messages that are larger than one answer may be (docs/LIMITS.md, "bytes of a fetch").

use serde_json::Value;
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::to_channel;
use crate::support::server;

/// A user with a channel of more than eight megabytes, and the ids of its messages.
fn large() -> (User, Channel, Vec<i64>) {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    // A character of four bytes, both in the text and in its HTML.
    let content = "\u{1d54a}".repeat(10_000);
    let ids = (0..130)
        .map(|_| to_channel(&user, &channel, "t", &content))
        .collect();
    (user, channel, ids)
}

fn page(user: &User, channel: &Channel, anchor: &str, before: &str, after: &str) -> Value {
    let narrow = format!(
        r#"[{{"operator": "channel", "operand": {}}}]"#,
        channel.id()
    );
    let pairs = [
        ("anchor", anchor),
        ("num_before", before),
        ("num_after", after),
        ("narrow", &narrow),
    ];
    user.get("/messages", &pairs).ok()
}

fn ids(page: &Value) -> Vec<i64> {
    let messages = page["messages"].as_array().unwrap().iter();
    messages.map(|one| one["id"].as_i64().unwrap()).collect()
}

/// Clients that fetch until the server reports the end see every message once.
#[test]
fn clients_get_everything_page_by_page() {
    let (user, channel, sent) = large();
    let (mut seen, mut anchor, mut pages) = (Vec::new(), "newest".to_owned(), 0);
    loop {
        let page = page(&user, &channel, &anchor, "1000", "0");
        let mut older = ids(&page);
        assert!(older.iter().all(|id| sent.contains(id)));
        if let Some(first) = seen.first() {
            // The next page contains the anchor again.
            assert_eq!(older.pop().as_ref(), Some(first));
            assert_eq!(page["found_anchor"], true);
            assert!(!older.is_empty());
        } else {
            assert_eq!(page["found_newest"], true);
        }
        older.append(&mut seen);
        seen = older;
        anchor = seen[0].to_string();
        pages += 1;
        if page["found_oldest"] == true {
            break;
        }
    }
    assert_eq!(seen, sent);
    assert!(pages > 1);

    let (mut seen, mut anchor) = (Vec::new(), "oldest".to_owned());
    loop {
        let page = page(&user, &channel, &anchor, "0", "1000");
        let mut newer = ids(&page);
        if !seen.is_empty() {
            newer.remove(0);
            assert!(!newer.is_empty());
        }
        seen.append(&mut newer);
        anchor = seen[seen.len() - 1].to_string();
        if page["found_newest"] == true {
            break;
        }
    }
    assert_eq!(seen, sent);
}

#[test]
fn a_truncated_page_has_the_messages_next_to_the_anchor() {
    let (user, channel, sent) = large();
    let middle = sent[65];
    let page = page(&user, &channel, &middle.to_string(), "1000", "1000");
    let found = ids(&page);
    assert_eq!(
        (&page["found_anchor"], &page["anchor"]),
        (&true.into(), &middle.into())
    );
    assert_eq!(page["found_oldest"], false);
    assert_eq!(page["found_newest"], false);
    let at = found.iter().position(|id| *id == middle).unwrap();
    assert!(
        at.abs_diff(found.len() - 1 - at) <= 1,
        "{at} of {}",
        found.len()
    );
    let first = sent.iter().position(|id| *id == found[0]).unwrap();
    assert_eq!(found, sent[first..first + found.len()]);
}

#[test]
fn messages_requested_by_id_are_never_truncated() {
    let (user, _, sent) = large();
    let all = serde_json::to_string(&sent).unwrap();
    let refused = user.get("/messages", &[("message_ids", &all)]);
    assert!(refused.error(400, "BAD_REQUEST")["msg"].is_string());
    let some = serde_json::to_string(&sent[..50]).unwrap();
    let found = user.get("/messages", &[("message_ids", &some)]).ok();
    assert_eq!(ids(&found), sent[..50]);
}

/// Formulas become more than fifty times as long. Of the ones that do not fit, only the first is read.
#[test]
fn large_messages_that_are_requested_by_id_are_refused_in_time() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let content = "$$x$$ ".repeat(1_600);
    let sent: Vec<i64> = (0..158)
        .map(|_| to_channel(&user, &channel, "t", &content))
        .collect();
    let all = serde_json::to_string(&sent).unwrap();
    let refused = user.get("/messages", &[("message_ids", &all)]);
    assert!(refused.error(400, "BAD_REQUEST")["msg"].is_string());
    let pairs = [("msg_ids", all.as_str()), ("narrow", "[]")];
    let refused = user.get("/messages/matches_narrow", &pairs);
    assert!(refused.error(400, "BAD_REQUEST")["msg"].is_string());
    let found = page(&user, &channel, "newest", "1000", "0");
    assert!(ids(&found).len() > 5);
}

/// The limit counts bytes as they are sent: a control character is six in JSON.
#[test]
fn a_page_of_control_characters_is_cut_and_sent() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let sent: Vec<i64> = (0..300)
        .map(|_| to_channel(&user, &channel, "t", "x"))
        .collect();
    // As an older server has stored them.
    let text = "\u{1}".repeat(9990);
    server()
        .database()
        .execute(
            "UPDATE messages SET content = ?1, rendered_content = ?1 WHERE channel_id = ?2",
            rusqlite::params![text, channel.stream_id],
        )
        .expect("texts");
    for (anchor, before, after) in [("newest", "5000", "0"), ("oldest", "0", "5000")] {
        let page = page(&user, &channel, anchor, before, after);
        let found = ids(&page);
        assert!((10..300).contains(&found.len()), "{}", found.len());
        assert_eq!(page["found_newest"], anchor == "newest");
        assert_eq!(page["found_oldest"], anchor == "oldest");
        let expected = match anchor {
            "newest" => &sent[300 - found.len()..],
            _ => &sent[..found.len()],
        };
        assert_eq!(found, expected);
    }
    let all = serde_json::to_string(&sent).unwrap();
    user.get("/messages", &[("message_ids", &all)])
        .bad_request();
}

/// A message with too many submessages or reactions is sent with the first ones.
#[test]
fn a_message_with_too_many_attached_things_is_cut_and_sent() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let poll = to_channel(&user, &channel, "t", "/poll x");
    let next = to_channel(&user, &channel, "t", "x");
    let vote = format!(
        r#"{{"type":"vote","key":"{}","vote":1}}"#,
        "\u{1f600}".repeat(9950)
    );
    let database = server().database();
    let sql = "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
        SELECT ?1, ?2, 'widget', ?3 FROM n";
    database
        .execute(sql, rusqlite::params![poll, user.user_id, vote])
        .expect("votes");
    let page = page(&user, &channel, &next.to_string(), "5", "5");
    assert_eq!(ids(&page), [poll, next]);
    let shown = user.get(&format!("/messages/{poll}"), &[]).ok()["message"].clone();
    for message in [&page["messages"][0], &shown] {
        assert_eq!(message["is_incomplete"], true);
        let submessages = message["submessages"].as_array().unwrap();
        assert!(
            (2..=26).contains(&submessages.len()),
            "{}",
            submessages.len()
        );
        assert!(submessages[0]["content"].as_str().unwrap().contains("poll"));
    }
    assert_eq!(page["messages"][1]["is_incomplete"], Value::Null);
    let pairs = [
        ("message_id", poll.to_string()),
        ("msg_type", "widget".to_owned()),
        (
            "content",
            r#"{"type":"vote","key":"canned,0","vote":1}"#.to_owned(),
        ),
    ];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    user.post("/submessage", &pairs).bad_request();
}
