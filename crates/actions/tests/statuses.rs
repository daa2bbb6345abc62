//! Statuses: only the parts that are passed change, and all users receive the event.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::json;
use spindle_actions::ActionError;
use spindle_actions::users::{
    StatusInput, deactivate_user, get_own_user, get_user_status, set_user_status,
};
use spindle_domain::policy::Reason;
use spindle_domain::{Role, UserId};
use support::{Counting, REALM, START, World};

fn text(text: &str) -> StatusInput {
    StatusInput {
        status_text: Some(text.into()),
        ..StatusInput::default()
    }
}

#[test]
fn parts_change_alone_and_are_told() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let db = Counting::new(world.db());
    let seq = world.position();
    set_user_status(&db, &ann, START, ann.user_id, &text("  at lunch ")).unwrap();
    // BEGIN, the status before and now, whether guests see everybody, its event, COMMIT.
    assert_eq!(db.count.get(), 6);
    let emoji = StatusInput {
        emoji_name: Some("car".into()),
        away: Some(true),
        ..StatusInput::default()
    };
    set_user_status(&world.db(), &ann, START, ann.user_id, &emoji).unwrap();
    let events = world.events_since(seq);
    assert_eq!(
        events[0],
        (
            json!({"type": "user_status", "user_id": ann.user_id, "status_text": "at lunch"}),
            json!({"realm": true})
        )
    );
    assert_eq!(events[1].0["property"], "presence_enabled");
    assert_eq!(events[1].0["value"], false);
    assert_eq!(events[2].0["type"], "presence");
    assert_eq!(events[3].0["emoji_code"], "1f697");
    let status = get_user_status(&world.db(), &ann, ann.user_id).unwrap();
    assert_eq!(
        json!(status),
        json!({"away": true, "status_text": "at lunch", "emoji_name": "car",
            "emoji_code": "1f697", "reaction_type": "unicode_emoji"})
    );
    set_user_status(&world.db(), &ann, START, ann.user_id, &text("")).unwrap();
    let status = get_user_status(&world.db(), &ann, ann.user_id).unwrap();
    assert_eq!(
        (status.status_text, status.emoji_name),
        (None, Some("car".into()))
    );
}

#[test]
fn refusals_change_nothing() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let bot = world.bot("Hello");
    let before = world.fingerprint();
    let set = |actor, user_id, input: StatusInput| {
        set_user_status(&world.db(), actor, START, user_id, &input)
    };
    for input in [StatusInput::default(), text(&"x".repeat(61))] {
        let result = set(&ann, ann.user_id, input);
        assert!(matches!(result, Err(ActionError::BadRequest(_))));
    }
    // 60 code points are fine, spaces around them do not count.
    assert!(matches!(
        set(&bot, bot.user_id, text("x")),
        Err(ActionError::Denied(Reason::BotsExcluded))
    ));
    assert!(matches!(
        set(&ann, world.owner.user_id, text("x")),
        Err(ActionError::Denied(Reason::AdministratorRequired))
    ));
    let owner = world.owner();
    let before_owner = world.fingerprint();
    assert!(set(&owner, bot.user_id, text("x")).is_err());
    assert_eq!(world.fingerprint(), before_owner);
    assert_ne!(before, before_owner, "the owner has logged in");
    set(
        &ann,
        ann.user_id,
        text(&format!("  {} ", "\u{e9}".repeat(60))),
    )
    .unwrap();
    set(&owner, ann.user_id, text("ill")).unwrap();
    let status = get_user_status(&world.db(), &owner, ann.user_id).unwrap();
    assert_eq!(status.status_text.as_deref(), Some("ill"));
}

#[test]
fn only_active_people_have_a_status() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let bob = world.person("Bob", Role::Member);
    let bot = world.bot("Hello");
    deactivate_user(&world.db(), None, REALM, START, bob.user_id).unwrap();
    for user_id in [bob.user_id, bot.user_id, UserId(99), UserId(0)] {
        let status = get_user_status(&world.db(), &ann, user_id);
        assert!(matches!(status, Err(ActionError::Denied(Reason::NoAccess))));
    }
    let guest = world.person("Gus", Role::Guest);
    assert_eq!(
        json!(get_user_status(&world.db(), &guest, ann.user_id).unwrap()),
        json!({})
    );
}

#[test]
fn the_own_record_takes_one_statement() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let db = Counting::new(world.db());
    let own = json!(get_own_user(&db, &ann).unwrap());
    assert_eq!(db.count.get(), 1);
    assert_eq!(own["max_message_id"], -1);
    assert_eq!(own["profile_data"], json!({}));
    assert_eq!(own.get("bot_type"), None);
    let bot = json!(get_own_user(&world.db(), &world.bot("Hello")).unwrap());
    assert_eq!(bot["bot_owner_id"], json!(world.owner.user_id));
    assert_eq!(bot.get("profile_data"), None);
}
