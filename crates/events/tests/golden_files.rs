//! Golden forms of events about files and custom emoji (docs/protocol/events.md#capabilities).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, object, queue};
use serde_json::json;
use spindle_domain::UserId;
use spindle_events::Audience;
use spindle_events::kinds::*;

#[test]
fn attachments_are_for_their_owner() {
    let record = json!({"id": 4, "name": "a.txt", "path_id": "1/x/a.txt", "size": 3,
        "create_time": 9, "message_ids": [7]});
    let sent = |op: &str, attachment: &serde_json::Value| {
        json!([{"id": 0, "type": "attachment", "op": op, "attachment": attachment,
            "upload_space_used": 30}])
    };
    let owner = queue(&[]);
    let added = attachment_add(UserId(1), object(record.clone()), 30);
    assert_eq!(given(&owner, added), sent("add", &record));
    let updated = attachment_update(UserId(1), object(record.clone()), 30);
    assert_eq!(given(&owner, updated), sent("update", &record));
    let removed = attachment_remove(UserId(1), 4.into(), 30);
    assert_eq!(given(&owner, removed), sent("remove", &json!({"id": 4})));
    assert_eq!(
        given(&owner, attachment_remove(UserId(2), 4.into(), 30)),
        json!([])
    );
}

#[test]
fn emoji_come_one_by_one_or_as_a_table() {
    let emoji = json!({"id": "3", "name": "party", "source_url": "/e.png", "still_url": null,
        "deactivated": false, "author_id": 5});
    let table = json!({"3": emoji});
    let (capable, legacy) = (queue(&["individual_emoji_changes"]), queue(&[]));
    let whole = json!([{"id": 0, "type": "realm_emoji", "op": "update", "realm_emoji": table}]);
    let everyone = Audience::realm;
    let added = realm_emoji_add(object(emoji.clone()), object(table.clone()), everyone());
    assert_eq!(
        given(&capable, added.clone()),
        json!([{"id": 0, "type": "realm_emoji", "op": "add", "emoji": emoji}])
    );
    assert_eq!(given(&legacy, added), whole);
    let ended = realm_emoji_deactivated("3", object(table), everyone());
    let data = json!({"deactivated": true});
    assert_eq!(
        given(&capable, ended.clone()),
        json!([
            {"id": 0, "type": "realm_emoji", "op": "edit", "emoji_id": "3", "data": data},
            {"id": 1, "type": "realm_emoji", "op": "update_one", "emoji_id": "3", "data": data},
            {"id": 2, "type": "realm_emoji", "op": "remove", "emoji_id": "3"},
        ])
    );
    assert_eq!(given(&legacy, ended), whole);
}
