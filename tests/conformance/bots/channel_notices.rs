//! Notices of the notification bot about channels (FL 397, 434).

use serde_json::json;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Options, Queue, Server, User, unique};

use super::{NOTIFICATION_BOT, notices_in, said_by};
use crate::support::{server, settle};

fn change(user: &User, channel: &Channel, pairs: &[(&str, &str)]) {
    user.patch(&format!("/streams/{}", channel.id()), pairs)
        .ok();
}

#[test]
fn changes_of_a_channel_are_announced_in_it() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member]);
    let mut queue = Queue::of(&member, &["message", "user_status"]);
    change(&owner, &channel, &[("description", "old `x`")]);
    let name = unique("new ");
    change(
        &owner,
        &channel,
        &[
            ("description", "```\n@**all**"),
            ("is_private", "true"),
            ("new_name", &name),
        ],
    );
    change(&owner, &channel, &[("new_name", &name)]);
    owner
        .send(Call::new("DELETE", &format!("/streams/{}", channel.id())))
        .ok();
    let notices = notices_in(&member, &channel);
    assert!(notices.iter().all(|(topic, _)| topic == "channel events"));
    let texts: Vec<&str> = notices.iter().map(|(_, text)| text.as_str()).collect();
    let who = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert!(texts[0].starts_with(&format!("{who} changed the description")));
    assert!(texts[0].ends_with("**Now:**\n```quote\nold `x`\n```"));
    let expected = "from **Public** to **Private, shared history**.";
    assert!(texts[1].ends_with(expected), "{}", texts[1]);
    assert!(
        texts[2].contains("````quote\n``` @**all**\n````"),
        "{}",
        texts[2]
    );
    assert_eq!(
        texts[3],
        format!(
            "{who} renamed this channel from `{}` to `{name}`.",
            channel.name
        )
    );
    assert_eq!(texts[4], format!("{who} archived this channel."));
    // A notice mentions no one, whatever the description contains.
    let events = settle(&mut queue);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["message"]["sender_email"], NOTIFICATION_BOT);
        // The last one says that the channel was archived: all have read it.
        let expected = if number == 4 {
            json!(["read"])
        } else {
            json!([])
        };
        assert_eq!(event["flags"], expected);
        assert_eq!(event["message"]["sender_realm_str"], "spindleinternal");
    }
}

#[test]
fn changes_of_a_folder_are_announced_unless_notices_are_off() {
    let server = Server::start(Options::default());
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let folder = owner
        .post(
            "/channel_folders/create",
            &[("name", "Docs"), ("description", "")],
        )
        .ok();
    let folder = folder["channel_folder_id"].to_string();
    change(&owner, &channel, &[("folder_id", &folder)]);
    change(&owner, &channel, &[("folder_id", "null")]);
    owner
        .patch("/realm", &[("send_channel_events_messages", "false")])
        .ok();
    change(&owner, &channel, &[("description", "quiet")]);
    let texts: Vec<String> = notices_in(&owner, &channel)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].ends_with("put this channel into the folder `Docs`."));
    assert!(texts[1].ends_with("took this channel out of its folder."));
}

#[test]
fn subscribed_users_are_notified_who_subscribed_them() {
    let (user, other, bot) = (
        server().user("member"),
        server().user("member"),
        server().bot(),
    );
    let channels = [0, 1].map(|_| fixture::channel(server(), ChannelKind::Public, &[]));
    let principals = json!([user.user_id, other.user_id, bot.user_id]).to_string();
    let subscribe = |names: &[&str], further: &[(&str, &str)]| {
        let wishes: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
        let wishes = json!(wishes).to_string();
        let pairs = [
            ("subscriptions", wishes.as_str()),
            ("principals", &principals),
        ];
        user.post("/users/me/subscriptions", &[&pairs[..], further].concat())
            .ok()
    };
    let new = unique("brand new ");
    let sent = subscribe(&[&channels[0].name, &new], &[]);
    assert_eq!(sent["new_subscription_messages_sent"], true);
    let quiet = [("send_new_subscription_messages", "false")];
    subscribe(&[&channels[1].name], &quiet);
    let who = format!("@_**{}|{}**", user.full_name, user.user_id);
    let received = said_by(&other, NOTIFICATION_BOT);
    assert_eq!(
        received,
        [format!(
            "{who} subscribed you to the channel #**{}**.",
            channels[0].name
        )]
    );
    assert!(said_by(&user, NOTIFICATION_BOT).is_empty());
    assert!(said_by(&bot, NOTIFICATION_BOT).is_empty());
}

