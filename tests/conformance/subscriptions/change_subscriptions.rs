//! PATCH /users/me/subscriptions.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, unique};

use super::record;
use crate::support::server;

const PATH: &str = "/users/me/subscriptions";

#[test]
fn both_lists_are_processed() {
    let user = server().user("member");
    let old = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let new = fixture::channel(server(), ChannelKind::Public, &[]);
    let made = unique("made by a patch ");
    let add = json!([{"name": new.name, "color": "#abcdef"}, {"name": made}, {"name": old.name}]);
    let delete = json!([old.name]).to_string();
    let body = user.patch(PATH, &[("add", &add.to_string()), ("delete", &delete)]);
    let body = body.ok();
    assert_eq!(body["subscribed"], json!({user.id(): [new.name, made]}));
    assert_eq!(body["already_subscribed"], json!({user.id(): [old.name]}));
    assert_eq!(body["removed"], json!([old.name]));
    assert_eq!(body["not_removed"], json!([]));
    assert_eq!(record(&user, old.stream_id), None);
    assert_eq!(record(&user, new.stream_id).unwrap()["color"], "#abcdef");
}

#[test]
fn at_least_one_list_is_required() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    user.patch(PATH, &[]).bad_request();
    user.patch(PATH, &[("add", "[]"), ("delete", "[]")])
        .bad_request();
    let names = json!([channel.name]).to_string();
    let add = json!([{"name": channel.name}]).to_string();
    let body = user.patch(PATH, &[("add", &add)]).ok();
    assert_eq!(body["removed"], json!([]));
    let call = Call::new("PATCH", PATH).query(&[("delete", &names)]);
    let body = user.client.send(call).ok();
    assert_eq!(body["removed"], json!([channel.name]));
    assert_eq!(body["subscribed"], json!({}));
}

#[test]
fn an_error_in_one_list_undoes_both() {
    let user = server().user("member");
    let old = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let new = fixture::channel(server(), ChannelKind::Public, &[]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let add = json!([{"name": new.name}]).to_string();
    let missing = json!([old.name, unique("missing ")]).to_string();
    user.patch(PATH, &[("add", &add), ("delete", &missing)])
        .bad_request();
    assert_eq!(record(&user, new.stream_id), None);
    let add = json!([{"name": new.name}, {"name": private.name}]).to_string();
    let delete = json!([old.name]).to_string();
    user.patch(PATH, &[("add", &add), ("delete", &delete)])
        .bad_request();
    assert!(record(&user, old.stream_id).is_some());
}

#[test]
fn parameters_are_strict() {
    let user = server().user("member");
    for (name, value) in [
        ("add", "[\"general\"]"),
        ("add", "{}"),
        ("delete", "[{\"name\": \"general\"}]"),
        ("delete", "general"),
    ] {
        user.patch(PATH, &[(name, value)]).bad_request();
    }
}
