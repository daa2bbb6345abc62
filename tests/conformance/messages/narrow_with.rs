//! The operator `with` of GET /messages (docs/protocol/narrow.md#operators).

use serde_json::json;

use super::direct;
use super::narrow::{fetch, ids, world};
use crate::support::server;

/// `with` selects the current conversation of a message and overrides the other terms.
#[test]
fn with_follows_a_moved_message() {
    let w = world();
    let with = |id: i64| json!({"operator": "with", "operand": id});
    assert_eq!(ids(&w.user, &json!([with(w.beta)])), [w.beta, w.mention]);
    let elsewhere = json!([{"operator": "channel", "operand": w.channel.name},
                           {"operator": "topic", "operand": "alpha"}, with(w.beta)]);
    assert_eq!(ids(&w.user, &elsewhere), [w.beta, w.mention]);
    let first = json!([with(w.beta), {"operator": "topic", "operand": "alpha"}]);
    assert_eq!(ids(&w.user, &first), [w.beta, w.mention]);
    assert_eq!(
        ids(&w.user, &json!([["with", w.pair.to_string()]])),
        [w.pair]
    );
    let from_direct = json!([with(w.alpha), {"operator": "dm", "operand": [w.other.user_id]}]);
    assert_eq!(ids(&w.user, &from_direct), [w.alpha]);
    let other_terms = json!([with(w.beta), {"operator": "is", "operand": "mentioned"}]);
    assert_eq!(ids(&w.user, &other_terms), [w.mention]);
    server()
        .database()
        .execute(
            "UPDATE messages SET topic = 'Alpha', topic_folded = 'alpha' WHERE id = ?1",
            [w.beta],
        )
        .unwrap();
    assert_eq!(ids(&w.user, &json!([with(w.beta)])), [w.alpha, w.beta]);
    // Without such a message, terms that name a conversation apply.
    let hidden = direct(&w.other, &[&w.other], "hidden");
    let channel = json!({"operator": "channel", "operand": w.channel.stream_id});
    let topic = json!({"operator": "topic", "operand": "beta"});
    let people = json!({"operator": "dm", "operand": [w.other.user_id]});
    for id in [hidden, 99_999_999, i64::MAX, 0, -1] {
        let narrow = json!([channel, topic, with(id)]);
        assert_eq!(ids(&w.user, &narrow), [w.mention], "{id}");
        assert_eq!(ids(&w.user, &json!([with(id), people])), [w.pair], "{id}");
        let starred = json!({"operator": "is", "operand": "starred"});
        let not_people = json!({"operator": "dm", "operand": [w.other.user_id], "negated": true});
        for other in [&channel, &topic, &starred, &not_people] {
            fetch(&w.user, &json!([other, with(id)])).error(400, "BAD_NARROW");
        }
        let narrow = json!([with(id)]);
        fetch(&w.user, &narrow).error(400, "BAD_NARROW");
        let narrow = narrow.to_string();
        let matches = [
            ("msg_ids", format!("[{}]", w.beta)),
            ("narrow", narrow.clone()),
        ];
        let matches: Vec<_> = matches
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        w.user
            .get("/messages/matches_narrow", &matches)
            .error(400, "BAD_NARROW");
        let flags = [
            ("anchor", "newest"),
            ("num_before", "5"),
            ("num_after", "0"),
            ("narrow", &narrow),
            ("op", "add"),
            ("flag", "starred"),
        ];
        w.user
            .post("/messages/flags/narrow", &flags)
            .error(400, "BAD_NARROW");
    }
    fetch(&w.user, &json!([with(w.beta), with(w.beta)])).error(400, "BAD_NARROW");
    fetch(&w.user, &json!([["with", "first"]])).error(400, "BAD_NARROW");
    let negated = json!([{"operator": "with", "operand": w.beta, "negated": true}]);
    fetch(&w.user, &negated).error(400, "BAD_NARROW");
}
