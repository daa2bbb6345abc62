//! PATCH /realm/linkifiers (docs/protocol/linkifiers.md#reorder_linkifiers).

use serde_json::json;
use spindle_tests::{User, unique};

use super::{LINKIFIERS, add, alone, ids, list, queue, settled};

fn order(user: &User, ids: &[i64]) -> spindle_tests::Reply {
    user.patch(
        LINKIFIERS,
        &[("ordered_linkifier_ids", &json!(ids).to_string())],
    )
}

#[test]
fn an_order_must_name_every_linkifier_exactly_once() {
    let server = alone();
    let admin = server.user("administrator");
    for _ in 0..3 {
        add(&admin, &unique("o"));
    }
    let before = ids(&admin);
    let mut turned = before.clone();
    turned.reverse();
    for wrong in [
        vec![],
        turned[1..].to_vec(),
        [turned.clone(), vec![turned[0]]].concat(),
        [turned.clone(), vec![999_999]].concat(),
        [turned[1..].to_vec(), vec![turned[1]]].concat(),
        [turned[1..].to_vec(), vec![999_999]].concat(),
    ] {
        order(&admin, &wrong).bad_request();
        assert_eq!(ids(&admin), before);
    }
    order(&admin, &turned).ok();
    assert_eq!(ids(&admin), turned);
    let new = add(&admin, &unique("n"));
    assert_eq!(
        ids(&admin),
        [turned, vec![new]].concat(),
        "behind all others"
    );
}

#[test]
fn the_order_of_linkifiers_is_a_list_of_ids() {
    let server = alone();
    let admin = server.user("administrator");
    let body = admin
        .patch(LINKIFIERS, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "ordered_linkifier_ids");
    for wrong in ["1", "[\"1\"]", "[1.0]", "{}", "null", "x"] {
        admin
            .patch(LINKIFIERS, &[("ordered_linkifier_ids", wrong)])
            .bad_request();
    }
    order(&server.user("moderator"), &[]).error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn a_new_order_is_broadcast_and_an_unchanged_one_is_not() {
    let server = alone();
    let admin = server.user("administrator");
    add(&admin, &unique("a"));
    add(&admin, &unique("b"));
    let guest = server.user("guest");
    let mut queue = queue(&guest, true);
    let mut ids = ids(&admin);
    order(&admin, &ids).ok();
    assert!(settled(&mut queue, &admin).is_empty());
    ids.rotate_right(1);
    order(&admin, &ids).ok();
    let events = settled(&mut queue, &admin);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["realm_linkifiers"], json!(list(&guest)));
}
