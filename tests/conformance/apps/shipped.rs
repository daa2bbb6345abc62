//! The stand-up and the on-call rotation that come with Spindle, in a channel of two people.

use serde_json::json;
use spindle_tests::apps::change;
use spindle_tests::fixture;
use spindle_tests::{Call, Client, until};

use super::{World, all, id, text, world_of};

/// A server with an app that has all rights, and a channel of an owner and a member.
fn shipped(component: &str) -> World {
    let world = world_of(component);
    fixture::subscribe(&world.server, &world.owner, &world.channel);
    world
}

impl World {
    /// A person writes to the channel, and the app answers or reacts.
    fn say_as(&self, client: &Client, text: &str) -> i64 {
        let channel = self.channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", "daily"),
            ("content", text),
        ];
        let sent = id(&client.post("/messages", &pairs).ok());
        self.settle();
        sent
    }

    /// A person writes to the app directly.
    fn tell_as(&self, client: &Client, text: &str) {
        let to = format!("[{}]", self.bot_id());
        let pairs = [("type", "direct"), ("to", to.as_str()), ("content", text)];
        client.post("/messages", &pairs).ok();
    }

    /// Waits for a message of the app that a person reads and that contains a text; returns it.
    #[track_caller]
    fn find(&self, client: &Client, part: &str) -> serde_json::Value {
        until(part, || {
            let mut messages = all(client).into_iter().rev();
            messages
                .find(|one| one["sender_id"] == self.app["bot_user_id"] && text(one).contains(part))
        })
    }

    /// Hours and minutes (UTC) of the minute that begins so many minutes after this one, and the seconds until then.
    fn clock_in(&self, minutes: i64) -> (String, u64) {
        let now = self.server.advance(0);
        let at = (now / 60 + minutes) * 60;
        let clock = format!("{:02}:{:02}", at / 3600 % 24, at / 60 % 60);
        (clock, u64::try_from(at - now).expect("a later time"))
    }
}

#[test]
fn a_stand_up_asks_and_its_summary_is_edited() {
    let world = shipped("app_standup");
    let (clock, seconds) = world.clock_in(120);
    let plan = format!("/standup at {clock} +00:00 on mon-sun");
    world.say_as(&world.user, &plan);
    world.find(&world.user, "The next stand-up");
    world.say_as(&world.user, "/standup questions\nHow are the looms?");
    world.say_as(&world.user, "/standup join");
    let joined = world.say_as(&world.owner, "/standup join");
    let reactions = |id: i64| {
        let mut messages = all(&world.user).into_iter();
        let message = messages.find(|one| one["id"] == id).expect("the message");
        message["reactions"].clone()
    };
    assert_eq!(reactions(joined)[0]["emoji_name"], "check");

    world.server.advance(seconds);
    let asked = world.find(&world.user, "How are the looms?");
    assert_eq!(asked["type"], "private");
    world.find(&world.owner, "How are the looms?");
    world.tell_as(&world.user, "They run\n@**all**");
    world.find(&world.user, "Thank you");
    world.say_as(&world.user, "/standup");
    let state = text(&world.find(&world.user, "has answered"));
    assert!(state.contains("no answer yet"), "{state}");

    world.server.advance(3_601);
    let summary = world.find(&world.user, "**Stand-up** of");
    let (user, owner) = (world.user.user_id, world.owner.user_id);
    let content = text(&summary);
    assert!(
        content.ends_with(&format!(
            "@_**|{user}**\n> They run\n> @**all**\n\nNo answer yet: @_**|{owner}**"
        )),
        "{content}"
    );
    assert_eq!(
        (&summary["type"], &summary["subject"]),
        (&json!("stream"), &json!("daily"))
    );
    // What people answer notifies no others.
    let seen = all(&world.owner)
        .into_iter()
        .find(|one| one["id"] == summary["id"]);
    assert_eq!(seen.expect("the summary")["flags"], json!([]));
    world.tell_as(&world.owner, "Mine does not");
    let edited = world.find(&world.user, "> Mine does not");
    assert_eq!(edited["id"], summary["id"]);
    assert!(!text(&edited).contains("No answer yet"), "{edited}");
}

#[test]
fn turns_change_and_a_page_goes_on_until_a_click() {
    let world = shipped("app_oncall");
    let (clock, seconds) = world.clock_in(120);
    world.say_as(
        &world.user,
        &format!("/oncall rota daily from {clock} +00:00"),
    );
    world.find(&world.user, "The rotation has no people");
    world.say_as(&world.user, "/oncall join");
    let (user, owner) = (world.user.user_id, world.owner.user_id);
    world.find(&world.user, &format!("@**|{user}** is on call now."));
    world.say_as(&world.owner, "/oncall join");

    world.say_as(&world.owner, "@**On-call** the mill is on fire");
    let page = world.find(&world.user, "the mill is on fire");
    assert_eq!(page["buttons"][0]["label"], "I have it");
    assert!(
        page["flags"]
            .as_array()
            .unwrap()
            .contains(&json!("mentioned")),
        "{page}"
    );
    world.server.advance(601);
    let next = world.find(&world.owner, "is still open");
    assert!(text(&next).starts_with(&format!("@**|{owner}**")), "{next}");
    let path = format!("/messages/{}/click", page["id"]);
    world.owner.post(&path, &[("button", "acknowledge")]).ok();
    let taken = world.find(&world.user, &format!("@_**|{owner}** takes care of it."));
    assert_eq!(taken["id"], page["id"]);
    world.owner.post(&path, &[("button", "resolve")]).ok();
    let resolved = world.find(&world.user, "Resolved by");
    assert_eq!(resolved.get("buttons"), None);

    world.server.advance(seconds - 601);
    let changed = world.find(&world.user, "takes over from");
    assert_eq!(
        text(&changed),
        format!("@**|{owner}** is on call now, and takes over from @_**|{user}**.")
    );
}

#[test]
fn an_alert_from_outside_pages() {
    let world = shipped("app_oncall");
    world.say_as(&world.user, "/oncall rota weekly from mon 09:00");
    world.say_as(&world.user, "/oncall join");
    let settings = json!({"channel": world.channel.stream_id}).to_string();
    let changed = change(&world.owner, &world.app, &[("settings", &settings)]).ok();
    let url = changed["app"]["webhook_url"].as_str().unwrap().to_owned();
    let (_, path) = url.split_once("/api/v1").unwrap();
    let body = br#"{"title": "Disk full", "text": "db1"}"#;
    let call = Call::new("POST", path).raw(Some("application/json"), body);
    world.server.anonymous().send(call).ok();
    let page = world.find(&world.user, "> Disk full");
    assert_eq!(page["subject"], "alerts");
    let mention = format!("@**|{}**", world.user.user_id);
    assert!(text(&page).starts_with(&mention), "{page}");
}
