//! The digest of a week, and links in mails that switch mails off.

use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Queue, Reply, User};

use super::smtp::Received;
use super::{EXTERNAL_URL, World};

const DAY: i64 = 86_400;
/// Seconds after which a person counts as away.
const FIVE_DAYS: u64 = 5 * 86_400;

impl World {
    /// Switches digests on (or not) for the next day of the server's clock, and moves the clock to its morning.
    fn next_morning(&self, is_on: bool) {
        let now = self.server.advance(1);
        let day = now / DAY + 1;
        // 1 January 1970 was a Thursday, and Monday is 0.
        let weekday = ((day + 3) % 7).to_string();
        let settings = [
            (
                "digest_emails_enabled",
                if is_on { "true" } else { "false" },
            ),
            ("digest_weekday", &weekday),
        ];
        self.server.owner().patch("/realm", &settings).ok();
        let seconds = day * DAY + 8 * 3600 + 60 - now;
        self.server.advance(u64::try_from(seconds).unwrap());
    }

    /// Uses the address in `List-Unsubscribe`, as a mail program does.
    fn unsubscribe(&self, key: &str) -> Reply {
        let call = Call::new("POST", "/unsubscriptions").query(&[("key", key)]);
        let body = [("List-Unsubscribe", "One-Click")];
        self.server.anonymous().send(call.form(&body))
    }
}

fn key_of(mail: &Received) -> String {
    let header = mail.header("List-Unsubscribe");
    let prefix = format!("<{EXTERNAL_URL}/api/v1/unsubscriptions?key=");
    let key = header
        .strip_prefix(&prefix)
        .unwrap_or_else(|| panic!("{header}"));
    key.trim_end_matches('>').to_owned()
}

fn write(from: &User, channel: &Channel, topic: &str, content: &str) {
    let id = channel.id();
    let message = [
        ("type", "channel"),
        ("to", id.as_str()),
        ("topic", topic),
        ("content", content),
    ];
    from.post("/messages", &message).ok();
}

/// The number of digests that were written, whatever became of them.
fn digests(world: &World) -> i64 {
    let sql = "SELECT count(*) FROM mails WHERE kind = 'digest'";
    let database = world.server.database();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn signed_in(world: &World) -> User {
    let user = world.server.user("member");
    user.get("/users/me", &[]).ok();
    user
}

#[test]
fn a_week_is_summed_up_for_people_who_were_away() {
    let world = World::start();
    let [writer, absent, discreet] = [(); 3].map(|()| signed_in(&world));
    let discreetly = [("message_content_in_email_notifications", "false")];
    discreet.patch("/settings", &discreetly).ok();
    let present = signed_in(&world);
    let readers = [&writer, &absent, &discreet, &present];
    let channel = fixture::channel(&world.server, ChannelKind::Public, &readers);
    let private = fixture::channel(&world.server, ChannelKind::PrivateShared, &readers);
    write(&writer, &channel, "lunch", "soup?");
    write(&discreet, &channel, "lunch", "yes");
    write(&writer, &private, "secret plans", "hush");
    fixture::unsubscribe(&world.server, &absent, &private);
    world.server.advance(FIVE_DAYS);
    let presence = [("status", "active")];
    present.post("/users/me/presence", &presence).ok();
    world.next_morning(true);

    let mail = world.smtp.wait(&absent.email, 1);
    assert!(mail.header("Subject").contains("The week"), "{}", mail.text);
    let place = format!("#{} > lunch", channel.name);
    for text in [place.as_str(), "2 messages by 2 people", "/#narrow/near/"] {
        assert!(mail.text.contains(text), "{text}: {}", mail.text);
    }
    // Neither texts nor what the person may no longer read.
    assert!(!mail.text.contains("soup") && !mail.text.contains("secret plans"));
    let mail = world.smtp.wait(&discreet.email, 1);
    assert!(!mail.text.contains("lunch") && !mail.text.contains(&channel.name));
    assert!(mail.text.contains("2 unread messages"), "{}", mail.text);
    assert!(world.smtp.to(&present.email).is_empty());
    // Once.
    let number = digests(&world);
    world.server.advance_past_run(60, "send-mails");
    assert_eq!(digests(&world), number);
    assert_eq!(world.smtp.to(&absent.email).len(), 1);
}

#[test]
fn digests_are_off_until_an_administrator_wants_them() {
    let world = World::start();
    let [writer, absent] = [(); 2].map(|()| signed_in(&world));
    let channel = fixture::channel(&world.server, ChannelKind::Public, &[&writer, &absent]);
    write(&writer, &channel, "lunch", "soup?");
    world.server.advance(FIVE_DAYS);
    world.next_morning(false);
    world.server.advance_past_run(60, "send-mails");
    assert_eq!(digests(&world), 0);
}

#[test]
fn a_link_in_a_mail_switches_mails_of_its_kind_off() {
    let world = World::start();
    let [writer, absent] = [(); 2].map(|()| signed_in(&world));
    let channel = fixture::channel(&world.server, ChannelKind::Public, &[&writer, &absent]);
    write(&writer, &channel, "lunch", "soup?");
    world.server.advance(FIVE_DAYS);
    world.next_morning(true);
    let mail = world.smtp.wait(&absent.email, 1);
    assert_eq!(
        mail.header("List-Unsubscribe-Post"),
        "List-Unsubscribe=One-Click"
    );
    let key = key_of(&mail);
    // A browser is sent to the page, which asks first.
    let opened = world
        .server
        .anonymous()
        .get("/unsubscriptions", &[("key", &key)]);
    assert_eq!(opened.status, 302);
    assert_eq!(
        opened.header("location"),
        Some(format!("/#unsubscribe/{key}").as_str())
    );
    let settings = |user: &User| {
        let types = [("fetch_event_types", r#"["user_settings"]"#)];
        user.post("/register", &types).ok()["user_settings"].clone()
    };
    assert_eq!(settings(&absent)["enable_digest_emails"], true);

    let changed = key.replace(key.chars().next().unwrap(), "_");
    for wrong in ["x", &changed, &key[1..], &format!("{key}A")] {
        world.unsubscribe(wrong).error(401, "AUTHENTICATION_FAILED");
    }
    assert_eq!(settings(&absent)["enable_digest_emails"], true);
    let mut queue = Queue::of(&absent, &["user_settings"]);
    world.unsubscribe(&key).ok();
    world.unsubscribe(&key).ok();
    let events = queue.poll();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["property"], "enable_digest_emails");
    let after = settings(&absent);
    assert_eq!(after["enable_digest_emails"], false);
    assert_eq!(after["enable_offline_email_notifications"], true);
    assert_eq!(settings(&writer)["enable_digest_emails"], true);
    // The next week has news as well.
    world.server.advance(FIVE_DAYS);
    write(&writer, &channel, "lunch", "bread?");
    world.next_morning(true);
    world.server.advance_past_run(60, "send-mails");
    assert_eq!(world.smtp.to(&absent.email).len(), 1);
    // A link ends.
    world.server.advance(61 * 86_400);
    world.unsubscribe(&key).error(401, "AUTHENTICATION_FAILED");
}
