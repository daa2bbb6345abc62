//! GET /streams, GET /streams/{stream_id}, GET /get_stream_id (docs/protocol/channels.md).

use serde_json::Value;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{User, unique};

use super::{path, stream};
use crate::support::{keys, server};

struct Kinds {
    public: Channel,
    web: Channel,
    private: Channel,
    archived: Channel,
}

/// A channel of each kind, all with the same subscribers.
fn kinds(subscribers: &[&User]) -> Kinds {
    let make = |kind| fixture::channel(server(), kind, subscribers);
    let archived = make(ChannelKind::Public);
    fixture::channel_column(server(), &archived, "is_archived", &1);
    Kinds {
        public: make(ChannelKind::Public),
        web: make(ChannelKind::WebPublic),
        private: make(ChannelKind::PrivateShared),
        archived,
    }
}

/// Which of the public, web-public, private and archived channels are listed.
#[track_caller]
fn listed(user: &User, kinds: &Kinds, pairs: &[(&str, &str)]) -> [bool; 4] {
    let body = user.get("/streams", pairs).ok();
    let list = body["streams"].as_array().expect("streams").clone();
    let ids: Vec<i64> = list
        .iter()
        .map(|item| item["stream_id"].as_i64().expect("an id"))
        .collect();
    assert!(ids.is_sorted(), "by id");
    [&kinds.public, &kinds.web, &kinds.private, &kinds.archived]
        .map(|channel| ids.contains(&channel.stream_id))
}

const NOTHING: [(&str, &str); 2] = [("include_public", "false"), ("include_subscribed", "false")];

#[test]
fn by_default_public_and_subscribed_channels_are_listed() {
    let (member, other) = (server().user("member"), server().user("member"));
    let guest = server().user("guest");
    let kinds = kinds(&[&other]);
    assert_eq!(listed(&member, &kinds, &[]), [true, true, false, false]);
    assert_eq!(listed(&other, &kinds, &[]), [true, true, true, false]);
    assert_eq!(listed(&guest, &kinds, &[]), [false; 4]);
    for channel in [&kinds.public, &kinds.private] {
        fixture::subscribe(server(), &guest, channel);
    }
    assert_eq!(listed(&guest, &kinds, &[]), [true, false, true, false]);
}

#[test]
fn each_filter_adds_its_channels() {
    let (member, other) = (server().user("member"), server().user("member"));
    let (admin, guest) = (server().user("administrator"), server().user("guest"));
    let kinds = kinds(&[&other]);
    let with = |user: &User, name: &str| {
        let mut pairs = NOTHING.to_vec();
        pairs.push((name, "true"));
        pairs.sort_by_key(|pair| pair.0 == name);
        listed(user, &kinds, &pairs)
    };
    assert_eq!(listed(&member, &kinds, &NOTHING), [false; 4]);
    assert_eq!(
        with(&other, "include_subscribed"),
        [true, true, true, false]
    );
    assert_eq!(with(&member, "include_public"), [true, true, false, false]);
    assert_eq!(with(&guest, "include_public"), [false; 4]);
    assert_eq!(
        with(&guest, "include_web_public"),
        [false, true, false, false]
    );
    assert_eq!(with(&member, "include_all"), [true, true, false, false]);
    assert_eq!(with(&admin, "include_all"), [true, true, true, false]);
    assert_eq!(with(&guest, "include_all"), [false, true, false, false]);
    assert_eq!(
        with(&admin, "include_can_access_content"),
        [true, true, false, false]
    );
    assert_eq!(
        with(&other, "include_can_access_content"),
        [true, true, true, false]
    );
    let archived = [("exclude_archived", "false")];
    assert_eq!(
        listed(&member, &kinds, &archived),
        [true, true, false, true]
    );
    let bad = [("include_all", "yes")];
    member.get("/streams", &bad).bad_request();
}

/// Users who may subscribe to a private channel, or administer it, can see it.
#[test]
fn permissions_for_a_private_channel_make_it_visible() {
    let member = server().user("member");
    let guest = server().user("guest");
    let kinds = kinds(&[]);
    let all = [("include_all", "true")];
    let content = [("include_can_access_content", "true")];
    let grant = |name, group| fixture::channel_permission(server(), &kinds.private, name, group);
    assert!(!listed(&member, &kinds, &all)[2]);
    grant("can_administer_channel_group", "role:members");
    assert!(listed(&member, &kinds, &all)[2]);
    assert!(!listed(&member, &kinds, &content)[2]);
    grant("can_administer_channel_group", "role:nobody");
    grant("can_subscribe_group", "role:members");
    assert!(listed(&member, &kinds, &all)[2]);
    assert!(listed(&member, &kinds, &content)[2]);
    assert!(!listed(&guest, &kinds, &all)[2]);
    member.get(&path(&kinds.private), &[]).ok();
}

