//! POST /user_groups/{user_group_id}/subgroups
//! (docs/protocol/user-groups.md#update_user_group_subgroups).

use serde_json::json;
use spindle_tests::{Options, Reply, Server, User};

use super::{allow, group, group_of, group_with, nameless, record, sub, system};
use crate::support::server;

fn change(user: &User, id: i64, add: &[i64], delete: &[i64]) -> Reply {
    let (add, delete) = (json!(add).to_string(), json!(delete).to_string());
    user.post(&sub(id, "subgroups"), &[("add", &add), ("delete", &delete)])
}

fn subgroups(user: &User, id: i64) -> serde_json::Value {
    record(user, id)["direct_subgroup_ids"].clone()
}

#[test]
fn subgroups_are_added_and_removed() {
    let user = server().user("member");
    let (top, one, two) = (group(&user), group(&user), group(&user));
    let members = system(&user, "role:members");
    change(&user, top, &[two, one, two, members], &[]).ok();
    let mut all = vec![one, two, members];
    all.sort_unstable();
    assert_eq!(subgroups(&user, top), json!(all));
    user.post(
        &sub(top, "subgroups"),
        &[("delete", &json!([members, two]).to_string())],
    )
    .ok();
    assert_eq!(subgroups(&user, top), json!([one]));
    // Additions come first, so a group in both lists has been added and removed.
    change(&user, top, &[two], &[two, one]).ok();
    assert_eq!(subgroups(&user, top), json!([]));
}

#[test]
fn at_least_one_subgroup_is_required() {
    let user = server().user("member");
    let id = group(&user);
    change(&user, id, &[], &[]).bad_request();
    user.post(&sub(id, "subgroups"), &[]).bad_request();
    for wrong in ["5", "x", "[\"1\"]", "[1.0]", "null", "{}"] {
        user.post(&sub(id, "subgroups"), &[("add", wrong)])
            .bad_request();
    }
}

/// The error names an id that is not a group of the organization; an anonymous group counts as
/// none.
#[test]
fn unknown_groups_are_refused() {
    let user = server().user("member");
    let id = group(&user);
    let hidden: i64 = server()
        .database()
        .query_row(
            "SELECT max(id) FROM user_groups WHERE name IS NULL",
            [],
            |row| row.get(0),
        )
        .unwrap();
    for unknown in [99_999_999, hidden] {
        for (add, delete) in [(vec![unknown], vec![]), (vec![], vec![unknown])] {
            let body = change(&user, id, &add, &delete).bad_request();
            let text = body["msg"].as_str().unwrap();
            assert!(text.contains(&unknown.to_string()), "{text}");
        }
    }
    change(&user, 99_999_999, &[id], &[]).bad_request();
}

#[test]
fn existing_additions_and_missing_removals_are_refused() {
    let user = server().user("member");
    let (top, one, two) = (group(&user), group(&user), group(&user));
    change(&user, top, &[one], &[]).ok();
    change(&user, top, &[two, one], &[]).bad_request();
    change(&user, top, &[], &[one, two]).bad_request();
    // The changes of the first list are undone when the second fails.
    let three = group(&user);
    change(&user, top, &[three], &[two]).bad_request();
    assert_eq!(subgroups(&user, top), json!([one]));
}

#[test]
fn no_group_contains_itself() {
    let user = server().user("member");
    let chain: Vec<i64> = (0..4).map(|_| group(&user)).collect();
    for pair in chain.windows(2) {
        change(&user, pair[0], &[pair[1]], &[]).ok();
    }
    let other = group(&user);
    for (target, listed) in [
        (chain[0], chain[0]),
        (chain[1], chain[0]),
        (chain[3], chain[0]),
        (chain[3], chain[2]),
    ] {
        change(&user, target, &[other, listed], &[]).bad_request();
        assert!(
            !subgroups(&user, target)
                .as_array()
                .unwrap()
                .contains(&json!(other))
        );
    }
    // A second path down is not a cycle.
    change(&user, chain[0], &[chain[3]], &[]).ok();
    change(&user, chain[1], &[], &[chain[2]]).ok();
    change(&user, chain[2], &[chain[0]], &[]).ok();
}

#[test]
fn deactivated_groups_cannot_be_added_but_may_have_subgroups() {
    let user = server().user("member");
    let (off, one, two) = (group(&user), group(&user), group(&user));
    change(&user, off, &[one], &[]).ok();
    user.post(&sub(off, "deactivate"), &[]).ok();
    change(&user, two, &[off], &[]).bad_request();
    change(&user, off, &[two], &[one]).ok();
    assert_eq!(subgroups(&user, off), json!([two]));
}

