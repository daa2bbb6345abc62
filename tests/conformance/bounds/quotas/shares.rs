//! Shares of one person: bots count with their owner, administrators are exempt.

use serde_json::json;
use spindle_tests::images::png;
use spindle_tests::{Call, Client, Options, Server, User, unique};

use super::super::refused;
use super::seed;
use crate::invitations::{Newcomer, invited, join};

/// A new bot of a user.
fn bot_of(server: &Server, owner: &User) -> User {
    let name = unique("bot");
    let pairs = [("full_name", name.as_str()), ("short_name", name.as_str())];
    let made = owner.post("/bots", &pairs).ok();
    let key = made["api_key"].as_str().expect("a key").to_owned();
    let id = made["user_id"].as_i64().expect("an id");
    let email = server
        .database()
        .query_row("SELECT email FROM users WHERE id = ?1", [id], |row| {
            row.get::<_, String>(0)
        });
    let email = email.expect("an address");
    User {
        user_id: id,
        client: spindle_tests::Client::new(server.base_url(), Some((&email, &key))),
        email,
        full_name: name,
        api_key: key,
    }
}

/// A share: its limit, rows that use it up, and a call that adds one more.
struct Share {
    limit: i64,
    rows: i64,
    sql: &'static str,
    add: fn() -> Call,
}

const CHANNELS: &str = "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
    INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, creator_id, description) \
    SELECT 1, id, 'made ' || id, 'made ' || id, 1, ?1, ";
const OF_NEW: &str = " FROM conversations c WHERE kind = 'channel' \
    AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id)";

fn channel() -> Call {
    let pairs = [("name", unique("more")), ("subscribers", "[]".to_owned())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    Call::new("POST", "/channels/create").form(&pairs)
}

fn group() -> Call {
    let name = unique("more");
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    Call::new("POST", "/user_groups/create").form(&pairs)
}

fn link() -> Call {
    Call::new("POST", "/invites/multiuse")
}

#[test]
fn one_person_with_their_bots_has_a_share_of_the_organization() {
    let server = Server::own(Options::default());
    let short = format!("{CHANNELS}''{OF_NEW}");
    let long = format!("{CHANNELS}printf('%.14900c', '\"'){OF_NEW}");
    let (short, long): (&str, &str) = (short.leak(), long.leak());
    let shares = [
        Share {
            limit: 250,
            rows: 250,
            sql: short,
            add: channel,
        },
        Share {
            limit: 300_000,
            rows: 5,
            sql: long,
            add: channel,
        },
        Share {
            limit: 250,
            rows: 250,
            sql: "INSERT INTO user_groups (realm_id, name, creator_id) SELECT 1, ?1 || ' made ' || i, ?1 FROM n",
            add: group,
        },
        Share {
            limit: 100_000,
            rows: 5,
            sql: "INSERT INTO user_groups (realm_id, name, description, creator_id) \
                SELECT 1, ?1 || ' long ' || i, printf('%.9999c', '\"'), ?1 FROM n",
            add: group,
        },
    ];
    // Groups that are seeded have no settings, so they cannot be listed.
    let everyone = group_named(&server.user("member"), "role:members");
    for share in &shares {
        let member = server.user("member");
        let bot = bot_of(&server, &member);
        // The bot made half of them, and neither can add another.
        for maker in [&member, &bot] {
            let count = share.rows / 2 + share.rows % 2;
            seed(&server, count, share.sql, maker.user_id);
        }
        for maker in [&member, &bot] {
            let text = maker.send((share.add)()).bad_request().to_string();
            assert!(
                text.contains(&format!("One person can have at most {}", share.limit)),
                "{text}"
            );
        }
        // Others can, and so can an administrator with as many.
        server.user("member").send((share.add)()).ok();
        let admin = server.user("administrator");
        seed(&server, share.rows, share.sql, admin.user_id);
        admin.send((share.add)()).ok();
    }
    let member = server.user("member");
    let sql = "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, date_created) \
        SELECT 1, 'e' || ?1 || '-' || i, ?1, 'x.png', 1 FROM n";
    seed(&server, 125, sql, member.user_id);
    seed(&server, 125, sql, bot_of(&server, &member).user_id);
    refused(member.upload("/realm/emoji/more", "a.png", &png(8, 8)), 250);
    let other = server.user("member");
    other
        .upload("/realm/emoji/others", "a.png", &png(8, 8))
        .ok();
    let sql = "INSERT INTO invitations (realm_id, inviter_id, nonce, invited_as, created_at, \
        notifies_inviter, joins_defaults, channel_ids, group_ids) \
        SELECT 1, ?1, randomblob(16), 400, 1, 0, 0, '[]', '[]' FROM n";
    let everyone = json!({"new": everyone}).to_string();
    let pairs = [("create_multiuse_invite_group", everyone.as_str())];
    server
        .user("owner")
        .send(Call::new("PATCH", "/realm").form(&pairs))
        .ok();
    seed(&server, 1000, sql, member.user_id);
    refused(member.send(link()), 1000);
    other.send(link()).ok();
}

fn group_named(user: &User, name: &str) -> i64 {
    let groups = user.get("/user_groups", &[]).ok()["user_groups"].clone();
    let mut groups = groups.as_array().expect("groups").clone().into_iter();
    let found = groups.find(|group| group["name"] == name).expect("a group");
    found["id"].as_i64().expect("an id")
}

const MONTH: u64 = 30 * 86_400;

/// An account that joins by the invitation of this one.
fn newcomer_of(server: &Server, inviter: &Client) -> Newcomer {
    let (_, key) = invited(inviter, &[]);
    join(server, &key, &[])
}

/// Accounts that joined by invitation share with their inviter for 30 days, also those of their own invitations.
#[test]
fn newcomers_share_with_the_person_who_invited_them() {
    let server = Server::own(Options::default());
    let [owner, member] = ["owner", "member"].map(|role| server.user(role));
    let first = newcomer_of(&server, &member);
    let second = newcomer_of(&server, &first.client);
    let apart = newcomer_of(&server, &owner);
    let channels = format!("{CHANNELS}''{OF_NEW}");
    for (count, id) in [(100, member.user_id), (50, first.id), (100, second.id)] {
        seed(&server, count, &channels, id);
    }
    let bots = "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
            full_name_folded, role, is_bot, bot_type, bot_owner_id, date_joined) \
         SELECT 1, 'b?1-' || i, 'b?1-' || i, 'b?1-' || i, 'b?1-' || i, 'B?1 ' || i, 'b?1 ' || i, 400, 1, 1, ?1, 1 FROM n";
    seed(&server, 125, bots, member.user_id);
    seed(&server, 125, bots, second.id);
    let bot = || {
        let name = unique("bot");
        let pairs = [("full_name", name.as_str()), ("short_name", name.as_str())];
        Call::new("POST", "/bots").form(&pairs)
    };
    let sharing = [&member.client, &first.client, &second.client];
    for client in sharing {
        let text = client.send(channel()).bad_request().to_string();
        let named = text.contains("at most 250 channels created");
        assert!(
            named && text.contains("accounts that joined by their invitation"),
            "{text}"
        );
        refused(client.send(bot()), 250);
    }
    for other in [&apart.client, &server.user("member").client] {
        other.send(channel()).ok();
        other.send(bot()).ok();
    }
    let joined = "UPDATE users SET date_joined = date_joined - ?1 WHERE id = ?2";
    let database = server.database();
    let week = i64::try_from(MONTH).expect("a month") - 7 * 86_400;
    database.execute(joined, [week, first.id]).expect("a row");
    server.advance_past_run(3_700, "clean-invitations");
    refused(first.client.send(channel()), 250);
    database
        .execute(joined, [7 * 86_400, first.id])
        .expect("a row");
    server.advance_past_run(3_700, "clean-invitations");
    first.client.send(channel()).ok();
    first.client.send(bot()).ok();
    // The account that joined later still shares with the same person.
    seed(&server, 50, &channels, second.id);
    for client in [&member.client, &second.client] {
        refused(client.send(channel()), 250);
    }
}

