//! Objects hidden from a caller, objects of the caller, and names that no object has.

use super::*;

pub(super) fn worlds(server: &Server) -> [World; 2] {
    server
        .database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups
                 WHERE name = 'role:members')
             WHERE owner_type = 'realm' AND name = 'can_access_all_users_group'",
            [],
        )
        .expect("a setting");
    let others = others(server);
    let belongings = belongings(server, &others);
    ["member", "guest"].map(|role| {
        let user = server.user(role);
        let mut hidden = belongings.clone();
        let mut channels = vec![others.private_channel.clone()];
        let mut messages = vec![others.direct_message, others.private_message];
        if role == "guest" {
            channels.push(others.public_channel.clone());
            messages.push(others.public_message);
            value(&mut hidden, "person", others.user.user_id);
            value(&mut hidden, "person.email", &others.user.email);
            value(&mut hidden, "person.name", &others.user.full_name);
        }
        for channel in channels {
            let shown = others.user.get(&format!("/streams/{channel}"), &[]).ok();
            value(
                &mut hidden,
                "channel.name",
                shown["stream"]["name"].as_str().expect("a name"),
            );
            value(&mut hidden, "channel", channel);
        }
        for message in messages {
            value(&mut hidden, "message", message);
        }
        World {
            own: own(server, &user, role, &others),
            hidden,
            user,
        }
    })
}

/// What another user has for themselves.
fn belongings(server: &Server, others: &Others) -> Values {
    let mut values = Values::new();
    let user = &others.user;
    let number = |made: &Value, name: &str| made[name].as_i64().expect("a number");
    let upload = user.upload("/user_uploads", "hidden.txt", b"hidden").ok();
    let address = upload["url"].as_str().expect("an address");
    let address = address.rsplit_once("/user_uploads/").expect("an upload").1;
    value(&mut values, "file", address);
    value(&mut values, "other.address", address);
    let files = user.get("/attachments", &[]).ok();
    value(
        &mut values,
        "other.attachment",
        number(&files["attachments"][0], "id"),
    );
    let drafts = json!([{"type": "", "to": [], "topic": "", "content": "x"}]).to_string();
    let made = user.post("/drafts", &[("drafts", &drafts)]).ok();
    value(&mut values, "other.draft", &made["ids"][0]);
    let made = user
        .post("/saved_snippets", &[("title", "t"), ("content", "c")])
        .ok();
    value(
        &mut values,
        "other.snippet",
        number(&made, "saved_snippet_id"),
    );
    let view = unique("view");
    user.post(
        "/navigation_views",
        &[("fragment", &view), ("is_pinned", "true"), ("name", "n")],
    )
    .ok();
    value(&mut values, "other.fragment", view);
    let to = format!("[{}]", user.id());
    let made = scheduled(user, &to);
    value(&mut values, "other.scheduled", made);
    let message = others.direct_message.to_string();
    let pairs = [
        ("message_id", message.as_str()),
        ("scheduled_delivery_timestamp", LATER),
    ];
    let made = user.post("/reminders", &pairs).ok();
    value(&mut values, "other.reminder", number(&made, "reminder_id"));
    value(
        &mut values,
        "other.queue",
        &Queue::of(user, &["message"]).queue_id,
    );
    let inviting = server.user("owner");
    inviting
        .post("/invites", &[("invitee_emails", "invited@example.com")])
        .ok();
    let listed = inviting.get("/invites", &[]).ok();
    value(
        &mut values,
        "other.invitation",
        number(&listed["invites"][0], "id"),
    );
    let signing_in = server.user_with("member", &["--password", PASSWORD]);
    let pairs = [
        ("username", signing_in.email.as_str()),
        ("password", PASSWORD),
    ];
    let call = Call::new("POST", "/sessions").form(&pairs);
    let call = call.header("Spindle-Client", "test");
    server.anonymous().send(call).ok();
    let listed = signing_in.get("/sessions", &[]).ok();
    value(
        &mut values,
        "other.session",
        number(&listed["sessions"][0], "id"),
    );
    values
}

fn scheduled(user: &User, to: &str) -> Value {
    let pairs = [
        ("type", "direct"),
        ("to", to),
        ("content", "x"),
        ("scheduled_delivery_timestamp", LATER),
    ];
    user.post("/scheduled_messages", &pairs).ok()["scheduled_message_id"].clone()
}

/// For each kind of object, a name that none has.
pub(super) fn missing(hidden: &Values) -> Values {
    let free = |name: &str, taken: &str| match name {
        "channel.name" => unique("Nowhere "),
        "person.name" => unique("Nobody "),
        "person.email" => format!("{}@example.com", unique("nobody")),
        "other.fragment" => unique("view"),
        _ if taken.parse::<i64>().is_ok() => "987654321".to_owned(),
        // Names of files and queues are random.
        _ => {
            let (start, end) = taken.split_at(taken.len() / 3);
            let letters = end.chars().enumerate();
            let changed = letters.map(|(index, letter)| match letter {
                _ if index > 6 => letter,
                '0' => '1',
                letter if letter.is_ascii_hexdigit() => '0',
                other => other,
            });
            format!("{start}{}", changed.collect::<String>())
        }
    };
    let mut missing = Values::new();
    for (name, values) in hidden {
        for taken in values {
            value(&mut missing, name, free(name, taken));
        }
    }
    missing
}

/// What the caller has.
fn own(server: &Server, user: &User, role: &str, others: &Others) -> Values {
    let mut values = Values::new();
    let channel = fixture::channel(server, ChannelKind::Public, &[user]);
    fixture::channel_permission(
        server,
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "x"),
    ];
    let message = user.post("/messages", &pairs).ok()["id"].clone();
    let drafts = json!([{"type": "", "to": [], "topic": "", "content": "x"}]).to_string();
    let draft = user.post("/drafts", &[("drafts", &drafts)]).ok()["ids"][0].clone();
    let bot = match role {
        "guest" => others.bot.id(),
        _ => {
            let short = unique("own").to_lowercase();
            let pairs = [("full_name", short.as_str()), ("short_name", &short)];
            user.post("/bots", &pairs).ok()["user_id"].to_string()
        }
    };
    let owner = server.user("owner");
    let group = unique("group ");
    let pairs = [
        ("name", group.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    let group = owner.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let field = unique("field ");
    let pairs = [("field_type", "6"), ("name", field.as_str())];
    let field = owner.post("/realm/profile_fields", &pairs).ok()["id"].clone();
    value(&mut values, "own.id", user.id());
    value(&mut values, "own.channel", &to);
    value(&mut values, "own.channel.name", &channel.name);
    value(&mut values, "own.message", message);
    value(&mut values, "own.draft", draft);
    value(&mut values, "own.bot", bot);
    value(&mut values, "own.group", group);
    value(&mut values, "own.field", field);
    value(
        &mut values,
        "own.scheduled",
        scheduled(user, &format!("[{}]", user.id())),
    );
    values
}
