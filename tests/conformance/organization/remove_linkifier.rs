//! DELETE /realm/filters/{filter_id} (docs/protocol/linkifiers.md#remove_linkifier).

use serde_json::json;
use spindle_tests::unique;

use super::{add, alone, ids, list, queue, settled};

#[test]
fn a_linkifier_can_be_removed_once() {
    let server = alone();
    let admin = server.user("administrator");
    let id = add(&admin, &unique("d"));
    let member = server.user("member");
    let mut queue = queue(&member, true);
    let path = format!("/realm/filters/{id}");
    member
        .delete(&path, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    assert!(ids(&admin).contains(&id));
    admin.delete(&path, &[]).ok();
    assert!(!ids(&admin).contains(&id));
    let events = settled(&mut queue, &admin);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["realm_linkifiers"], json!(list(&member)));
    admin.delete(&path, &[]).bad_request();
    assert!(settled(&mut queue, &admin).is_empty());
}