#[test]
fn subscribers_above_the_limit_are_not_notified() {
    let server = Server::start(Options::default());
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[]);
    let people: Vec<i64> = {
        let database = server.database();
        database
            .execute_batch(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
                 INSERT INTO users (realm_id, email, email_folded, delivery_email,
                     delivery_email_folded, full_name, full_name_folded, role, date_joined)
                 SELECT 1, 'm' || i || '@x', 'm' || i || '@x', 'm' || i || '@x',
                     'm' || i || '@x', 'M ' || i, 'm ' || i, 400, 0 FROM n",
            )
            .unwrap();
        let ids = "SELECT id FROM users WHERE email LIKE 'm%@x'";
        database.rows(ids, [], |row| row.get(0)).unwrap()
    };
    let wishes = json!([{"name": channel.name}]).to_string();
    let add = |people: &[i64]| {
        let principals = json!(people).to_string();
        let pairs = [
            ("subscriptions", wishes.as_str()),
            ("principals", &principals),
        ];
        owner.post("/users/me/subscriptions", &pairs).ok()["new_subscription_messages_sent"].clone()
    };
    assert_eq!(add(&people), false);
    assert_eq!(add(&people), true, "they were subscribed before");
}

#[test]
fn new_channels_are_announced_where_the_organization_asks_for_it() {
    let server = Server::start(Options::default());
    let owner = server.user("owner");
    let place = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let create = |name: &str, further: &[(&str, &str)]| {
        let pairs = [("name", name), ("subscribers", "[]"), ("announce", "true")];
        owner
            .post("/channels/create", &[&pairs[..], further].concat())
            .ok();
    };
    create("too early", &[]);
    let setting = ("new_stream_announcements_stream_id", place.id());
    owner.patch("/realm", &[(setting.0, &setting.1)]).ok();
    create("first", &[]);
    create("unsaid", &[("announce", "false")]);
    create("secret", &[("invite_only", "true")]);
    let wishes = r#"[{"name": "second"}, {"name": "third"}, {"name": "first"}]"#;
    let pairs = [("subscriptions", wishes), ("announce", "true")];
    owner.post("/users/me/subscriptions", &pairs).ok();
    let who = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    let topic = "new channels".to_owned();
    assert_eq!(
        notices_in(&owner, &place),
        [
            (
                topic.clone(),
                format!("{who} created the channel #**first**.")
            ),
            (
                topic,
                format!("{who} created these channels:\n\n* #**second**\n* #**third**")
            ),
        ]
    );
}

/// Its author has no need to read that a channel was created, neither in it nor where it is announced.
#[test]
fn a_new_channel_says_who_created_it() {
    let server = Server::start(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    let place = fixture::channel(&server, ChannelKind::Public, &[&owner, &member]);
    let setting = ("new_stream_announcements_stream_id", place.id());
    owner.patch("/realm", &[(setting.0, &setting.1)]).ok();
    let types = ["message"];
    let mut queues = [Queue::of(&owner, &types), Queue::of(&member, &types)];
    let principals = json!([owner.user_id, member.user_id]).to_string();
    let create = |name: &str, description: &str| {
        let pairs = [
            ("name", name),
            ("description", description),
            ("subscribers", &principals),
            ("announce", "true"),
        ];
        owner.post("/channels/create", &pairs).ok()["id"].clone()
    };
    create("plain", "");
    create("told", "for *all*");
    let who = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    let first = [
        format!("{who} created this channel (**Public**)."),
        format!(
            "{who} created this channel (**Public**).\n**Description:**\n```quote\nfor *all*\n```"
        ),
    ];
    for (queue, is_author) in queues.iter_mut().zip([true, false]) {
        let is_last = |event: &serde_json::Value| event["message"]["content"] == first[1].as_str();
        let events = queue.until(is_last);
        let contents: Vec<&str> = events
            .iter()
            .map(|event| event["message"]["content"].as_str().unwrap())
            .collect();
        let announced = |name: &str| format!("{who} created the channel #**{name}**.");
        assert_eq!(
            contents,
            [
                &announced("plain"),
                &first[0],
                &announced("told"),
                &first[1]
            ]
        );
        for event in events {
            let expected = if is_author {
                json!(["read"])
            } else {
                json!([])
            };
            assert_eq!(event["flags"], expected);
        }
    }
    owner
        .patch("/realm", &[("send_channel_events_messages", "false")])
        .ok();
    create("quiet", "");
    let events = queues[1].until(|event| event["type"] == "message");
    assert_eq!(events.len(), 1, "only the announcement: {events:?}");
}

/// Groups are named and people counted, since guests read it who may not know them.
#[test]
fn a_channel_says_who_may_post_now() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member]);
    let groups = owner.get("/user_groups", &[]).ok();
    let moderators = groups["user_groups"]
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["name"] == "role:moderators")
        .unwrap()["id"]
        .clone();
    let value = json!({"direct_members": [owner.user_id, member.user_id],
        "direct_subgroups": [moderators]});
    let update = json!({"new": value}).to_string();
    change(&owner, &channel, &[("can_send_message_group", &update)]);
    change(&owner, &channel, &[("can_send_message_group", &update)]);
    let who = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    assert_eq!(
        notices_in(&member, &channel),
        [(
            "channel events".to_owned(),
            format!(
                "{who} changed who may post in this channel:\n\
                 * **Before:** Everyone\n* **Now:** Moderators, 2 people"
            )
        )]
    );
}

