//! Accounts from creation to deactivation: state and events together, or neither.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use spindle_actions::account::{
    PasswordProof, SignInOrigin, authenticate, fetch_api_key, rotate_key, set_permission,
};
use spindle_actions::users::{NewAccount, create_user, deactivate_user, reactivate_user, set_role};
use spindle_actions::{ActionError, create_realm};
use spindle_domain::errors::ClientError;
use spindle_domain::policy::Reason;
use spindle_domain::{Role, UserId};
use support::{Counting, REALM, START, World};

#[test]
fn a_new_organization_is_complete_and_only_one() {
    let world = World::new();
    assert_eq!(
        world.integer("SELECT count(*) FROM user_groups WHERE is_system_group = 1"),
        8
    );
    assert_eq!(world.integer("SELECT count(*) FROM default_channels"), 3);
    assert_eq!(
        world.integer("SELECT count(*) FROM subscriptions WHERE active = 1"),
        3
    );
    assert_eq!(
        world.integer("SELECT count(*) FROM group_settings WHERE owner_type = 'realm'"),
        i64::try_from(spindle_domain::permission::REALM.len()).unwrap()
    );
    let again = spindle_actions::NewRealm {
        name: "Other".into(),
        owner: NewAccount {
            email: "x@x.org".into(),
            full_name: "Xaver".into(),
            ..NewAccount::default()
        },
    };
    let before = world.fingerprint();
    assert!(matches!(
        create_realm(&world.db(), START, &again),
        Err(ActionError::BadRequest(_))
    ));
    assert_eq!(world.fingerprint(), before);
}

#[test]
fn a_new_user_joins_groups_and_channels_and_everybody_hears() {
    let world = World::new();
    let seq = world.position();
    let ann = world.create("Ann", Role::Member);
    assert_eq!(
        world.kinds_since(seq),
        [
            "realm_user/add",
            "user_group/add_members",
            "user_group/add_members",
            "subscription/add",
            "subscription/peer_add",
        ]
    );
    let events = world.events_since(seq);
    assert_eq!(events[0].0["person"]["email"], "ann@x.org");
    assert_eq!(
        events[0].0["person"]["date_joined"],
        "2023-11-14T22:13:20+00:00"
    );
    let records = events[3].0["subscriptions"].as_array().unwrap();
    assert_eq!(records.len(), 3);
    let both = serde_json::json!([world.owner.user_id, ann.user_id]);
    assert_eq!(records[0]["subscribers"], both);
    assert_eq!(events[3].1, serde_json::json!({"users": [ann.user_id]}));
    assert_eq!(events[4].0["stream_ids"], serde_json::json!([1, 2, 3]));
    assert_eq!(events[4].0["user_ids"], serde_json::json!([ann.user_id]));
}

#[test]
fn guests_and_bots_start_outside_the_channels() {
    let world = World::new();
    let seq = world.position();
    world.create("Gus", Role::Guest);
    world.bot("Hello");
    let joined = world.kinds_since(seq);
    assert!(
        !joined.iter().any(|kind| kind.starts_with("subscription")),
        "{joined:?}"
    );
}

#[test]
fn a_refused_account_changes_nothing() {
    let world = World::new();
    let before = world.fingerprint();
    let account = |email: &str, name: &str| NewAccount {
        email: email.into(),
        full_name: name.into(),
        ..NewAccount::default()
    };
    let stub_bot = NewAccount {
        is_bot: true,
        is_imported_stub: true,
        ..account("a@x.org", "Ann")
    };
    let short = NewAccount {
        password: Some("12345".into()),
        ..account("a@x.org", "Ann")
    };
    for new in [
        account("OWNER@x.org", "Ann"),
        account("nobody", "Ann"),
        account("a@x.org", "A"),
        account("a@x.org", "Ann|12"),
        stub_bot,
        short,
    ] {
        let result = create_user(&world.db(), None, REALM, START, &new);
        assert!(matches!(result, Err(ActionError::BadRequest(_))), "{new:?}");
        assert_eq!(world.fingerprint(), before);
    }
}