#[test]
fn the_permission_decides_who_may() {
    let (ann, bob, bot) = (
        server().user("member"),
        server().user("member"),
        server().bot(),
    );
    let (top, one, two) = (group(&ann), group(&ann), group(&ann));
    change(&ann, top, &[one], &[]).ok();
    change(&bob, top, &[two], &[]).bad_request();
    allow(
        &ann,
        top,
        "can_add_members_group",
        &nameless(&[bob.user_id, bot.user_id], &[]),
    );
    change(&bob, top, &[two], &[]).ok();
    change(&bob, top, &[], &[one]).bad_request();
    allow(
        &ann,
        top,
        "can_remove_members_group",
        &nameless(&[bob.user_id], &[]),
    );
    change(&bob, top, &[], &[one]).ok();
    change(&bot, top, &[one], &[]).ok();
    server()
        .user("owner")
        .post(
            &sub(top, "subgroups"),
            &[("delete", &json!([one]).to_string())],
        )
        .ok();
    // This user may join and leave, but that permission is for members only.
    let open = group_of(&ann, &[]);
    for permission in ["can_join_group", "can_leave_group"] {
        allow(&ann, open, permission, &json!(system(&ann, "role:members")));
    }
    change(&bob, open, &[one], &[]).bad_request();
    // No one changes a system group, and guests change no groups.
    let owners = system(&ann, "role:owners");
    change(&server().user("owner"), owners, &[one], &[]).bad_request();
    let guest = server().user("guest");
    let managed = group_with(
        &ann,
        &[(
            "can_add_members_group",
            &nameless(&[guest.user_id], &[]).to_string(),
        )],
    );
    change(&guest, managed, &[one], &[]).bad_request();
}

/// The order of the checks for additions.
#[test]
fn only_the_first_failing_check_is_reported() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let (id, one) = (group(&ann), group(&ann));
    let text = |reply: Reply| reply.bad_request()["msg"].clone();
    let nothing = text(change(&bob, 99_999_999, &[], &[]));
    let missing = text(change(&bob, 99_999_999, &[one], &[]));
    let refused = text(change(&bob, id, &[99_999_999], &[]));
    let unknown = text(change(&ann, id, &[99_999_999, id], &[]));
    let owners = system(&ann, "role:owners");
    assert_eq!(
        text(change(&server().user("owner"), owners, &[one], &[])),
        refused
    );
    let texts = [&nothing, &missing, &refused, &unknown];
    for (number, text) in texts.iter().enumerate() {
        assert!(!texts[..number].contains(text), "{texts:?}");
    }
}

/// Creates groups that are in no other; returns the id of the first one.
fn seeded(server: &Server, count: i64) -> i64 {
    let database = server.database();
    let first = database.query_row("SELECT max(id) + 1000 FROM user_groups", [], |row| {
        row.get(0)
    });
    let first: i64 = first.expect("an id");
    let sql = format!(
        "INSERT INTO user_groups (id, realm_id, name) \
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {count} - 1) \
         SELECT {first} + i, 1, 'seeded ' || i FROM n; \
         INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
         SELECT id, id FROM user_groups WHERE id >= {first}; \
         INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT 1, 'user_group', g.id, s.name, s.group_id FROM user_groups g CROSS JOIN group_settings s \
         WHERE g.id >= {first} AND s.owner_type = 'user_group' \
             AND s.owner_id = (SELECT min(owner_id) FROM group_settings WHERE owner_type = 'user_group');"
    );
    database.execute_batch(&sql).expect("groups");
    first
}

/// All groups below a group count, for it and for those above.
#[test]
fn a_group_contains_at_most_100_others() {
    let server = Server::own(Options::default());
    let user = server.user("owner");
    let (outer, top) = (group(&user), group(&user));
    let first = seeded(&server, 101);
    let some: Vec<i64> = (first..first + 100).collect();
    let all: Vec<i64> = (first..=first + 100).collect();
    let refused = |reply: Reply| {
        let text = reply.bad_request().to_string();
        assert!(text.contains("at most 100 groups"), "{text}");
    };
    refused(change(&user, top, &all, &[]));
    change(&user, top, &some, &[]).ok();
    refused(change(&user, top, &[first + 100], &[]));
    refused(change(&user, outer, &[top], &[]));
    user.post(
        &sub(top, "subgroups"),
        &[("delete", &json!([first]).to_string())],
    )
    .ok();
    change(&user, outer, &[top], &[]).ok();
    refused(change(&user, top, &[first], &[]));
    refused(change(&user, first, &[outer], &[]));
    // A permission may name as many.
    let holders = nameless(&[], &all).to_string();
    let pairs = [
        ("name", "many hold this"),
        ("subscribers", "[]"),
        ("can_send_message_group", holders.as_str()),
    ];
    refused(user.post("/channels/create", &pairs));
}

/// Each group contains all after it, as an earlier version allowed.
#[test]
fn dense_nesting_is_taken_apart() {
    let server = Server::own(Options::default());
    let user = server.user("owner");
    let first = seeded(&server, 200);
    let pairs = format!(
        "SELECT a.id, b.id FROM user_groups a CROSS JOIN user_groups b WHERE a.id >= {first} AND b.id > a.id"
    );
    let sql = format!(
        "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) {pairs}; \
         INSERT INTO user_group_closure (supergroup_id, subgroup_id) {pairs};"
    );
    server.database().execute_batch(&sql).expect("nesting");
    let delete = json!([first + 100]).to_string();
    user.post(&sub(first + 99, "subgroups"), &[("delete", &delete)])
        .ok();
    // The groups after it are still in all of those before, but the neighbour no longer in this one.
    let path = format!("/user_groups/{}/subgroups", first + 99);
    let within = user.get(&path, &[]).ok()["subgroups"].clone();
    let expected: Vec<i64> = (first + 101..first + 200).collect();
    assert_eq!(within, json!(expected));
    let path = format!("/user_groups/{first}/subgroups");
    let within = user.get(&path, &[]).ok()["subgroups"].clone();
    assert_eq!(within.as_array().expect("ids").len(), 199);
}
