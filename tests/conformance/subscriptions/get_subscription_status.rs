//! GET /users/{user_id}/subscriptions/{stream_id}.

use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use crate::support::server;

fn ask(user: &User, whose: &User, channel: &Channel) -> spindle_tests::Reply {
    let path = format!("/users/{}/subscriptions/{}", whose.id(), channel.id());
    user.get(&path, &[])
}

#[test]
fn the_answer_is_true_for_active_subscriptions() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    assert_eq!(ask(&user, &other, &channel).ok()["is_subscribed"], true);
    assert_eq!(ask(&user, &user, &channel).ok()["is_subscribed"], false);
    fixture::unsubscribe(server(), &other, &channel);
    assert_eq!(ask(&user, &other, &channel).ok()["is_subscribed"], false);
    fixture::subscribe(server(), &other, &channel);
    server().admin(&["user", "deactivate", "--email", &other.email]);
    assert_eq!(ask(&user, &other, &channel).ok()["is_subscribed"], false);
}

#[test]
fn the_user_is_looked_up_before_the_channel() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let body = ask(&user, &other, &hidden).error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(body["stream_id"], hidden.stream_id);
    let path = format!("/users/999999/subscriptions/{}", hidden.id());
    user.get(&path, &[]).bad_request();
    let path = format!("/users/{}/subscriptions/999999", other.id());
    user.get(&path, &[]).error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(
        ask(&server().user("owner"), &other, &hidden).ok()["is_subscribed"],
        true
    );
}