#[test]
fn authentication_takes_one_statement_and_tells_little() {
    let world = World::new();
    let ann = world.create("Ann", Role::Member);
    world.actor(&ann);
    let db = Counting::new(world.db());
    let actor = authenticate(&db, " ANN@x.org ", &ann.api_key, START + 9)
        .unwrap()
        .actor;
    assert_eq!(db.count.get(), 1);
    assert_eq!((actor.user_id, actor.role), (ann.user_id, Role::Member));
    let fails = |name: &str, key: &str| {
        matches!(
            authenticate(&world.db(), name, key, START),
            Err(ActionError::WrongCredentials)
        )
    };
    assert!(fails("owner@x.org", &ann.api_key));
    assert!(fails("ann@x.org", &"a".repeat(32)));
    assert!(fails("ann@x.org", ""));
    assert!(fails("ann@x.org", &format!("{}\0", &ann.api_key[..31])));
}

#[test]
fn the_first_login_turns_a_stub_into_an_account() {
    let world = World::new();
    let new = NewAccount {
        email: "stub@x.org".into(),
        full_name: "Stella Stub".into(),
        is_imported_stub: true,
        ..NewAccount::default()
    };
    let stub = create_user(&world.db(), None, REALM, START, &new).unwrap();
    let seq = world.position();
    let actor = authenticate(&world.db(), &stub.email, &stub.api_key, START + 60)
        .unwrap()
        .actor;
    assert!(!actor.is_imported_stub);
    assert_eq!(actor.date_joined, "2023-11-14T22:14:20+00:00");
    let events = world.events_since(seq);
    assert_eq!(events.len(), 2);
    assert_eq!(
        events[0].0["person"],
        serde_json::json!({"user_id": stub.user_id, "is_imported_stub": false})
    );
    assert_eq!(
        events[1].0["person"]["date_joined"],
        actor.date_joined.as_str()
    );
    // Only once.
    let again = authenticate(&world.db(), &stub.email, &stub.api_key, START + 99)
        .unwrap()
        .actor;
    assert_eq!(again.date_joined, actor.date_joined);
    assert_eq!(world.events_since(seq).len(), 2);
}

#[test]
fn a_password_opens_an_account_and_leaves_other_keys_alone() {
    let world = World::new();
    let fetch = |name: &str, password: &str| {
        let origin = SignInOrigin::default();
        let proof = PasswordProof {
            user_name: name,
            password,
            second_factor: None,
        };
        fetch_api_key(&world.db(), REALM, START + 5, proof, origin)
    };
    let key = fetch("Owner@x.org", "correct horse").unwrap();
    assert!(authenticate(&world.db(), "owner@x.org", &key.api_key, START).is_ok());
    assert!(authenticate(&world.db(), "owner@x.org", &world.owner.api_key, START).is_ok());
    let before = world.fingerprint_of_state();
    for (name, password) in [
        ("owner@x.org", "correct hors"),
        ("nobody@x.org", "correct horse"),
        ("owner@x.org", ""),
    ] {
        let result = fetch(name, password);
        assert!(matches!(
            result,
            Err(ActionError::Client(ClientError::AuthenticationFailed))
        ));
    }
    assert_eq!(world.fingerprint_of_state(), before);
}

#[test]
fn deactivation_tells_peers_first_and_is_undone() {
    let world = World::new();
    let ann = world.create("Ann", Role::Member);
    world.actor(&ann);
    let seq = world.position();
    deactivate_user(&world.db(), None, REALM, START, ann.user_id).unwrap();
    assert_eq!(
        world.kinds_since(seq),
        [
            "subscription/peer_remove",
            "credentials_ended/",
            "realm_user/update",
        ]
    );
    assert!(matches!(
        authenticate(&world.db(), "ann@x.org", &ann.api_key, START),
        Err(ActionError::Client(ClientError::UserDeactivated))
    ));
    // Without the right key a client does not learn that the account was deactivated.
    assert!(matches!(
        authenticate(&world.db(), "ann@x.org", &"b".repeat(32), START),
        Err(ActionError::WrongCredentials)
    ));
    let seq = world.position();
    deactivate_user(&world.db(), None, REALM, START, ann.user_id).unwrap();
    assert_eq!(world.position(), seq);
    reactivate_user(&world.db(), None, REALM, START, ann.user_id).unwrap();
    assert_eq!(
        world.kinds_since(seq),
        [
            "realm_user/update",
            "realm_export_consent/",
            "user_group/add_members",
            "user_group/add_members",
            "subscription/peer_add",
        ]
    );
    // A key from before the deactivation stays dead.
    assert!(matches!(
        authenticate(&world.db(), "ann@x.org", &ann.api_key, START),
        Err(ActionError::WrongCredentials)
    ));
}

