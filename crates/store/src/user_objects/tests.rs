//! Tests of the user objects.

use spindle_domain::Role;

use super::*;
use crate::testing::{self, TestDatabase};
use crate::users::{set_active, set_role, set_setting};
use serde_json::json;

fn viewer(user_id: Option<UserId>) -> Viewer<'static> {
    Viewer {
        realm_id: RealmId::ONLY,
        user_id,
        visibility_levels: "[1,2]",
        client_gravatar: true,
        profile_data: true,
        sees_all_users: true,
        avatar_optional: false,
    }
}

fn parse(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn objects_hide_addresses_and_show_owners_of_bots() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    let bob = testing::user(&tx, "bob@x.org");
    let bot = testing::bot(&tx, "bot@x.org");
    set_setting(&tx, ann, "email_address_visibility", "3").unwrap();
    set_active(&tx, bob, false).unwrap();
    let viewer = viewer(Some(bot));
    let UserLists {
        active,
        deactivated,
    } = objects(&tx, &viewer, Hidden::Omitted).unwrap();
    let (active, deactivated) = (parse(&active), parse(&deactivated));
    assert_eq!(active[0]["user_id"], ann.get());
    assert_eq!(active[0]["delivery_email"], json!(null));
    assert_eq!(active[0]["profile_data"], json!({}));
    assert_eq!(active[0].get("bot_type"), None);
    assert_eq!(active[1]["bot_type"], 1);
    assert_eq!(active[1]["bot_owner_id"], json!(null));
    assert_eq!(active[1].get("profile_data"), None);
    assert_eq!(deactivated[0]["delivery_email"], "bob@x.org");
    assert_eq!(deactivated[0]["is_guest"], false);
    // Every list shows the same object, apart from is_active.
    let mut one = parse(&member(&tx, &viewer, bob).unwrap().unwrap());
    let listed = parse(&members(&tx, &viewer, Some(&format!("[{bob},99]"))).unwrap());
    assert_eq!(listed, json!([one]));
    assert_eq!(
        one.as_object_mut().unwrap().remove("is_active"),
        Some(json!(false))
    );
    assert_eq!(one, deactivated[0]);
    assert_eq!(member(&tx, &viewer, UserId(99)), Ok(None));
    let brief = Viewer {
        profile_data: false,
        avatar_optional: true,
        ..viewer
    };
    let brief = parse(&members(&tx, &brief, None).unwrap());
    assert_eq!(brief[0].get("profile_data"), None);
    assert!(brief[0]["avatar_url"].is_string());
    assert_eq!(brief[1].get("avatar_url"), None);
}

#[test]
fn a_gravatar_is_left_to_the_client_only_with_its_address() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    tx.execute("UPDATE users SET avatar_source = 'G'", &[])
        .unwrap();
    let url = || parse(&member(&tx, &viewer(None), ann).unwrap().unwrap())["avatar_url"].clone();
    assert_eq!(url(), json!(null));
    set_setting(&tx, ann, "email_address_visibility", "4").unwrap();
    assert_eq!(url(), format!("/avatar/{ann}?version=1"));
}

#[test]
fn hidden_people_are_left_out_or_have_no_name() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    let bot = testing::bot(&tx, "bot@x.org");
    let guest = testing::user(&tx, "guest@x.org");
    set_role(&tx, guest, Role::Guest).unwrap();
    set_active(&tx, ann, false).unwrap();
    let viewer = Viewer {
        sees_all_users: false,
        ..viewer(Some(guest))
    };
    let ids = |list: &str| -> Vec<UserId> {
        let list = parse(list);
        let list = list.as_array().unwrap();
        list.iter()
            .map(|u| UserId(u["user_id"].as_i64().unwrap()))
            .collect()
    };
    let UserLists {
        active,
        deactivated,
    } = objects(&tx, &viewer, Hidden::Omitted).unwrap();
    assert_eq!(
        (ids(&active), ids(&deactivated)),
        (vec![bot, guest], vec![])
    );
    assert_eq!(ids(&members(&tx, &viewer, None).unwrap()), [bot, guest]);
    let UserLists {
        active,
        deactivated,
    } = objects(&tx, &viewer, Hidden::Unknown("x.org")).unwrap();
    assert_eq!(
        (ids(&active), ids(&deactivated)),
        (vec![ann, bot, guest], vec![])
    );
    let mut stand_in = parse(&unknown(&tx, RealmId::ONLY, ann, "x.org").unwrap());
    assert_eq!(stand_in["email"], format!("user{ann}@x.org"));
    stand_in.as_object_mut().unwrap().remove("is_active");
    assert_eq!(parse(&active)[0], stand_in);
    // A user who writes to a guest is visible to them.
    crate::conversations::insert_direct(&tx, RealmId::ONLY, &format!("{ann},{guest}")).unwrap();
    let UserLists { deactivated, .. } = objects(&tx, &viewer, Hidden::Omitted).unwrap();
    assert_eq!(ids(&deactivated), [ann]);
}
