//! Changes of an observer's private data by another client of the same account.

use serde_json::json;
use spindle_tests::User;

use super::World;
use crate::random::Random;

/// Two writers may do the same concurrently, so that both success and the error of the later one
/// are accepted.
fn send(user: &User, method: &str, path: &str, pairs: &[(&str, &str)]) {
    let reply = user.send(spindle_tests::Call::new(method, path).form(pairs));
    assert!(
        matches!(reply.status, 200 | 400 | 404),
        "{method} {path}: {} {}",
        reply.status,
        reply.body
    );
}

pub(super) fn snippet(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let title = format!("title {}", random.below(100));
    let list = user.get("/saved_snippets", &[]).ok();
    let list = list["saved_snippets"].as_array().expect("a list").clone();
    if list.len() < 3 {
        let pairs = [("title", title.as_str()), ("content", "text")];
        user.post("/saved_snippets", &pairs).ok();
        return;
    }
    let path = format!("/saved_snippets/{}", random.pick(&list)["id"]);
    match random.below(2) {
        0 => send(user, "PATCH", &path, &[("title", &title)]),
        _ => send(user, "DELETE", &path, &[]),
    }
}

pub(super) fn draft(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let channel = random.pick(&world.channels).stream_id;
    let (kind, to) = *random.pick(&[("", ""), ("stream", "x"), ("private", "")]);
    let to = if to.is_empty() {
        json!([])
    } else {
        json!([channel])
    };
    let draft = json!({"type": kind, "to": to, "topic": "t", "content": "text",
        "timestamp": random.below(1000)});
    let list = user.get("/drafts", &[]).ok();
    let list = list["drafts"].as_array().expect("a list").clone();
    if list.len() < 3 {
        let drafts = json!([draft]).to_string();
        send(user, "POST", "/drafts", &[("drafts", &drafts)]);
        return;
    }
    let path = format!("/drafts/{}", random.pick(&list)["id"]);
    match random.below(2) {
        0 => send(user, "PATCH", &path, &[("draft", &draft.to_string())]),
        _ => send(user, "DELETE", &path, &[]),
    }
}

/// Messages to oneself, and reminders of the message sent last.
pub(super) fn scheduled(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let (own, later) = (
        format!("[{}]", user.id()),
        ("scheduled_delivery_timestamp", "4000000000"),
    );
    let list = user.get("/scheduled_messages", &[]).ok();
    let list = list["scheduled_messages"]
        .as_array()
        .expect("a list")
        .clone();
    if list.len() < 3 {
        let pairs = [
            ("type", "direct"),
            ("to", own.as_str()),
            ("content", "text"),
            later,
        ];
        send(user, "POST", "/scheduled_messages", &pairs);
        return;
    }
    let id = &random.pick(&list)["scheduled_message_id"];
    let path = format!("/scheduled_messages/{id}");
    match random.below(4) {
        0 => send(user, "PATCH", &path, &[("content", "*other*")]),
        1 => send(user, "DELETE", &path, &[]),
        _ => reminder(user, later, random),
    }
}

fn reminder(user: &User, later: (&str, &str), random: &mut Random) {
    let list = user.get("/reminders", &[]).ok();
    let list = list["reminders"].as_array().expect("a list").clone();
    if list.len() >= 3 {
        let path = format!("/reminders/{}", random.pick(&list)["reminder_id"]);
        send(user, "DELETE", &path, &[]);
        return;
    }
    let window = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
    ];
    let page = user.get("/messages", &window).ok();
    if let Some(message) = page["messages"].as_array().and_then(|list| list.last()) {
        let id = message["id"].to_string();
        send(user, "POST", "/reminders", &[("message_id", &id), later]);
    }
}

pub(super) fn view(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let fragment = *random.pick(&["inbox", "narrow/is/starred", "mine", "narrow/x"]);
    let path = format!("/navigation_views/{}", fragment.replace('/', "%2F"));
    let name = format!("name {}", random.below(5));
    let is_pinned = *random.pick(&["true", "false"]);
    let mut pairs = vec![("is_pinned", is_pinned)];
    if matches!(fragment, "mine" | "narrow/x") {
        pairs.push(("name", &name));
    }
    match random.below(3) {
        0 => {
            pairs.push(("fragment", fragment));
            send(user, "POST", "/navigation_views", &pairs);
        }
        1 => send(user, "PATCH", &path, &pairs),
        _ => send(user, "DELETE", &path, &[]),
    }
}