#[test]
fn the_last_owner_stays() {
    let world = World::new();
    let owner = world.owner();
    let before = world.fingerprint();
    assert!(matches!(
        deactivate_user(&world.db(), None, REALM, START, owner.user_id),
        Err(ActionError::Client(ClientError::CannotDeactivateLastUser {
            is_last_owner: true
        }))
    ));
    assert!(matches!(
        set_role(&world.db(), None, REALM, START, owner.user_id, Role::Member),
        Err(ActionError::Denied(Reason::LastOwner))
    ));
    assert_eq!(world.fingerprint(), before);
    let other = world.person("Otto", Role::Owner);
    set_role(
        &world.db(),
        Some(&other),
        REALM,
        START,
        owner.user_id,
        Role::Member,
    )
    .unwrap();
    assert!(matches!(
        deactivate_user(&world.db(), None, REALM, START, other.user_id),
        Err(ActionError::Client(ClientError::CannotDeactivateLastUser {
            is_last_owner: true
        }))
    ));
}

#[test]
fn a_role_moves_between_the_system_groups() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let seq = world.position();
    set_role(
        &world.db(),
        None,
        REALM,
        START,
        ann.user_id,
        Role::Administrator,
    )
    .unwrap();
    assert_eq!(
        world.kinds_since(seq),
        [
            "realm_user/update",
            "user_group/remove_members",
            "user_group/remove_members",
            "user_group/add_members",
        ]
    );
    let groups = format!(
        "SELECT count(*) FROM user_group_members m JOIN user_groups g ON g.id = m.group_id \
         WHERE m.user_id = {} AND g.name = 'role:administrators'",
        ann.user_id
    );
    assert_eq!(world.integer(&groups), 1);
    let member = world.person("Bob", Role::Member);
    let before = world.fingerprint();
    let refused = set_role(
        &world.db(),
        Some(&member),
        REALM,
        START,
        ann.user_id,
        Role::Guest,
    );
    assert!(matches!(
        refused,
        Err(ActionError::Denied(Reason::AdministratorRequired))
    ));
    let unknown = set_role(&world.db(), None, REALM, START, UserId(99), Role::Guest);
    assert!(matches!(
        unknown,
        Err(ActionError::Denied(Reason::NoAccess))
    ));
    assert_eq!(world.fingerprint(), before);
}

#[test]
fn rotation_revokes_every_key() {
    let world = World::new();
    let ann = world.create("Ann", Role::Member);
    let key = rotate_key(&world.db(), None, REALM, START, ann.user_id).unwrap();
    assert!(authenticate(&world.db(), "ann@x.org", &ann.api_key, START).is_err());
    assert!(authenticate(&world.db(), "ann@x.org", &key, START).is_ok());
    let bob = world.person("Bob", Role::Member);
    assert!(rotate_key(&world.db(), Some(&bob), REALM, START, ann.user_id).is_err());
}

#[test]
fn special_permissions_are_granted_by_name() {
    let world = World::new();
    let ann = world.create("Ann", Role::Member).user_id;
    let set = |name: &str, granted| set_permission(&world.db(), REALM, START, ann, name, granted);
    assert!(set("can_create_users", true).unwrap());
    assert!(!set("can_create_users", true).unwrap());
    assert!(set("can_create_users", false).unwrap());
    assert!(set("can_fly", true).is_err());
}
