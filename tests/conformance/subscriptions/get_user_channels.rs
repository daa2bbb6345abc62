//! GET /users/{user_id}/channels.

use serde_json::Value;
use spindle_tests::User;
use spindle_tests::fixture::{self, ChannelKind};

use crate::support::server;

fn ask(user: &User, whose: &User) -> Vec<i64> {
    let body = user
        .get(&format!("/users/{}/channels", whose.id()), &[])
        .ok();
    let list = body["subscribed_channel_ids"].as_array().unwrap();
    list.iter().filter_map(Value::as_i64).collect()
}

#[test]
fn only_channels_visible_to_the_caller_are_listed() {
    let whose = server().user("guest");
    let public = fixture::channel(server(), ChannelKind::Public, &[&whose]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&whose]);
    let left = fixture::channel(server(), ChannelKind::Public, &[&whose]);
    fixture::unsubscribe(server(), &whose, &left);
    let all = [public.stream_id, private.stream_id];
    assert_eq!(ask(&whose, &whose), all);
    assert_eq!(ask(&server().user("administrator"), &whose), all);
    assert_eq!(ask(&server().user("member"), &whose), [public.stream_id]);
    let friend = server().user("guest");
    fixture::subscribe(server(), &friend, &private);
    assert_eq!(ask(&friend, &whose), [private.stream_id]);
    fixture::channel_column(server(), &public, "is_archived", &1);
    assert_eq!(ask(&whose, &whose), all);
}

#[test]
fn a_missing_user_is_refused() {
    let user = server().user("owner");
    user.get("/users/999999/channels", &[]).bad_request();
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    assert!(ask(&user, &gone).is_empty());
}
