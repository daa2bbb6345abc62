//! Every statement against the real schema.

use super::*;
use crate::messages::NewMessage;
use crate::testing::{self, TestDatabase};
use crate::{channels, check, conversations};
use spindle_domain::{ChannelId, GroupId, MessageId, RealmId, Role, UserId};

#[test]
fn rows_keep_their_ids_and_the_database_is_sound() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let user = ImportedUser {
        id: UserId(12),
        realm_id: RealmId::ONLY,
        email: "a@x",
        email_folded: "a@x",
        delivery_email: "a@x",
        delivery_email_folded: "a@x",
        full_name: "Ann",
        full_name_folded: "ann",
        role: Role::Member,
        is_active: false,
        bot_type: None,
        bot_owner_id: None,
        is_imported_stub: true,
        date_joined: 5,
        last_login: None,
        timezone: "",
        avatar_source: "G",
        avatar_version: 3,
        settings: "{}",
    };
    insert_user(&tx, &user).unwrap();
    assert_eq!(owners(&tx, RealmId::ONLY), Ok(0));
    make_owner(&tx, UserId(12)).unwrap();
    assert_eq!(owners(&tx, RealmId::ONLY), Ok(1));
    let folder = ImportedFolder {
        id: 3,
        realm_id: RealmId::ONLY,
        name: "F",
        name_folded: "f",
        description: "",
        rendered_description: "",
        position: 2,
        date_created: Some(5),
        creator_id: Some(UserId(12)),
        is_archived: false,
    };
    insert_folder(&tx, &folder).unwrap();
    let conversation_id = conversations::insert_channel(&tx, RealmId::ONLY).unwrap();
    let channel = channels::NewChannel {
        id: Some(ChannelId(44)),
        realm_id: RealmId::ONLY,
        conversation_id,
        name: "C",
        name_folded: "c",
        description: "",
        rendered_description: "",
        date_created: 5,
        creator_id: Some(UserId(12)),
        invite_only: false,
        history_public_to_subscribers: true,
        is_web_public: false,
        is_archived: false,
        message_retention_days: None,
        topics_policy: "inherit",
        folder_id: Some(3.into()),
    };
    assert_eq!(channels::insert(&tx, &channel), Ok(ChannelId(44)));
    let subscription = ImportedSubscription {
        user_id: UserId(12),
        channel_id: ChannelId(44),
        active: true,
        color: "#c2c2c2",
        is_muted: false,
        pin_to_top: true,
        notifications: [None, Some(true), None, Some(false), None],
    };
    insert_subscription(&tx, &subscription).unwrap();
    let group = ImportedGroup {
        id: Some(GroupId(9)),
        realm_id: RealmId::ONLY,
        name: None,
        description: "",
        is_system_group: false,
        deactivated: false,
        creator_id: None,
        date_created: None,
    };
    assert_eq!(insert_group(&tx, &group), Ok(GroupId(9)));
    let named = ImportedGroup {
        id: None,
        name: Some("devs"),
        ..group
    };
    assert_eq!(insert_group(&tx, &named), Ok(GroupId(10)));
    remove_unused_groups(&tx).unwrap();
    let field = ImportedField {
        id: 6,
        realm_id: RealmId::ONLY,
        name: "Town",
        hint: "",
        kind: 1,
        field_data: "",
        position: 4,
        flags: [false, true, false, true],
    };
    insert_field(&tx, &field).unwrap();
    let emoji = ImportedEmoji {
        id: 7,
        realm_id: RealmId::ONLY,
        name: "wave2",
        author_id: Some(UserId(12)),
        file_name: "7.png",
        deactivated: false,
        date_created: 5,
    };
    insert_emoji(&tx, &emoji).unwrap();
    name_still_emoji(&tx, 7, "7-still.png").unwrap();
    let presence = ImportedPresence {
        user_id: UserId(12),
        active: 1,
        idle: 2,
    };
    insert_presence(&tx, &presence).unwrap();
    insert_presence(&tx, &presence).unwrap();
    let status = ImportedStatus {
        user_id: UserId(12),
        status_text: "away",
        emoji_name: "",
        emoji_code: "",
        reaction_type: "unicode_emoji",
        updated: 5,
    };
    insert_status(&tx, &status).unwrap();
    insert_audit(
        &tx,
        RealmId::ONLY,
        5,
        (None, Some(UserId(12))),
        "user_created",
        "{}",
    )
    .unwrap();
    let message = ImportedMessage {
        id: MessageId(1000),
        message: NewMessage {
            realm_id: RealmId::ONLY,
            sender_id: UserId(12),
            conversation_id,
            channel_id: Some(ChannelId(44)),
            topic: "t",
            topic_folded: "t",
            content: "hello world",
            rendered_content: "<p>hello world</p>",
            date_sent: 5,
            client: "test",
            properties: 0,
            buttons: None,
        },
        last_edit_time: None,
        last_moved_time: None,
        edit_history: None,
    };
    insert_message(&tx, &message).unwrap();
    set_first_messages(&tx).unwrap();
    assert_eq!(is_direct(&tx, MessageId(1000)), Ok(Some(false)));
    assert_eq!(is_direct(&tx, MessageId(1001)), Ok(None));
    let receipt = ImportedReceipt {
        user_id: UserId(12),
        message_id: MessageId(1000),
        flags: 1,
    };
    let again = ImportedReceipt {
        flags: 3,
        ..receipt
    };
    insert_receipts(&tx, &[receipt, again]).unwrap();
    insert_receipts(&tx, &[again; 20]).unwrap();
    assert_eq!(count_receipts(&tx), Ok(1));
    let reaction = ImportedReaction {
        message_id: MessageId(1000),
        user_id: UserId(12),
        reaction_type: "realm_emoji",
        emoji_code: "7",
        emoji_name: "wave2",
    };
    assert_eq!(insert_reaction(&tx, &reaction), Ok(true));
    assert_eq!(insert_reaction(&tx, &reaction), Ok(false));
    let integer = |sql: &'static str| {
        let rows = tx.execute(sql, &[]).unwrap();
        rows.one_value::<i64>().unwrap()
    };
    assert_eq!(integer("SELECT flags FROM user_messages"), 1);
    assert_eq!(integer("SELECT first_message_id FROM channels"), 1000);
    assert_eq!(integer("SELECT count(*) FROM user_groups"), 1);
    assert_eq!(
        integer("SELECT count(*) FROM message_search WHERE message_search MATCH 'world'"),
        1
    );
    assert!(testing::user(&tx, "b@x") > UserId(12));
    tx.commit().unwrap();
    let found = check::check(&database.db()).unwrap();
    assert!(found.is_empty(), "{found:?}");
}
