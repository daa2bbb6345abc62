//! What an app may not do.

use serde_json::json;
use spindle_tests::apps::change;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, until};

use super::{text, world};

fn rights(channels: &str) -> String {
    format!(
        r#"{{"events": ["message", "command"], "commands": ["test"], "hosts": [], "channels": {channels}}}"#
    )
}

#[test]
fn an_app_acts_only_in_granted_channels() {
    let world = world();
    let other = fixture::channel(&world.server, ChannelKind::Public, &[&world.user]);
    let only = rights(&format!("[{}]", world.channel.id()));
    let granted = change(&world.owner, &world.app, &[("rights", &only)]).ok();
    assert_eq!(
        granted["app"]["rights"]["channels"],
        json!([world.channel.stream_id])
    );
    world.say(&format!("/test send {} hidden", other.id()));
    assert_eq!(world.wait_for(1), ["sent"]);
    until("the log", || {
        let log = world.log();
        log.iter()
            .any(|line| line.contains("not among those that were granted"))
            .then_some(())
    });
    let pairs = [
        ("type", "channel"),
        ("to", &*other.id()),
        ("topic", "t"),
        ("content", "/test unheard"),
    ];
    world.user.post("/messages", &pairs).ok();
    world.settle();
    assert_eq!(world.answers().len(), 1);
    world.tell("direct messages are not restricted");
    assert_eq!(world.wait_for(2).len(), 2);
}

#[test]
fn an_app_reads_no_private_channel_of_others() {
    let world = world();
    let hidden = fixture::channel(&world.server, ChannelKind::PrivateShared, &[&world.user]);
    let say = |content: &str| {
        let id = hidden.id();
        let pairs = [
            ("type", "channel"),
            ("to", id.as_str()),
            ("topic", "t"),
            ("content", content),
        ];
        world.user.post("/messages", &pairs).ok();
    };
    say("/test unheard");
    say("@**Tester** unheard");
    assert_eq!(world.now()["waiting_events"], 0);
    world.say(&format!("/test send {} hidden", hidden.id()));
    assert_eq!(world.wait_for(1), ["sent"]);
    let log = until("the log", || {
        Some(world.log()).filter(|log| !log.is_empty())
    });
    assert!(log.iter().any(|line| line.contains("send")), "{log:?}");
    assert!(world.answers().iter().all(|one| text(one) != "hidden"));
}

#[test]
fn an_app_edits_only_its_own_messages() {
    let world = world();
    let own = world.say("mine");
    world.tell(&format!("edit {own}"));
    until("the log", || {
        world
            .log()
            .iter()
            .any(|line| line.contains("edit"))
            .then_some(())
    });
    let path = format!("/messages/{own}");
    let message = world.user.get(&path, &[("apply_markdown", "false")]).ok();
    assert_eq!(message["message"]["content"], "mine");
}

#[test]
fn events_that_are_not_granted_are_not_stored() {
    let world = world();
    world.say("/test buttons");
    world.wait_for(1);
    let click = format!("/messages/{}/click", world.answers()[0]["id"]);
    change(&world.owner, &world.app, &[("rights", &rights("null"))]).ok();
    world.user.post(&click, &[("button", "a")]).bad_request();
    world.tell("later 1");
    until("the log", || {
        world
            .log()
            .iter()
            .any(|line| line.contains("ticks are not granted"))
            .then_some(())
    });
    change(&world.owner, &world.app, &[("is_paused", "true")]).ok();
    world.tell("unheard");
    assert_eq!(world.now()["waiting_events"], 0);
}

#[test]
fn an_app_is_paused_with_its_owner_and_resumed_by_another() {
    let world = world();
    let path = format!("/users/{}", world.owner.user_id);
    let other = world.server.user("owner");
    other.send(Call::new("DELETE", &path)).ok();
    let now = || other.get("/apps", &[]).ok()["apps"][0].clone();
    assert_eq!(now()["state"], "paused");
    world
        .user
        .post(
            "/messages",
            &[
                ("type", "channel"),
                ("to", &*world.channel.id()),
                ("topic", "t"),
                ("content", "/test unheard"),
            ],
        )
        .ok();
    assert_eq!(now()["waiting_events"], 0);
    let resumed = change(&other, &world.app, &[("is_paused", "false")]).ok();
    assert_eq!(resumed["app"]["state"], "active");
    assert_eq!(resumed["app"]["owner_id"], other.user_id);
    world.tell("hello");
    assert!(world.wait_for(1)[0].ends_with("! hello"));
}