/// A person who becomes an administrator shares with no one.
#[test]
fn administrators_share_with_nobody() {
    let server = Server::own(Options::default());
    let [owner, member] = ["owner", "member"].map(|role| server.user(role));
    let newcomer = newcomer_of(&server, &member);
    let channels = format!("{CHANNELS}''{OF_NEW}");
    seed(&server, 250, &channels, member.user_id);
    refused(newcomer.client.send(channel()), 250);
    let path = format!("/users/{}", member.user_id);
    owner.patch(&path, &[("role", "200")]).ok();
    newcomer.client.send(channel()).ok();
}

/// An edit counts for the creator of the channel or group, not for the editor.
#[test]
fn edits_count_for_the_creator() {
    let server = Server::own(Options::default());
    let member = server.user("member");
    let channels = format!("{CHANNELS}printf('%.14800c', '\"'){OF_NEW}");
    seed(&server, 5, &channels, member.user_id);
    let groups = "INSERT INTO user_groups (realm_id, name, description, creator_id) \
        SELECT 1, ?1 || ' long ' || i, printf('%.9800c', '\"'), ?1 FROM n";
    seed(&server, 5, groups, member.user_id);
    let id = member.send(channel()).ok()["id"].to_string();
    let group_id = member.send(group()).ok()["group_id"].to_string();
    let describe = |user: &User, path: &str, length: usize| {
        let text = "\"".repeat(length);
        user.send(Call::new("PATCH", path).form(&[("description", &text)]))
    };
    for (path, limit) in [
        (format!("/streams/{id}"), 300_000),
        (format!("/user_groups/{group_id}"), 100_000),
    ] {
        refused(describe(&member, &path, 1000), limit);
        describe(&member, &path, 5).ok();
        describe(&server.user("owner"), &path, 1000).ok();
        // Above the share, a text can become shorter.
        describe(&member, &path, 900).ok();
    }
}

