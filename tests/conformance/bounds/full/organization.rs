//! What the organization has: people, channels, groups and the lists that administrators keep.

use serde_json::json;
use spindle_tests::Call;
use spindle_tests::images::png;

use super::{Scene, quotes};

pub(super) fn fill(scene: &mut Scene<'_>) {
    people(scene);
    bots(scene);
    channels(scene);
    subscriptions(scene);
    groups(scene);
    holders(scene);
    lists(scene);
    profiles(scene);
}

/// Accounts with statuses; their ids have five digits, as those of a large organization.
fn people(scene: &Scene<'_>) {
    let digits = match scene.database.is_postgres() {
        true => "SELECT setval('users_id_seq', 10000)",
        false => "UPDATE sqlite_sequence SET seq = 10000 WHERE name = 'users'",
    };
    scene.database.execute_batch(digits).expect("ids");
    scene.run(
        scene.people,
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
            full_name_folded, role, date_joined) \
         SELECT 1, 'person' || i || '@example.com', 'person' || i || '@example.com', 'person' || i || '@example.com', \
            'person' || i || '@example.com', 'Person of the Organization ' || i, 'person ' || i, 400, 1 FROM n",
    );
    scene.run(
        1,
        "INSERT INTO user_statuses (user_id, status_text, emoji_name, emoji_code, updated) \
         SELECT id, 'Working from home until Thursday', 'house', '1f3e0', 1 FROM users, n \
         WHERE email LIKE 'person%'",
    );
    let presences = format!(
        "INSERT INTO presences (user_id, active_timestamp, idle_timestamp, update_id) \
         SELECT id, {now}, {now}, id + 1000000 FROM users, n WHERE email LIKE 'person%'",
        now = spindle_tests::unix_now()
    );
    scene.run(1, &presences);
}

fn bots(scene: &mut Scene<'_>) {
    let (owner, member) = (scene.owner.user_id, scene.member.user_id);
    let insert = |owner: i64| {
        format!(
            "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
                full_name_folded, role, is_bot, bot_type, bot_owner_id, date_joined) \
             SELECT 1, 'b{owner}-' || i || '@x', 'b{owner}-' || i || '@x', 'b{owner}-' || i || '@x', \
                'b{owner}-' || i || '@x', {name} || i, 'b' || i, 400, 1, 1, {owner}, 1 FROM n",
            name = quotes(190)
        )
    };
    // One owner has as many as allowed; the rest belong to a member, as if from before the quota.
    scene.run(scene.limits.of("bots") - 1, &insert(owner));
    let count = "SELECT count(*) FROM users WHERE bot_owner_id IS NOT NULL";
    let missing = scene.missing("all_bots", count);
    scene.run(missing, &insert(member));
    let pairs = [("full_name", "The last one"), ("short_name", "lastone")];
    let (call, owner) = (Call::new("POST", "/bots").form(&pairs), scene.owner.clone());
    scene.add(&["bots", "all_bots"], &owner, call);
}

fn channels(scene: &mut Scene<'_>) {
    let first = json!([{"name": "the first of many"}]).to_string();
    let pairs = [("subscriptions", first.as_str())];
    scene.owner.post("/users/me/subscriptions", &pairs).ok();
    let missing = scene.missing("channels", "SELECT count(*) FROM channels");
    // An object has the description twice, and a snapshot has the object twice.
    let each = scene.limits.each("channel_text", missing, 12_000);
    let text = quotes(each / 4 - 40);
    let creator = scene.member.user_id;
    scene.run(
        missing,
        &format!(
            "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
             INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, creator_id, \
                 description, rendered_description) \
             SELECT 1, id, 'many ' || id, 'many ' || id, 1700000000, {creator}, {text}, '<p>' || {text} || '</p>' \
             FROM conversations c WHERE kind = 'channel' \
                 AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id); \
             INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
             SELECT s.realm_id, s.owner_type, c.id, s.name, s.group_id \
             FROM group_settings s CROSS JOIN channels c \
             WHERE s.owner_type = 'channel' AND s.owner_id = (SELECT min(id) FROM channels) \
                 AND c.name LIKE 'many %'"
        ),
    );
    let pairs = [
        ("name", "the last one"),
        ("description", "\"\\\""),
        ("subscribers", "[]"),
    ];
    let call = Call::new("POST", "/channels/create").form(&pairs);
    let owner = scene.owner.clone();
    scene.add(&["channels", "channel_text"], &owner, call);
}