#[test]
fn is_default_is_included_only_on_request() {
    let member = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let find = |pairs: &[(&str, &str)]| -> Value {
        let body = member.get("/streams", pairs).ok();
        let list = body["streams"].as_array().unwrap().clone();
        let found = list
            .into_iter()
            .find(|item| item["stream_id"] == channel.stream_id);
        found.expect("the channel")
    };
    assert!(find(&[]).get("is_default").is_none());
    let asked = [("include_default", "true")];
    assert_eq!(find(&asked)["is_default"], false);
    let body = member.get("/streams", &asked).ok();
    let first = &body["streams"][0];
    assert_eq!(
        first["is_default"], true,
        "the organization's first channel"
    );
}

#[test]
fn bots_can_list_the_channels_of_their_owner() {
    let bot = server().bot();
    let owner = server().user("member");
    let kinds = kinds(&[&owner]);
    let sql = "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2";
    let row = (owner.user_id, bot.user_id);
    server().database().execute(sql, row).expect("owned");
    assert!(!listed(&bot, &kinds, &[])[2]);
    let pairs = [("include_owner_subscribed", "true")];
    assert!(listed(&bot, &kinds, &pairs)[2]);
}

#[test]
fn a_channel_is_found_by_id_and_by_name() {
    let (member, other) = (server().user("member"), server().user("member"));
    let kinds = kinds(&[&other]);
    let record = stream(&member, &kinds.public);
    assert_eq!(record["name"], kinds.public.name.as_str());
    assert!(keys(&record).contains(&"can_create_topic_group"));
    assert!(record.get("color").is_none() && record.get("subscribers").is_none());
    assert_eq!(stream(&member, &kinds.archived)["is_archived"], true);
    let find = |user: &User, name: &str| user.get("/get_stream_id", &[("stream", name)]);
    let upper = kinds.public.name.to_uppercase();
    assert_eq!(
        find(&member, &upper).ok()["stream_id"],
        kinds.public.stream_id
    );
    let missing = member.get("/get_stream_id", &[]);
    assert_eq!(
        missing.error(400, "REQUEST_VARIABLE_MISSING")["var_name"],
        "stream"
    );

    // The answer for a hidden channel equals the one for a missing channel.
    let nowhere = unique("nowhere ");
    for name in [&kinds.private.name, &nowhere] {
        let body = find(&member, name).bad_request();
        let expected = format!("There is no channel called '{name}'");
        assert_eq!(body["msg"], expected.as_str());
    }
    let hidden = member.get(&path(&kinds.private), &[]);
    let hidden = hidden.error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(hidden["stream_id"], kinds.private.stream_id);
    member
        .get("/streams/99999999", &[])
        .error(400, "STREAM_DOES_NOT_EXIST");
    let guest = server().user("guest");
    guest
        .get(&path(&kinds.public), &[])
        .error(400, "STREAM_DOES_NOT_EXIST");
    guest.get(&path(&kinds.web), &[]).ok();
    server().user("owner").get(&path(&kinds.private), &[]).ok();
}

/// The database keeps the count under all changes: subscriptions, accounts.
#[test]
fn subscriber_counts_are_up_to_date() {
    let admin = server().user("administrator");
    let people = [server().user("member"), server().user("guest")];
    let bot = server().bot();
    let channel = fixture::channel(
        server(),
        ChannelKind::PrivateShared,
        &[&people[0], &people[1], &bot],
    );
    let count = || {
        stream(&admin, &channel)["subscriber_count"]
            .as_i64()
            .unwrap()
    };
    assert_eq!(count(), 3);
    let sql = "UPDATE subscriptions SET active = ?1 WHERE user_id = ?2";
    for (active, expected) in [(0, 2), (0, 2), (1, 3)] {
        let row = (active, bot.user_id);
        server().database().execute(sql, row).expect("changed");
        assert_eq!(count(), expected);
    }
    server().admin(&["user", "deactivate", "--email", &people[0].email]);
    assert_eq!(count(), 2);
    server().admin(&["user", "reactivate", "--email", &people[0].email]);
    assert_eq!(count(), 3);
}

#[test]
fn no_channel_has_an_email_address() {
    let (insider, outsider) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let path = format!("/streams/{}/email_address", channel.id());
    assert_eq!(insider.get(&path, &[]).ok()["email"], "");
    outsider.get(&path, &[]).error(400, "STREAM_DOES_NOT_EXIST");
}
