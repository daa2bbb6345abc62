//! The app for GitHub that ships with the server. GitHub itself is not called.

use serde_json::json;
use spindle_tests::Call;

use super::world_of;

#[test]
fn calls_of_github_go_to_topics_that_have_subscribed() {
    let world = world_of("app_github");
    world.say("/github subscribe octo/hello issues");
    assert!(world.wait_for(1)[0].starts_with("Events of octo/hello are posted here: issues."));
    let url = world.app["webhook_url"].as_str().unwrap().to_owned();
    let (_, path) = url.split_once("/api/v1").unwrap();
    let anonymous = world.server.anonymous();
    let call = |action: &str| {
        let body = json!({
            "action": action,
            "issue": {"number": 5, "title": "@**all** hi", "html_url": "https://github.com/octo/hello/issues/5"},
            "repository": {"full_name": "octo/hello", "html_url": "https://github.com/octo/hello"},
            "sender": {"login": "ann"},
        });
        let body = body.to_string();
        let call = Call::new("POST", path).raw(Some("application/json"), body.as_bytes());
        anonymous.send(call).ok();
    };
    call("labeled");
    call("opened");
    assert_eq!(
        world.wait_for(2)[1],
        "[octo/hello](https://github.com/octo/hello): ann opened issue [octo/hello#5 @&#42;&#42;all&#42;&#42; hi](https://github.com/octo/hello/issues/5)"
    );
    world.say("/github list");
    assert_eq!(world.wait_for(3)[2], "* octo/hello in \"t\": issues");
    world.say("/github unsubscribe octo/hello");
    world.wait_for(4);
    world.settle();
    call("closed");
    world.settle();
    assert_eq!(world.answers().len(), 4);
}

#[test]
fn without_its_host_nothing_is_shown() {
    let world = world_of("app_github");
    let rights = json!({"events": ["message", "command", "tick", "webhook", "answer"], "commands": ["github"],
        "hosts": [], "channels": null});
    let rights = rights.to_string();
    spindle_tests::apps::change(&world.owner, &world.app, &[("rights", &rights)]).ok();
    world.say("/github show https://github.com/octo/hello/issues/5");
    let text = world.wait_for(1).remove(0);
    assert!(text.starts_with("The request was not made:"), "{text}");
    assert!(text.contains("api.github.com"), "{text}");
    world.tell("https://github.com/octo/hello/pull/7");
    assert!(world.wait_for(2)[1].starts_with("The request was not made:"));
}