/// The callers are in all channels, guests as well, and people fill them up.
fn subscriptions(scene: &mut Scene<'_>) {
    let missing = scene.missing("subscriptions", "SELECT count(*) FROM subscriptions");
    let off = "ALTER TABLE subscriptions DISABLE TRIGGER USER";
    let on = "ALTER TABLE subscriptions ENABLE TRIGGER USER; \
        UPDATE channels SET subscriber_count = (SELECT count(*) FROM subscriptions WHERE channel_id = channels.id)";
    let is_postgres = scene.database.is_postgres();
    if is_postgres {
        // Each row would change the count of its channel.
        scene.database.execute_batch(off).expect("no triggers");
    }
    let callers = [&scene.owner, &scene.member, &scene.guest].map(|user| user.user_id.to_string());
    scene.run(
        1,
        &format!(
            "INSERT INTO subscriptions (user_id, channel_id, color) \
             SELECT u.id, c.id, '#c2c2c2' FROM n, channels c JOIN users u ON u.id IN ({}) \
             WHERE c.name LIKE 'many %'",
            callers.join(", ")
        ),
    );
    let left = missing - 3 * scene.count("SELECT count(*) FROM channels WHERE name LIKE 'many %'");
    scene.run(
        1,
        &format!(
            "INSERT INTO subscriptions (user_id, channel_id, color) \
             SELECT u.id, c.id, '#c2c2c2' FROM n, channels c CROSS JOIN users u \
             WHERE c.name LIKE 'many %' AND u.email LIKE 'person%' ORDER BY u.id DESC, c.id LIMIT {left}"
        ),
    );
    if is_postgres {
        scene.database.execute_batch(on).expect("triggers");
    }
    let last = json!([{"name": "the last one"}]).to_string();
    let pairs = [("subscriptions", last.as_str())];
    let call = Call::new("POST", "/users/me/subscriptions").form(&pairs);
    let owner = scene.owner.clone();
    scene.add(&["subscriptions"], &owner, call);
}

fn groups(scene: &mut Scene<'_>) {
    let create = |name: &str| {
        let pairs = [("name", name), ("description", "\"\\\""), ("members", "[]")];
        Call::new("POST", "/user_groups/create").form(&pairs)
    };
    let first = scene.owner.send(create("the first of many")).ok()["group_id"].to_string();
    let missing = scene.missing(
        "groups",
        "SELECT count(*) FROM user_groups WHERE name IS NOT NULL",
    );
    let each = scene.limits.each("group_text", missing, 6_000);
    let (text, creator) = (quotes(each - 20), scene.member.user_id);
    scene.run(
        missing,
        &format!(
            "INSERT INTO user_groups (realm_id, name, description, creator_id, date_created) \
             SELECT 1, 'many ' || i, {text}, {creator}, 1700000000 FROM n; \
             INSERT INTO user_group_closure SELECT id, id FROM user_groups WHERE name LIKE 'many %'; \
             INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
             SELECT s.realm_id, s.owner_type, g.id, s.name, s.group_id \
             FROM group_settings s CROSS JOIN user_groups g \
             WHERE s.owner_type = 'user_group' AND s.owner_id = {first} AND g.name LIKE 'many %'"
        ),
    );
    let owner = scene.owner.clone();
    scene.add(&["groups", "group_text"], &owner, create("the last one"));
}

/// Members of groups without a name, which hold a permission of each channel: they stand in both of its objects.
fn holders(scene: &mut Scene<'_>) {
    let count = "SELECT (SELECT count(*) FROM user_group_members) + (SELECT count(*) FROM user_group_subgroups)";
    let group = scene.count("SELECT max(id) FROM user_groups WHERE name = 'the last one'");
    let missing = scene.missing("group_members", count);
    scene.run(
        1,
        &format!(
            "INSERT INTO user_groups (realm_id, name, description) \
             SELECT 1, NULL, 'held' FROM n, channels WHERE name LIKE 'many %'; \
             CREATE TEMP TABLE held AS SELECT c.id AS channel_id, g.id AS group_id FROM \
                 (SELECT id, row_number() OVER (ORDER BY id) AS k FROM channels WHERE name LIKE 'many %') c \
                 JOIN (SELECT id, row_number() OVER (ORDER BY id) AS k FROM user_groups \
                     WHERE name IS NULL AND description = 'held') g ON g.k = c.k; \
             INSERT INTO user_group_closure SELECT group_id, group_id FROM held; \
             UPDATE group_settings SET group_id = (SELECT h.group_id FROM held h WHERE h.channel_id = owner_id) \
             WHERE owner_type = 'channel' AND name = 'can_resolve_topics_group' \
                 AND owner_id IN (SELECT channel_id FROM held); \
             INSERT INTO user_group_members (user_id, group_id) \
             SELECT u.id, h.group_id FROM held h CROSS JOIN users u WHERE u.email LIKE 'person%' \
             ORDER BY u.id DESC, h.group_id LIMIT {missing}"
        ),
    );
    let add = json!([scene.member.user_id]).to_string();
    let call = Call::new("POST", &format!("/user_groups/{group}/members")).form(&[("add", &add)]);
    let owner = scene.owner.clone();
    scene.add(&["group_members"], &owner, call);
}

