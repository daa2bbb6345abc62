//! GET /user_groups and reading the members of a group
//! (docs/protocol/user-groups.md#get_user_groups).

use serde_json::{Value, json};
use spindle_tests::User;

use super::{group, group_of, group_with, record, sub, system};
use crate::support::{keys, server};

fn members(user: &User, id: i64, pairs: &[(&str, &str)]) -> Value {
    user.get(&sub(id, "members"), pairs).ok()["members"].clone()
}

fn subgroups(user: &User, id: i64, pairs: &[(&str, &str)]) -> Value {
    user.get(&sub(id, "subgroups"), pairs).ok()["subgroups"].clone()
}

const DIRECT: [(&str, &str); 1] = [("direct_member_only", "true")];

#[test]
fn records_are_complete_and_sorted() {
    let user = server().user("member");
    let id = group(&user);
    let body = user.get("/user_groups", &[]).ok();
    let groups = body["user_groups"].as_array().unwrap();
    let ids: Vec<i64> = groups
        .iter()
        .map(|record| record["id"].as_i64().unwrap())
        .collect();
    assert!(ids.is_sorted() && ids.contains(&id));
    for record in groups {
        assert_eq!(
            keys(record),
            [
                "can_add_members_group",
                "can_join_group",
                "can_leave_group",
                "can_manage_group",
                "can_mention_group",
                "can_remove_members_group",
                "creator_id",
                "date_created",
                "deactivated",
                "description",
                "direct_subgroup_ids",
                "id",
                "is_system_group",
                "members",
                "name",
            ]
        );
    }
    let systems = groups
        .iter()
        .filter(|record| record["is_system_group"] == true);
    assert_eq!(systems.count(), 8);
    user.get("/user_groups", &[("include_deactivated_groups", "1")])
        .bad_request();
}

/// Register has the same records as the list.
#[test]
fn register_agrees_with_the_list() {
    let user = server().user("member");
    let id = group_of(&user, &[&user]);
    user.post(&sub(id, "deactivate"), &[]).ok();
    for include in [true, false] {
        let capabilities = json!({"include_deactivated_groups": include}).to_string();
        let pairs = [
            ("event_types", "[]"),
            ("fetch_event_types", "[\"realm_user_groups\"]"),
            ("client_capabilities", &capabilities),
        ];
        let state = user.post("/register", &pairs).ok();
        let of = |groups: &Value| -> Vec<Value> {
            let groups = groups.as_array().unwrap().iter();
            groups
                .filter(|record| record["creator_id"] == user.user_id)
                .cloned()
                .collect()
        };
        let pairs = [(
            "include_deactivated_groups",
            if include { "true" } else { "false" },
        )];
        let listed = user.get("/user_groups", &pairs).ok();
        assert_eq!(of(&state["realm_user_groups"]), of(&listed["user_groups"]));
        assert_eq!(of(&listed["user_groups"]).len(), usize::from(include));
    }
}

#[test]
fn members_are_listed_with_those_of_subgroups() {
    let people: Vec<User> = (0..3).map(|_| server().user("member")).collect();
    let ann = &people[0];
    let gone = server().user("member");
    let deep = group_of(ann, &[&people[2], &people[1], &gone]);
    let middle = group_with(ann, &[("subgroups", &json!([deep]).to_string())]);
    let members_of_top = json!([people[0].user_id, people[1].user_id]).to_string();
    let middle_list = json!([middle]).to_string();
    let top = group_with(
        ann,
        &[("members", &members_of_top), ("subgroups", &middle_list)],
    );
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let ids = |users: &[&User]| json!(users.iter().map(|user| user.user_id).collect::<Vec<_>>());
    assert_eq!(
        members(ann, top, &[]),
        ids(&[&people[0], &people[1], &people[2]])
    );
    assert_eq!(members(ann, top, &DIRECT), ids(&[&people[0], &people[1]]));
    assert_eq!(members(ann, middle, &DIRECT), json!([]));
    assert_eq!(
        members(ann, middle, &[("direct_member_only", "false")]),
        ids(&[&people[1], &people[2]])
    );
    assert_eq!(subgroups(ann, top, &[]), json!([deep, middle]));
    assert_eq!(
        subgroups(ann, top, &[("direct_subgroup_only", "true")]),
        json!([middle])
    );
    assert_eq!(subgroups(ann, deep, &[]), json!([]));
    let is_member = |group: i64, user: &User, pairs: &[(&str, &str)]| {
        let path = format!("/user_groups/{group}/members/{}", user.user_id);
        ann.get(&path, pairs).ok()["is_user_group_member"].clone()
    };
    assert_eq!(is_member(top, &people[2], &[]), true);
    assert_eq!(is_member(top, &people[2], &DIRECT), false);
    assert_eq!(is_member(top, &people[1], &DIRECT), true);
    assert_eq!(is_member(deep, &people[0], &[]), false);
    assert_eq!(is_member(deep, &gone, &[]), false);
    ann.post(&sub(top, "deactivate"), &[]).ok();
    assert_eq!(members(ann, top, &DIRECT), ids(&[&people[0], &people[1]]));
}

#[test]
fn system_groups_are_read_like_others() {
    let (admin, guest) = (server().user("administrator"), server().user("guest"));
    let lists = |name: &str, user: &User| {
        let all = members(&admin, system(&admin, name), &[]);
        all.as_array().unwrap().contains(&json!(user.user_id))
    };
    assert!(lists("role:moderators", &admin) && lists("role:everyone", &guest));
    assert!(!lists("role:owners", &admin) && !lists("role:members", &guest));
    let direct = members(&admin, system(&admin, "role:moderators"), &DIRECT);
    assert!(!direct.as_array().unwrap().contains(&json!(admin.user_id)));
}

#[test]
fn missing_groups_and_users_are_refused() {
    let user = server().user("member");
    let id = group(&user);
    user.get(&sub(99_999_999, "members"), &[]).bad_request();
    user.get(&sub(99_999_999, "subgroups"), &[]).bad_request();
    user.get(&format!("/user_groups/99999999/members/{}", user.id()), &[])
        .bad_request();
    user.get(&format!("/user_groups/{id}/members/99999999"), &[])
        .bad_request();
    user.get(&sub(id, "members"), &[("direct_member_only", "yes")])
        .bad_request();
    user.get(&sub(id, "subgroups"), &[("direct_subgroup_only", "yes")])
        .bad_request();
}

#[test]
fn guests_cannot_read_groups() {
    let (user, guest) = (server().user("member"), server().user("guest"));
    let id = group_of(&user, &[&guest]);
    guest.get("/user_groups", &[]).bad_request();
    guest.get(&sub(id, "members"), &[]).bad_request();
    guest.get(&sub(id, "subgroups"), &[]).bad_request();
    guest
        .get(&format!("/user_groups/{id}/members/{}", guest.id()), &[])
        .bad_request();
    assert_eq!(record(&user, id)["members"], json!([guest.user_id]));
}
