//! Events and effects, with the app of the tests.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, until};

use super::{all, text, world};

#[test]
fn messages_commands_and_mentions_are_answered() {
    let world = world();
    let name = world.user.full_name.clone();
    world.tell("hello");
    assert_eq!(world.wait_for(1), [format!("Hello, {name}! hello")]);
    world.say("/test there");
    assert_eq!(world.wait_for(2)[1], format!("Hello, {name}! there"));
    world.say("@**Tester** you");
    assert_eq!(world.wait_for(3)[2], format!("Hello, {name}! you"));
    // Neither of these is for it, and the next answer is that to the message after them.
    world.say("/tests there");
    world.say("test there");
    world.say(" @_**Tester** silently");
    world.tell("last");
    assert_eq!(world.wait_for(4)[3], format!("Hello, {name}! last"));
    world.settle();
    assert_eq!(world.answers().len(), 4);
}

#[test]
fn values_belong_to_their_scope() {
    let world = world();
    for expected in ["1", "2"] {
        world.say("/test count");
        until("the count", || {
            (world.answers().last().map(text)? == expected).then_some(())
        });
    }
    world.tell("count");
    assert_eq!(world.wait_for(3)[2], "1");
    // Too much for a scope: the effect fails, and the app hears of it.
    world.tell("fill a");
    world.tell("fill b");
    world.settle();
    assert!(
        world.log().iter().any(|line| line.contains("store failed")),
        "{:?}",
        world.log()
    );
    let kept = "SELECT key FROM app_values WHERE length(value) = 60000 ORDER BY key";
    let kept = world.server.database().rows(kept, [], |row| row.get(0));
    let kept: Vec<String> = kept.expect("keys");
    assert_eq!(kept, ["a"]);
}

