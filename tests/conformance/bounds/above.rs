//! Data above a quota, from an import or from before the quota: all of it is served, each object
//! can be changed and deleted, and no object can be added.

use serde_json::{Value, json};
use spindle_tests::{Call, Options, Server, User};

use super::quotas::seed;
use super::refused;

/// Objects above the quota.
const MORE: i64 = 10;

/// A call, with `{id}` for the object.
struct Change {
    method: &'static str,
    path: &'static str,
    pairs: &'static [(&'static str, &'static str)],
}

/// A kind of object that is above its quota.
struct Case {
    limit: i64,
    /// Adds one for each row of `n`; `?1` is the account.
    sql: &'static str,
    /// The list of the objects: a path, or a section of the snapshot; and the key in it.
    list: &'static str,
    key: &'static str,
    /// The name of an object's id; empty where the elements are not objects.
    id: &'static str,
    change: Option<Change>,
    remove: Option<Change>,
    add: Change,
}

const fn patch(
    path: &'static str,
    pairs: &'static [(&'static str, &'static str)],
) -> Option<Change> {
    Some(Change {
        method: "PATCH",
        path,
        pairs,
    })
}

const fn delete(path: &'static str) -> Option<Change> {
    Some(Change {
        method: "DELETE",
        path,
        pairs: &[],
    })
}

const fn post(path: &'static str, pairs: &'static [(&'static str, &'static str)]) -> Change {
    Change {
        method: "POST",
        path,
        pairs,
    }
}

const DRAFT: &str = r#"{"type": "", "to": [], "topic": "", "content": "changed"}"#;
const DRAFTS: &str = r#"[{"type": "", "to": [], "topic": "", "content": "one more"}]"#;

const CASES: &[Case] = &[
    Case {
        limit: 1000,
        sql: "INSERT INTO saved_snippets (user_id, title, content, date_created)
              SELECT ?1, 't', 'c', 1 FROM n",
        list: "/saved_snippets",
        key: "saved_snippets",
        id: "id",
        change: patch("/saved_snippets/{id}", &[("title", "changed")]),
        remove: delete("/saved_snippets/{id}"),
        add: post("/saved_snippets", &[("title", "t"), ("content", "c")]),
    },
    Case {
        limit: 1000,
        sql: "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time)
              SELECT ?1, '', '[]', '', 'c', 1 FROM n",
        list: "/drafts",
        key: "drafts",
        id: "id",
        change: patch("/drafts/{id}", &[("draft", DRAFT)]),
        remove: delete("/drafts/{id}"),
        add: post("/drafts", &[("drafts", DRAFTS)]),
    },
    Case {
        limit: 1000,
        sql: "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content,
                  rendered_content, deliver_at, read_by_sender, client, realm_url)
              SELECT 1, ?1, '[1]', 'c', 'c', 4000000000, 0, 'c', 'u' FROM n",
        list: "/scheduled_messages",
        key: "scheduled_messages",
        id: "scheduled_message_id",
        change: patch("/scheduled_messages/{id}", &[("content", "changed")]),
        remove: delete("/scheduled_messages/{id}"),
        add: post(
            "/scheduled_messages",
            &[
                ("type", "direct"),
                ("to", "[1]"),
                ("content", "c"),
                ("scheduled_delivery_timestamp", "4000000000"),
            ],
        ),
    },
    Case {
        limit: 200,
        sql: "INSERT INTO navigation_views SELECT ?1, 'view' || i, 0, 'n' || i FROM n",
        list: "/navigation_views",
        key: "navigation_views",
        id: "fragment",
        change: patch("/navigation_views/{id}", &[("is_pinned", "true")]),
        remove: delete("/navigation_views/{id}"),
        add: post(
            "/navigation_views",
            &[("fragment", "one"), ("is_pinned", "true"), ("name", "more")],
        ),
    },
    Case {
        limit: 250,
        sql: "INSERT INTO users (realm_id, email, email_folded, delivery_email,
                  delivery_email_folded, full_name, full_name_folded, role, is_bot, bot_type,
                  bot_owner_id, date_joined)
              SELECT 1, 'b' || i || '@x', 'b' || i || '@x', 'b' || i || '@x', 'b' || i || '@x',
                  'B' || i, 'b' || i, 400, 1, 1, ?1, 1 FROM n",
        list: "/bots",
        key: "bots",
        id: "",
        change: None,
        remove: None,
        add: post(
            "/bots",
            &[("full_name", "One more"), ("short_name", "more")],
        ),
    },
    Case {
        limit: 20_000,
        sql: "INSERT INTO invitations (realm_id, inviter_id, nonce, invited_as, created_at,
                  notifies_inviter, joins_defaults, channel_ids, group_ids)
              SELECT 1, ?1, randomblob(16), 400, 1, 0, 0, '[]', '[]' FROM n",
        list: "/invites",
        key: "invites",
        id: "id",
        change: None,
        remove: delete("/invites/multiuse/{id}"),
        add: post("/invites/multiuse", &[]),
    },
    Case {
        limit: 500,
        sql: "INSERT INTO linkifiers (realm_id, position, pattern, url_template)
              SELECT 1, i, 'above' || i, 'https://x.example' FROM n",
        list: "/realm/linkifiers",
        key: "linkifiers",
        id: "id",
        change: patch(
            "/realm/filters/{id}",
            &[
                ("pattern", "changed"),
                ("url_template", "https://y.example"),
            ],
        ),
        remove: delete("/realm/filters/{id}"),
        add: post(
            "/realm/filters",
            &[("pattern", "more"), ("url_template", "https://x.example")],
        ),
    },
    Case {
        limit: 200,
        sql: "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template)
              SELECT 1, 'p' || i, 'Rust', 'https://x.example/{code}' FROM n",
        list: "realm_playgrounds",
        key: "realm_playgrounds",
        id: "id",
        change: None,
        remove: delete("/realm/playgrounds/{id}"),
        add: post(
            "/realm/playgrounds",
            &[
                ("name", "one more"),
                ("pygments_language", "Rust"),
                ("url_template", "https://x.example/{code}"),
            ],
        ),
    },
    Case {
        limit: 1000,
        sql: "INSERT INTO realm_domains (realm_id, domain, allow_subdomains)
              SELECT 1, 'd' || i || '.example', 0 FROM n",
        list: "/realm/domains",
        key: "domains",
        id: "domain",
        change: patch("/realm/domains/{id}", &[("allow_subdomains", "true")]),
        remove: delete("/realm/domains/{id}"),
        add: post(
            "/realm/domains",
            &[("domain", "more.example"), ("allow_subdomains", "false")],
        ),
    },
    Case {
        limit: 500,
        sql: "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created,
                  creator_id) SELECT 1, 'f' || i, 'f' || i, i, 1, ?1 FROM n",
        list: "/channel_folders",
        key: "channel_folders",
        id: "id",
        change: patch("/channel_folders/{id}", &[("name", "changed")]),
        remove: None,
        add: post(
            "/channel_folders/create",
            &[("name", "one more"), ("description", "")],
        ),
    },
    Case {
        limit: 100,
        sql: "INSERT INTO profile_fields (realm_id, name, type, position)
              SELECT 1, 'f' || i, 1, i FROM n",
        list: "/realm/profile_fields",
        key: "custom_fields",
        id: "id",
        change: patch("/realm/profile_fields/{id}", &[("hint", "changed")]),
        remove: delete("/realm/profile_fields/{id}"),
        add: post(
            "/realm/profile_fields",
            &[("name", "one more"), ("field_type", "1")],
        ),
    },
];