/// Members of a group and of a permission count for the creator of the group or channel.
#[test]
fn memberships_count_for_the_creator() {
    let server = Server::own(Options::default());
    let [owner, member, friend] = ["owner", "member", "member"].map(|role| server.user(role));
    let both = json!([member.user_id, friend.user_id]);
    let with_senders = || {
        let senders = json!({"direct_members": both, "direct_subgroups": []}).to_string();
        let pairs = [
            ("name", unique("few send")),
            ("subscribers", "[]".to_owned()),
            ("can_send_message_group", senders),
        ];
        let pairs = pairs
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        Call::new("POST", "/channels/create").form(&pairs)
    };
    let group_id = member.send(group()).ok()["group_id"].to_string();
    member.send(with_senders()).ok();
    let people = "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
            full_name_folded, role, date_joined) \
         SELECT 1, 'm' || i, 'm' || i, 'm' || i, 'm' || i, 'Many ' || i, 'many ' || i, 400, 1 FROM n";
    seed(&server, 12_499, people, 0);
    let members = format!(
        "INSERT INTO user_group_members (group_id, user_id) \
         SELECT g.id, u.id FROM users u CROSS JOIN (SELECT {group_id} AS id \
             UNION SELECT max(id) FROM user_groups WHERE name IS NULL) g \
         WHERE u.full_name LIKE 'Many %'"
    );
    server.database().execute_batch(&members).expect("members");
    let path = format!("/user_groups/{group_id}/members");
    let add = |user: &User| user.post(&path, &[("add", &both.to_string())]);
    refused(add(&member), 25_000);
    refused(member.send(with_senders()), 25_000);
    // Another person's share is free, and administrators have none.
    friend.send(with_senders()).ok();
    add(&owner).ok();
}

/// HTML that is far longer than its text.
#[test]
fn descriptions_that_grow_in_html_are_refused() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let emoji = "😀".repeat(1024);
    let pairs = [
        ("name", "faces"),
        ("description", emoji.as_str()),
        ("subscribers", "[]"),
    ];
    refused(owner.post("/channels/create", &pairs), 10_000);
    let pairs = [("name", "faces"), ("description", emoji.as_str())];
    refused(owner.post("/channel_folders/create", &pairs), 10_000);
    let few = "😀".repeat(60);
    let pairs = [
        ("name", "faces"),
        ("description", few.as_str()),
        ("subscribers", "[]"),
    ];
    owner.post("/channels/create", &pairs).ok();
}

/// The last twentieth is for administrators, and for people who add themselves.
#[test]
fn people_are_added_by_members_up_to_a_reserve() {
    let server = Server::own(Options::default());
    let [owner, member, friend] = ["owner", "member", "member"].map(|role| server.user(role));
    let id = member.send(channel()).ok()["id"].to_string();
    let name = |id: &str| {
        let database = server.database();
        let name = database.query_row("SELECT name FROM channels WHERE id = ?1", [id], |row| {
            row.get::<_, String>(0)
        });
        name.expect("a name")
    };
    let subscriptions = json!([{"name": name(&id)}]).to_string();
    let full = "UPDATE channels SET subscriber_count = 950000 WHERE id = ?1";
    server.database().execute(full, [&id]).expect("a count");
    let subscribe = |user: &User, principals: &[i64]| {
        let principals = json!(principals).to_string();
        let pairs = [
            ("subscriptions", subscriptions.as_str()),
            ("principals", principals.as_str()),
        ];
        user.post("/users/me/subscriptions", &pairs)
    };
    refused(subscribe(&member, &[friend.user_id]), 950_000);
    member
        .post(
            "/users/me/subscriptions",
            &[("subscriptions", &subscriptions)],
        )
        .ok();
    subscribe(&owner, &[friend.user_id]).ok();
}

/// A fourth of a quota of files is for one person.
#[test]
fn one_person_has_a_fourth_of_the_room_for_files() {
    let server = Server::own(Options::default());
    let member = server.user("member");
    let bot = bot_of(&server, &member);
    server.admin(&["quota", "--mib", "4"]);
    member
        .upload("/user_uploads", "a.bin", &vec![0; 1 << 19])
        .ok();
    bot.upload("/user_uploads", "a.bin", &vec![0; 1 << 19]).ok();
    for user in [&member, &bot] {
        refused(user.upload("/user_uploads", "a.bin", b"x"), 1 << 20);
    }
    server
        .user("guest")
        .upload("/user_uploads", "a.bin", b"x")
        .ok();
    let admin = server.user("administrator");
    admin
        .upload("/user_uploads", "a.bin", &vec![0; 2 << 20])
        .ok();
}