fn lists(scene: &mut Scene<'_>) {
    let owner = scene.owner.clone();
    let author = owner.user_id;
    let emoji = format!(
        "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, still_file_name, date_created) \
         SELECT 1, {name} || i, {author}, {file} || '.gif', {file} || '.png', 1 FROM n",
        name = "printf('%.90c', 'm')",
        file = "printf('%.32c', 'f')",
    );
    scene.run(
        scene.missing("custom_emoji", "SELECT count(*) FROM realm_emoji"),
        &emoji,
    );
    owner.upload("/realm/emoji/more", "a.png", &png(8, 8)).ok();
    scene.filled.push("custom_emoji");

    let missing = scene.missing("linkifiers", "SELECT count(*) FROM linkifiers");
    let each = scene.limits.each("linkifier_text", missing, 10_000);
    let linkifiers = format!(
        // Long templates: patterns of this length would exceed the size of all patterns, compiled.
        "INSERT INTO linkifiers (realm_id, position, pattern, url_template) \
         SELECT 1, i, '\"' || i, 'https://x.example/' || {} FROM n",
        quotes(each - 80)
    );
    scene.run(missing, &linkifiers);
    let version = "UPDATE realms SET linkifiers_version = 'many'";
    scene.database.execute_batch(version).expect("a version");
    let pairs = [
        ("pattern", "\"last\""),
        ("url_template", "https://x.example"),
    ];
    let call = Call::new("POST", "/realm/filters").form(&pairs);
    scene.add(&["linkifiers", "linkifier_text"], &owner, call);

    let missing = scene.missing("playgrounds", "SELECT count(*) FROM realm_playgrounds");
    let each = scene.limits.each("playground_text", missing, 11_000);
    let playgrounds = format!(
        "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template) \
         SELECT 1, 'p' || i, 'Rust', 'https://x.example/{{code}}#' || {} FROM n",
        quotes(each - 100)
    );
    scene.run(missing, &playgrounds);
    let pairs = [
        ("name", "the last one"),
        ("pygments_language", "Rust"),
        ("url_template", "https://x.example/{code}"),
    ];
    let call = Call::new("POST", "/realm/playgrounds").form(&pairs);
    scene.add(&["playgrounds", "playground_text"], &owner, call);

    let domains = "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) \
         SELECT 1, printf('%.230c', 'd') || i || '.example', 0 FROM n";
    scene.run(
        scene.missing("domains", "SELECT count(*) FROM realm_domains"),
        domains,
    );
    let pairs = [("domain", "last.example"), ("allow_subdomains", "false")];
    let call = Call::new("POST", "/realm/domains").form(&pairs);
    scene.add(&["domains"], &owner, call);

    let missing = scene.missing("channel_folders", "SELECT count(*) FROM channel_folders");
    let each = scene.limits.each("folder_text", missing, 100_000);
    let folders = format!(
        "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created, creator_id, description, \
            rendered_description) SELECT 1, 'f' || i, 'f' || i, i, 1, {author}, {text}, {text} FROM n",
        text = quotes(each / 2 - 30)
    );
    scene.run(missing, &folders);
    let pairs = [("name", "the last one"), ("description", "")];
    let call = Call::new("POST", "/channel_folders/create").form(&pairs);
    scene.add(&["channel_folders", "folder_text"], &owner, call);
    let invitations = format!(
        "INSERT INTO invitations (realm_id, inviter_id, nonce, email, email_folded, invited_as, created_at, \
            notifies_inviter, joins_defaults, channel_ids, group_ids) \
         SELECT 1, {author}, randomblob(16), 'invited' || i || '@example.com', 'invited' || i || '@example.com', \
            400, 1, 0, 0, '[]', '[]' FROM n"
    );
    let count = "SELECT count(*) FROM invitations";
    scene.run(scene.missing("invitations", count), &invitations);
    let call = Call::new("POST", "/invites/multiuse").form(&[("invite_as", "400")]);
    scene.add(&["invitations"], &owner, call);
}

/// Profile fields, and the values of people.
fn profiles(scene: &mut Scene<'_>) {
    let owner = scene.owner.clone();
    let missing = scene.missing("profile_fields", "SELECT count(*) FROM profile_fields");
    let each = scene.limits.each("profile_field_text", missing, 20_000);
    let fields = format!(
        "INSERT INTO profile_fields (realm_id, name, type, position, field_data) \
         SELECT 1, 'f' || i, 2, i, json_quote({}) FROM n",
        quotes(each / 2 - 40)
    );
    scene.run(missing, &fields);
    let pairs = [("name", "the last one"), ("field_type", "1")];
    let call = Call::new("POST", "/realm/profile_fields").form(&pairs);
    scene.add(&["profile_fields", "profile_field_text"], &owner, call);
    let values = scene.people * missing;
    let each = scene.limits.each("profile_text", values, 1000);
    // Where that is less than an empty value takes, some people have none.
    let each_value = each.max(200);
    let most = scene.limits.each("profile_text", 1, i64::MAX) / each_value;
    let values = format!(
        "INSERT INTO profile_values (user_id, field_id, value, rendered_value) \
         SELECT u.id, f.id, {text}, {text} FROM n, users u CROSS JOIN profile_fields f \
         WHERE u.email LIKE 'person%' AND f.type = 2 ORDER BY u.id, f.id LIMIT {most}",
        text = quotes(each_value / 2 - 30)
    );
    scene.run(1, &values);
    scene.filled.push("profile_text");
}