/// Names in a person's text resolve with that person's visibility; in the server's text they do not resolve.
#[test]
fn notices_resolve_no_name_that_their_writer_does_not_know() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member, &owner]);
    let group = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, group, "role:members");
    let secret = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let known = fixture::channel(server(), ChannelKind::Public, &[]);
    let text = format!("#**{}** #**{}**", secret.name, known.name);
    change(&member, &channel, &[("description", &text)]);
    // The owner can see the name but did not write this text.
    change(&owner, &channel, &[("description", "other")]);
    let name = format!("x @_**|{}**", owner.user_id);
    change(&member, &channel, &[("new_name", &name)]);
    let narrow = super::in_channel(&channel);
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "50"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let body = member.get("/messages", &pairs).ok();
    let notices: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    let [written, replaced, renamed] = notices[..] else {
        panic!("{notices:?}");
    };
    let link = |channel: &Channel| format!("data-stream-id=\"{}\"", channel.stream_id);
    for html in [written, replaced] {
        assert!(
            html.contains(&secret.name) && !html.contains(&link(&secret)),
            "{html}"
        );
    }
    assert!(written.contains(&link(&known)), "{written}");
    assert!(!replaced.contains(&link(&known)), "{replaced}");
    let mention = |user: &User| format!("data-user-id=\"{}\"", user.user_id);
    assert!(renamed.contains(&mention(&member)), "{renamed}");
    assert!(!renamed.contains(&mention(&owner)), "{renamed}");
}

/// A name chosen by a user gives the bot's words no link, mention or emphasis.
#[test]
fn names_in_notices_are_no_markup() {
    let server = Server::start(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    let place = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let setting = ("new_stream_announcements_stream_id", place.id());
    owner.patch("/realm", &[(setting.0, &setting.1)]).ok();
    let name = "n** [Sign in](http://evil.example) @**all** **";
    let wishes = json!([{"name": name}]).to_string();
    let announced = [("subscriptions", wishes.as_str()), ("announce", "true")];
    owner.post("/users/me/subscriptions", &announced).ok();
    let principals = json!([member.user_id]).to_string();
    let pairs = [
        ("subscriptions", wishes.as_str()),
        ("principals", &principals),
    ];
    owner.post("/users/me/subscriptions", &pairs).ok();
    let who = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    assert_eq!(
        notices_in(&owner, &place),
        [(
            "new channels".to_owned(),
            format!("{who} created the channel `{name}`.")
        )]
    );
    assert_eq!(
        said_by(&member, NOTIFICATION_BOT),
        [format!("{who} subscribed you to the channel `{name}`.")]
    );
    let folder = "[Docs](http://evil.example)";
    let folder_pairs = [("name", folder), ("description", "")];
    let made = owner.post("/channel_folders/create", &folder_pairs).ok();
    let folder_id = made["channel_folder_id"].to_string();
    change(&owner, &place, &[("folder_id", &folder_id)]);
    let renamed = "[Sign in](http://evil.example)";
    change(&owner, &place, &[("new_name", renamed)]);
    let texts: Vec<String> = notices_in(&owner, &place)
        .into_iter()
        .filter(|(topic, _)| topic == "channel events")
        .map(|(_, text)| text)
        .collect();
    assert!(texts[0].ends_with(&format!("the folder `{folder}`.")));
    assert!(texts[1].ends_with(&format!("to `{renamed}`.")), "{texts:?}");
}
