//! What an app may not do.

use serde_json::json;
use spindle_tests::apps::change;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, until};

use super::{text, world, world_of};

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
    // The app is still to hear of the failed effect.
    until("the end of all events", || {
        (world.now()["waiting_events"] == 0).then_some(())
    });
    change(&world.owner, &world.app, &[("is_paused", "true")]).ok();
    world.tell("unheard");
    assert_eq!(world.now()["waiting_events"], 0);
}

#[test]
fn a_tick_comes_when_its_right_is_granted_again() {
    let world = world();
    let granted = world.now()["rights"].to_string();
    world.say("/test home");
    world.say("/test later 60");
    world.settle();
    change(&world.owner, &world.app, &[("rights", &rights("null"))]).ok();
    world.server.advance(61);
    // Ticks that are due are looked at before events.
    world.say("/test hi");
    world.wait_for(2);
    change(&world.owner, &world.app, &[("rights", &granted)]).ok();
    world.server.advance(601);
    assert!(world.wait_for(3)[2].contains("tick later"));
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

/// Its earlier messages tell it nothing about a channel that it can no longer read.
#[test]
fn an_app_that_has_lost_a_channel_learns_nothing_of_it() {
    let world = world();
    let hidden = fixture::channel(&world.server, ChannelKind::PrivateShared, &[&world.user]);
    let bot = format!("[{}]", world.app["bot_user_id"]);
    let name = format!(r#"[{{"name": "{}"}}]"#, hidden.name);
    let add = [
        ("subscriptions", name.as_str()),
        ("principals", bot.as_str()),
    ];
    world.user.post("/users/me/subscriptions", &add).ok();
    let id = hidden.id();
    let pairs = [
        ("type", "channel"),
        ("to", id.as_str()),
        ("topic", "t"),
        ("content", "/test buttons"),
    ];
    world.user.post("/messages", &pairs).ok();
    let message = until("the buttons", || world.answers().last().cloned());
    let path = format!("/messages/{}/click", message["id"]);
    let click = || world.user.post(&path, &[("button", "a")]);
    click().ok();
    world.settle();
    let names = format!(r#"["{}"]"#, hidden.name);
    let remove = [
        ("subscriptions", names.as_str()),
        ("principals", bot.as_str()),
    ];
    world.owner.delete("/users/me/subscriptions", &remove).ok();
    click().bad_request();
    world.settle();
    assert!(!world.log().iter().any(|line| line.contains("not made")));
}

#[test]
fn in_a_deactivated_organization_apps_wait() {
    let world = world();
    world.say("/test home");
    assert_eq!(world.wait_for(1), ["home"]);
    world.say("/test later 60");
    world.settle();
    let url = world.app["webhook_url"].as_str().unwrap().to_owned();
    let (_, path) = url.split_once("/api/v1").unwrap();
    world.server.admin(&["organization", "deactivate"]);
    let call = Call::new("POST", path).raw(Some("text/plain"), b"x");
    world.server.anonymous().send(call).bad_request();
    world.server.advance(61);
    world.server.admin(&["organization", "reactivate"]);
    assert_eq!(world.wait_for(2)[1], "tick later");
}

#[test]
fn any_host_is_granted_or_narrowed() {
    let world = world_of("app_feeds");
    assert_eq!(world.app["rights"]["hosts"], json!(["*"]));
    let grant = |hosts: &serde_json::Value| {
        let rights = json!({"events": ["command", "tick", "answer"], "commands": ["feed"],
            "hosts": hosts, "channels": null});
        change(&world.owner, &world.app, &[("rights", &rights.to_string())])
    };
    for (hosts, missing) in [
        (json!(["feeds.example.com", "localhost:8080"]), json!([])),
        (json!([]), json!(["*"])),
        (json!(["*"]), json!([])),
    ] {
        let app = grant(&hosts).ok()["app"].clone();
        assert_eq!(app["rights"]["hosts"], hosts);
        assert_eq!(app["missing_rights"]["hosts"], missing);
    }
    grant(&json!(["https://feeds.example.com"])).bad_request();
    grant(&json!(["*.example.com"])).bad_request();
    let many: Vec<String> = (0..101)
        .map(|number| format!("a{number}.example"))
        .collect();
    grant(&json!(many)).bad_request();
    // An app that asks for no host gets none.
    let other = world_of("test_app");
    let rights =
        json!({"events": [], "commands": [], "hosts": ["*"], "channels": null}).to_string();
    change(&other.owner, &other.app, &[("rights", &rights)]).bad_request();
}
