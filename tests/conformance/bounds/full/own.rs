//! What the callers keep for themselves.

use serde_json::json;
use spindle_tests::{Call, User};

use super::{Scene, quotes};

const LATER: &str = "4000000000";

pub(super) fn fill(scene: &mut Scene<'_>) {
    for user in [
        scene.owner.clone(),
        scene.member.clone(),
        scene.guest.clone(),
    ] {
        texts(scene, &user);
        waiting(scene, &user);
        short(scene, &user);
    }
}

fn texts(scene: &mut Scene<'_>, user: &User) {
    let id = user.user_id;
    let missing = scene.limits.of("saved_snippets") - 1;
    let each = scene.limits.each("saved_snippet_text", missing, 20_000);
    let snippets = format!(
        "INSERT INTO saved_snippets (user_id, title, content, date_created) SELECT {id}, 't', {}, 1 FROM n",
        quotes(each - 80)
    );
    scene.run(missing, &snippets);
    let pairs = [("title", "t"), ("content", "\"\\\"")];
    let call = Call::new("POST", "/saved_snippets").form(&pairs);
    scene.add(&["saved_snippets", "saved_snippet_text"], user, call);

    let missing = scene.limits.of("drafts") - 1;
    let each = scene.limits.each("draft_text", missing, 20_000);
    let drafts = format!(
        "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time) \
         SELECT {id}, '', '[]', '', {}, 1 FROM n",
        quotes(each - 110)
    );
    scene.run(missing, &drafts);
    let draft = json!([{"type": "", "to": [], "topic": "", "content": "\"\\\""}]).to_string();
    let call = Call::new("POST", "/drafts").form(&[("drafts", &draft)]);
    scene.add(&["drafts", "draft_text"], user, call);

    let words = format!(
        "INSERT INTO alert_words SELECT {id}, {text} || i, {text} || i, i FROM n",
        text = quotes(190)
    );
    scene.run(scene.limits.of("alert_words") - 1, &words);
    let call = Call::new("POST", "/users/me/alert_words").form(&[("alert_words", r#"["last"]"#)]);
    scene.add(&["alert_words"], user, call);
}

/// Messages and reminders that wait for their time.
fn waiting(scene: &mut Scene<'_>, user: &User) {
    let id = user.user_id;
    let to = format!("[{id}]");
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let message = user.post("/messages", &pairs).ok()["id"].to_string();
    let missing = scene.limits.of("scheduled_messages") - 1;
    let each = scene.limits.each("scheduled_text", missing, 40_000);
    let scheduled = format!(
        "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content, rendered_content, deliver_at, \
            read_by_sender, client, realm_url) \
         SELECT 1, {id}, '[1]', {text}, {text}, 4000000000, 0, 'c', 'u' FROM n",
        text = quotes(each / 2 - 100)
    );
    scene.run(missing, &scheduled);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "\"\\\""),
        ("scheduled_delivery_timestamp", LATER),
    ];
    let call = Call::new("POST", "/scheduled_messages").form(&pairs);
    scene.add(&["scheduled_messages", "scheduled_text"], user, call);

    let missing = scene.limits.of("reminders") - 1;
    let each = scene.limits.each("reminder_text", missing, 40_000);
    let reminders = format!(
        "INSERT INTO reminders (realm_id, user_id, message_id, content, rendered_content, deliver_at, realm_url) \
         SELECT 1, {id}, {message}, {text}, {text}, 4000000000, 'u' FROM n",
        text = quotes(each / 2 - 100)
    );
    scene.run(missing, &reminders);
    let pairs = [
        ("message_id", message.as_str()),
        ("scheduled_delivery_timestamp", LATER),
    ];
    let call = Call::new("POST", "/reminders").form(&pairs);
    scene.add(&["reminders", "reminder_text"], user, call);
}

fn short(scene: &mut Scene<'_>, user: &User) {
    let id = user.user_id;
    let views = format!(
        "INSERT INTO navigation_views SELECT {id}, {} || i, 0, 'n' || i FROM n",
        quotes(3900)
    );
    scene.run(scene.limits.of("navigation_views") - 1, &views);
    let pairs = [
        ("fragment", "narrow/y"),
        ("is_pinned", "true"),
        ("name", "y"),
    ];
    let call = Call::new("POST", "/navigation_views").form(&pairs);
    scene.add(&["navigation_views"], user, call);

    let channel = scene.channel.id();
    let missing = scene.limits.of("user_topics") - 1;
    let topics = format!(
        "INSERT INTO user_topics SELECT {id}, {channel}, {text} || i, {text} || i, 1, 1700000000 FROM n",
        text = quotes(100),
    );
    scene.run(missing, &topics);
    let pairs = [
        ("stream_id", channel.as_str()),
        ("topic", "new"),
        ("visibility_policy", "3"),
    ];
    let call = Call::new("POST", "/user_topics").form(&pairs);
    scene.add(&["user_topics"], user, call);

    let devices = format!("INSERT INTO devices (user_id, created) SELECT {id}, 1 FROM n");
    scene.run(scene.limits.of("client_devices") - 1, &devices);
    let call = Call::new("POST", "/register_client_device");
    scene.add(&["client_devices"], user, call);
    let accounts = format!(
        "INSERT INTO push_accounts (user_id, push_account_id, token_kind, push_key, status, updated) \
         SELECT {id}, i, 'fcm', 'k' || i, 'active', 1 FROM n"
    );
    scene.run(scene.limits.of("push_accounts"), &accounts);
    scene.filled.push("push_accounts");
}
