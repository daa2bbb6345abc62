//! An organization filled up to every quota, and the clients that register in it.

use std::time::Instant;

use spindle_tests::{Call, Options, Server};

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};
use crate::scene::fill;

/// The quotas of docs/LIMITS.md.
const GROUPS: usize = 5000;
const CHANNELS: usize = 5000;

/// Descriptions whose total length is the maximum: of groups, and of channels, whose HTML is stored
/// too.
const OF_A_GROUP: &str = "printf('%.380c', 'd')";
const OF_A_CHANNEL: &str = "printf('%.280c', 'd')";

/// Groups with descriptions of the maximum length, as members can create them.
fn groups(server: &Server, count: usize) {
    let admin = server.user("administrator");
    let pairs = [
        ("name", "the first of many"),
        ("description", ""),
        ("members", "[]"),
    ];
    let first = admin.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let first = first.as_i64().expect("an id");
    fill(
        server,
        count,
        admin.user_id,
        &format!(
            "INSERT INTO user_groups (realm_id, name, description, creator_id, date_created)
             SELECT 1, 'many ' || i, {OF_A_GROUP}, ?1, 1 FROM n;
             INSERT INTO user_group_closure SELECT id, id FROM user_groups
             WHERE name LIKE 'many %';
             INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
             SELECT s.realm_id, s.owner_type, g.id, s.name, s.group_id
             FROM group_settings s CROSS JOIN user_groups g
             WHERE s.owner_type = 'user_group' AND s.owner_id = {first} AND g.name LIKE 'many %'"
        ),
    );
}

fn channels(server: &Server, count: usize) {
    fill(
        server,
        count,
        0,
        &format!(
            "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n;
             INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created,
                 description, rendered_description)
             SELECT 1, id, 'many ' || id, 'many ' || id, 1, {OF_A_CHANNEL},
                 '<p>' || {OF_A_CHANNEL} || '</p>'
             FROM conversations c WHERE kind = 'channel'
                 AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id);
             INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
             SELECT s.realm_id, s.owner_type, c.id, s.name, s.group_id
             FROM group_settings s CROSS JOIN channels c
             WHERE s.owner_type = 'channel' AND s.owner_id = (SELECT min(id) FROM channels)
                 AND c.name LIKE 'many %'"
        ),
    );
}

fn lists(server: &Server, owner: i64) {
    let each = [
        (
            5000,
            "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, date_created)
             SELECT 1, 'many' || i, ?1, 'x.png', 1 FROM n",
        ),
        (
            500,
            "INSERT INTO linkifiers (realm_id, position, pattern, url_template)
             SELECT 1, i, 'MANY' || i || '-(?P<id>[0-9]+)', 'https://x.example/{id}' FROM n",
        ),
        (
            200,
            "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template)
             SELECT 1, 'p' || i, 'Rust', 'https://x.example/{code}' FROM n",
        ),
        (
            1000,
            "INSERT INTO realm_domains (realm_id, domain, allow_subdomains)
             SELECT 1, 'd' || i || '.example', 0 FROM n",
        ),
        (
            100,
            "INSERT INTO profile_fields (realm_id, name, type, position)
             SELECT 1, 'f' || i, 1, i FROM n",
        ),
        (
            500,
            "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created,
                 creator_id) SELECT 1, 'f' || i, 'f' || i, i, 1, ?1 FROM n",
        ),
    ];
    for (count, sql) in each {
        fill(server, count, owner, sql);
    }
    let version = "UPDATE realms SET linkifiers_version = 'many'";
    server
        .database()
        .execute(version, [])
        .expect("linkifiers are compiled anew");
}

/// The data that one account can add to its own snapshot.
fn own(server: &Server, user: i64) {
    let each = [
        (
            1000,
            "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time)
             SELECT ?1, '', '[]', '', printf('%.1900c', 'x'), 1 FROM n",
        ),
        (
            1000,
            "INSERT INTO saved_snippets (user_id, title, content, date_created)
             SELECT ?1, 't', printf('%.1900c', 'x'), 1 FROM n",
        ),
        (
            1000,
            "INSERT INTO alert_words SELECT ?1, 'w' || i, 'w' || i, i FROM n",
        ),
        (
            400,
            "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content,
                 rendered_content, deliver_at, read_by_sender, client, realm_url)
             SELECT 1, ?1, '[1]', 'c', printf('%.9900c', 'x'), 4000000000, 0, 'c', 'u' FROM n",
        ),
    ];
    for (count, sql) in each {
        fill(server, count, user, sql);
    }
}

pub const OF_EVERYTHING: Attack = Attack::new("snapshots with everything", |server| {
    groups(server, GROUPS - 2);
    channels(server, CHANNELS - 10);
    lists(server, server.user("owner").user_id);
    registering(server)
})
.on(Options::default);

fn registering(server: &Server) -> crate::attack::Work {
    let users = [server.user("member"), server.user("member")];
    own(server, users[0].user_id);
    for user in &users {
        let started = Instant::now();
        let snapshot = user.client.try_send(&Call::new("POST", "/register"));
        let snapshot = snapshot.expect("an answer");
        println!("{} bytes in {:?}", snapshot.bytes.len(), started.elapsed());
        snapshot.ok();
    }
    // The server's memory has room for one such snapshot at a time; other requests are refused.
    let attacker = Attacker::of(server, &users[0]);
    Box::new(move |is_over| {
        at_once(std::slice::from_ref(&attacker), 1, is_over, |member, _| {
            member.call(is_over, "POST", "/register", &[]);
        });
    })
}

#[test]
fn snapshots_with_every_quota_used_are_withstood() {
    OF_EVERYTHING.is_withstood();
}
