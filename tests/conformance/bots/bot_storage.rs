//! GET, PUT and DELETE /bot_storage (docs/protocol/clients.md#zulip_bots).

use serde_json::json;
use spindle_tests::Call;

use super::bot_on;
use crate::support::server;

const PATH: &str = "/bot_storage";

fn put(client: &spindle_tests::Client, storage: &str) -> spindle_tests::Reply {
    client.send(Call::new("PUT", PATH).form(&[("storage", storage)]))
}

#[test]
fn each_bot_has_a_storage_of_its_own() {
    let owner = server().user("member");
    let (one, two) = (bot_on(server(), &owner, &[]), bot_on(server(), &owner, &[]));
    put(&one.client, r#"{"a": "1", "b": "zwei \"\u00fc\""}"#).ok();
    put(&one.client, r#"{"a": "3", "": ""}"#).ok();
    put(&two.client, r#"{"a": "other"}"#).ok();
    let all = one.client.get(PATH, &[]).ok();
    assert_eq!(
        all["storage"],
        json!({"a": "3", "b": "zwei \"\u{fc}\"", "": ""})
    );
    let some = one.client.get(PATH, &[("keys", r#"["b", "b"]"#)]).ok();
    assert_eq!(some["storage"], json!({"b": "zwei \"\u{fc}\""}));
    let nothing = one.client.get(PATH, &[("keys", "[]")]).ok();
    assert_eq!(nothing["storage"], json!({}));
    one.client
        .send(Call::new("DELETE", PATH).form(&[("keys", r#"["a"]"#)]))
        .ok();
    one.client.get(PATH, &[("keys", r#"["a"]"#)]).bad_request();
    one.client.send(Call::new("DELETE", PATH)).ok();
    assert_eq!(one.client.get(PATH, &[]).ok()["storage"], json!({}));
    assert_eq!(
        two.client.get(PATH, &[]).ok()["storage"],
        json!({"a": "other"})
    );
    assert_eq!(owner.get(PATH, &[]).ok()["storage"], json!({}));
}

#[test]
fn invalid_requests_change_nothing() {
    let bot = bot_on(server(), &server().user("member"), &[]);
    put(&bot.client, r#"{"a": "1"}"#).ok();
    bot.client
        .send(Call::new("PUT", PATH))
        .error(400, "REQUEST_VARIABLE_MISSING");
    for storage in [
        "",
        "x",
        "[]",
        r#"{"a": 1}"#,
        r#"{"a": null}"#,
        r#"{"a": {}}"#,
    ] {
        put(&bot.client, storage).bad_request();
    }
    for keys in [r#"["a", "x"]"#, "a", "[1]"] {
        bot.client.get(PATH, &[("keys", keys)]).bad_request();
        bot.client
            .send(Call::new("DELETE", PATH).form(&[("keys", keys)]))
            .bad_request();
    }
    assert_eq!(bot.client.get(PATH, &[]).ok()["storage"], json!({"a": "1"}));
}

/// At most 10,000,000 characters in total, over any number of requests.
#[test]
fn bot_storage_has_a_maximum_size() {
    let owner = server().user("member");
    let bot = bot_on(server(), &owner, &[]);
    let database = server().database();
    database
        .execute(
            "INSERT INTO bot_storage (user_id, key, value) \
             VALUES (?1, 'big', printf('%.*c', 9999990, 'x'))",
            [bot.id],
        )
        .unwrap();
    put(&bot.client, r#"{"k": "123456"}"#).ok();
    put(&bot.client, r#"{"k": "1234567"}"#).bad_request();
    let kept = bot.client.get(PATH, &[("keys", r#"["k"]"#)]).ok();
    assert_eq!(kept["storage"], json!({"k": "123456"}));
    bot.client
        .send(Call::new("DELETE", PATH).form(&[("keys", r#"["big"]"#)]))
        .ok();
    put(&bot.client, r#"{"k": "1234567"}"#).ok();
}