#[test]
fn buttons_are_clicked_and_counted_once() {
    let world = world();
    let mut queue = Queue::of(&world.user, &["message", "update_message"]);
    world.say("/test buttons");
    world.wait_for(1);
    let buttons = json!([{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]);
    let message = world.answers()[0].clone();
    assert_eq!(message["buttons"], buttons);
    assert!(text(&message).contains("\n\n[Answer in the browser](/#narrow/near/"));
    let event = queue.expect(|event| event["message"]["id"] == message["id"]);
    assert_eq!(event["message"]["buttons"], buttons);
    let others = all(&world.user);
    assert!(others.iter().any(|one| one.get("buttons").is_none()));
    let path = format!("/messages/{}/click", message["id"]);
    for button in ["a", "b", "a"] {
        world.user.post(&path, &[("button", button)]).ok();
    }
    until("three clicks", || {
        text(&world.answers()[0])
            .starts_with("3 clicks, the last on a")
            .then_some(())
    });
    world.user.post(&path, &[("button", "c")]).bad_request();
    world
        .user
        .post(&path, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    let outsider = world.server.user("guest");
    outsider.post(&path, &[("button", "a")]).bad_request();
    let first = world.say("no buttons");
    let path = format!("/messages/{first}/click");
    world.user.post(&path, &[("button", "a")]).bad_request();
}

#[test]
fn reactions_ticks_and_answers_for_one_person() {
    let world = world();
    world.say("/test buttons");
    world.wait_for(1);
    let path = format!("/messages/{}/reactions", world.answers()[0]["id"]);
    world.user.post(&path, &[("emoji_name", "tada")]).ok();
    assert_eq!(world.wait_for(2)[1], "added tada");
    world.say("/test react tada");
    until("its reaction", || {
        let messages = all(&world.user);
        let mut reactions = messages
            .iter()
            .flat_map(|one| one["reactions"].as_array().unwrap());
        reactions
            .any(|reaction| reaction["user_id"] == world.app["bot_user_id"])
            .then_some(())
    });
    // Without a client that shows such answers, it is a direct message.
    world.say("/test whisper psst");
    let answers = world.wait_for(3);
    assert_eq!(answers[2], "psst");
    assert_eq!(world.answers()[2]["type"], "private");
    let capabilities = r#"{"app_answers": true}"#;
    let mut queue = Queue::open(
        &world.user,
        &[
            ("event_types", r#"["app_answer"]"#),
            ("client_capabilities", capabilities),
        ],
    );
    let asked = world.say("/test whisper again");
    let event = queue.expect(|event| event["type"] == "app_answer");
    assert_eq!(event["message_id"], asked);
    assert_eq!(event["bot_id"], world.app["bot_user_id"]);
    assert_eq!(event["content"], "<p>again</p>");
    assert_eq!(world.answers().len(), 3);
    // A tick comes when it is time.
    world.say("/test home");
    assert_eq!(world.wait_for(4)[3], "home");
    world.say("/test later 60");
    world.settle();
    world.server.advance(61);
    assert_eq!(world.wait_for(5)[4], "tick later");
}

/// A browser that was closed leaves its queue, in which an answer for one person would wait in vain.
#[test]
fn an_answer_for_one_person_needs_a_client_that_polls() {
    let world = world();
    let pairs = [
        ("event_types", r#"["app_answer"]"#),
        ("client_capabilities", r#"{"app_answers": true}"#),
    ];
    let mut queue = Queue::open(&world.user, &pairs);
    world.say("/test whisper seen");
    queue.expect(|event| event["type"] == "app_answer");
    world.settle();
    assert_eq!(world.answers().len(), 0);
    world.server.advance(120);
    // On PostgreSQL, nodes learn within seconds how much time has gone by.
    until("a direct message", || {
        world.say("/test whisper psst");
        world.settle();
        let direct = |one: &serde_json::Value| one["type"] == "private" && text(one) == "psst";
        world.answers().iter().any(direct).then_some(())
    });
}

#[test]
fn an_app_that_fails_is_computed_again_and_paused() {
    let world = world();
    world.tell("trap");
    let is_logged = |number: usize| {
        until("a failed run", || {
            let log = world.log();
            let failed = log.iter().filter(|line| line.starts_with("The run failed"));
            (failed.count() >= number).then_some(())
        });
    };
    for (number, seconds) in [(1, 6), (2, 31), (3, 181)] {
        is_logged(number);
        assert_eq!(world.now()["state"], "active");
        world.server.advance(seconds);
    }
    until("the pause", || {
        (world.now()["state"] == "paused").then_some(())
    });
    let reason = world.now()["paused_reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("as "), "{reason}");
    until("the notice", || {
        let messages = all(&world.owner);
        let mut texts = messages.iter().map(text);
        texts.any(|text| text.contains("is paused")).then_some(())
    });
    // A paused app is informed of nothing; a resumed one goes on.
    world.tell("unheard");
    assert_eq!(world.now()["waiting_events"], 0);
    spindle_tests::apps::change(&world.owner, &world.app, &[("is_paused", "false")]).ok();
    world.tell("hello");
    assert!(world.wait_for(1)[0].ends_with("! hello"));
}

#[test]
fn what_an_app_may_not_return_fails() {
    let world = world();
    world.tell("many 51");
    until("a failed run", || {
        world
            .log()
            .iter()
            .any(|line| line.contains("51 effects"))
            .then_some(())
    });
    world.say("/test loop");
    until("a run that took too long", || {
        world
            .log()
            .iter()
            .any(|line| line.contains("milliseconds"))
            .then_some(())
    });
    // Others of the same scope wait; other scopes do not.
    let elsewhere = fixture::channel(&world.server, ChannelKind::Public, &[&world.user]);
    let (id, content) = (elsewhere.id(), "/test hello");
    let pairs = [
        ("type", "channel"),
        ("to", id.as_str()),
        ("topic", "t"),
        ("content", content),
    ];
    world.user.post("/messages", &pairs).ok();
    assert!(world.wait_for(1)[0].ends_with("! hello"));
}