fn list(user: &User, case: &Case) -> Vec<Value> {
    let body = if case.list.starts_with('/') {
        user.get(case.list, &[]).ok()
    } else {
        let part = json!([case.list]).to_string();
        let pairs = [("event_types", "[]"), ("fetch_event_types", part.as_str())];
        user.post("/register", &pairs).ok()
    };
    body[case.key].as_array().expect(case.key).clone()
}

fn call(user: &User, change: &Change, id: &str) -> spindle_tests::Reply {
    let path = change.path.replace("{id}", id);
    let call = Call::new(change.method, &path);
    user.send(if change.pairs.is_empty() {
        call
    } else {
        call.form(change.pairs)
    })
}

#[test]
fn objects_above_a_quota_stay_and_none_can_be_added() {
    let server = Server::own(Options::default());
    for case in CASES {
        let owner = server.user("owner");
        let before = list(&owner, case).len();
        seed(&server, case.limit + MORE, case.sql, owner.user_id);
        let all = list(&owner, case);
        let expected = before + usize::try_from(case.limit + MORE).expect("a number");
        assert_eq!(all.len(), expected, "{}", case.list);
        refused(call(&owner, &case.add, ""), case.limit);
        let last = &all[all.len() - 1][case.id];
        let last = last.as_str().map_or(last.to_string(), str::to_owned);
        if let Some(change) = &case.change {
            call(&owner, change, &last).ok();
        }
        if let Some(remove) = &case.remove {
            call(&owner, remove, &last).ok();
            // After one deletion, the number is still above the quota.
            refused(call(&owner, &case.add, ""), case.limit);
            assert_eq!(list(&owner, case).len(), expected - 1, "{}", case.list);
        }
    }
}

/// Reactions of one account to one message.
#[test]
fn reactions_above_the_quota_are_shown_and_can_be_removed() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let to = format!("[{}]", user.user_id);
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let path = format!("/messages/{id}/reactions");
    user.post(&path, &[("emoji_name", "octopus")]).ok();
    let sql = format!(
        "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
         SELECT {id}, ?1, 'unicode_emoji', 'x' || i, 'x' || i FROM n"
    );
    seed(&server, 100 + MORE, &sql, user.user_id);
    let shown = || {
        let message = user.get(&format!("/messages/{id}"), &[]).ok();
        let reactions = message["message"]["reactions"].as_array();
        reactions.expect("reactions").len()
    };
    assert_eq!(shown(), 111);
    refused(user.post(&path, &[("emoji_name", "tada")]), 100);
    user.delete(&path, &[("emoji_name", "octopus")]).ok();
    assert_eq!(shown(), 110);
    refused(user.post(&path, &[("emoji_name", "tada")]), 100);
}