pub(super) fn device(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let key = random.below(1000).to_string();
    let registration = [
        ("push_key", "MTaU"),
        ("bouncer_public_key", "key"),
        ("encrypted_push_registration", "data"),
        ("token_kind", "fcm"),
    ];
    if random.below(2) == 0 {
        let account = random.below(4).to_string();
        let pairs = [&registration[..], &[("push_account_id", &account)]].concat();
        send(user, "POST", "/mobile_push/register", &pairs);
        return;
    }
    let made = user.post("/register_client_device", &[]).ok();
    let id = made["device_id"].to_string();
    let pairs = [
        &registration[..],
        &[
            ("device_id", &id),
            ("push_key_id", &key),
            ("token_id", &key),
        ],
    ]
    .concat();
    send(user, "POST", "/mobile_push/register", &pairs);
    if random.below(2) == 0 {
        send(user, "POST", "/remove_client_device", &[("device_id", &id)]);
    }
}

pub(super) fn words_and_mutes(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let method = *random.pick(&["POST", "DELETE"]);
    if random.below(2) == 0 {
        let words = *random.pick(&["[\"hello\"]", "[\"plain\", \"group\"]"]);
        send(
            user,
            method,
            "/users/me/alert_words",
            &[("alert_words", words)],
        );
    } else {
        let muted = random.pick(&world.writers).id();
        let path = format!("/users/me/muted_users/{muted}");
        send(user, method, &path, &[]);
    }
}

pub(super) fn topics(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    // In topics with mentions of everybody, muting would change which messages count as mentions.
    let channel = random.pick(&world.channels[3..]).id();
    let pairs = [
        ("stream_id", channel.as_str()),
        ("topic", *random.pick(&["alpha", "Alpha", "beta", ""])),
        ("visibility_policy", *random.pick(&["0", "1", "2", "3"])),
    ];
    send(user, "POST", "/user_topics", &pairs);
}

/// Flags on the newest messages of an observer.
pub(super) fn marks(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let channel = random.pick(&world.channels[..5]).id();
    let topic = *random.pick(&["alpha", "beta", ""]);
    match random.below(8) {
        0 => return send(user, "POST", "/mark_all_as_read", &[]),
        1 => {
            let pairs = [("stream_id", channel.as_str())];
            return send(user, "POST", "/mark_stream_as_read", &pairs);
        }
        2 => {
            let pairs = [("stream_id", channel.as_str()), ("topic_name", topic)];
            return send(user, "POST", "/mark_topic_as_read", &pairs);
        }
        _ => {}
    }
    let list = user.get("/messages", &[("anchor", "newest"), ("num_before", "8")]);
    let body = list.ok();
    let mut ids: Vec<String> = body["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|message| message["id"].to_string())
        .collect();
    ids.retain(|_| random.below(2) == 0);
    let messages = format!("[{}]", ids.join(","));
    let pairs = [
        ("messages", messages.as_str()),
        ("op", *random.pick(&["add", "remove"])),
        (
            "flag",
            *random.pick(&["read", "read", "starred", "collapsed"]),
        ),
    ];
    send(user, "POST", "/messages/flags", &pairs);
}

pub(super) fn settings(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let number = (1 + random.below(3)).to_string();
    let flag = *random.pick(&["true", "false"]);
    let pairs = [
        ("color_scheme", number.as_str()),
        ("enter_sends", flag),
        ("email_address_visibility", &number),
        ("timezone", *random.pick(&["UTC", "Asia/Tokyo", ""])),
        ("presence_enabled", flag),
    ];
    let first = random.below(pairs.len() as u64) as usize;
    send(user, "PATCH", "/settings", &pairs[first..]);
    // The second observer is an administrator.
    let path = "/realm/user_settings_defaults";
    send(&world.observers[1], "PATCH", path, &pairs[..1]);
}

pub(super) fn bot(world: &World, _user: &User, random: &mut Random) {
    let user = random.pick(&world.observers);
    let (full_name, short_name) = (spindle_tests::unique("Bot "), spindle_tests::unique("bot"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let made = user.post("/bots", &pairs);
    // An administrator may just have taken the permission away.
    if made.status == 400 {
        return;
    }
    let path = format!("/bots/{}", made.ok()["user_id"]);
    let owner = random.pick(&world.observers).id();
    let pairs = [
        ("bot_owner_id", owner.as_str()),
        ("default_all_public_streams", "true"),
    ];
    // The second observer is an administrator: only they give a bot to another person.
    let first = random.below(2) as usize;
    let administrator = &world.observers[1];
    let changer = if first == 0 { administrator } else { user };
    send(changer, "PATCH", &path, &pairs[first..]);
    // The channel may be renamed or hidden at any moment.
    let channel = &world.channels[random.below(3) as usize];
    let found = user.get(&format!("/streams/{}", channel.id()), &[]);
    if let Some(name) = found.body["stream"]["name"].as_str() {
        user.patch(&path, &[("default_sending_stream", name)]);
    }
    if random.below(3) > 0 {
        send(&world.observers[1], "DELETE", &path, &[]);
    }
}
