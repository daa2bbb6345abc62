//! Which account a person gets, with which role and in which groups; and who is refused.

use serde_json::{Value, json};
use spindle_actions::ActionError;
use spindle_actions::account::{
    SignInOrigin, authenticate, authenticate_session, fetch_api_key, make_sign_in_link,
    set_password, sign_in, sign_in_by_link,
};
use spindle_actions::identity::{connections, signs_out_at};
use spindle_actions::organization::deactivate_realm;
use spindle_actions::user_groups::{NewGroup, create_group, group_members};
use spindle_actions::users::deactivate_user;
use spindle_domain::errors::ClientError;
use spindle_domain::identity::{Claims, Rules};
use spindle_domain::{Role, UserId};

use super::{
    NOW, actor_of, by_password, claims, enter, link, refusal, rules, session_of, with_groups, world,
};
use crate::support::REALM;

#[test]
fn a_person_gets_an_account_once() {
    let world = world();
    let position = world.position();
    let session = session_of(&world, &rules(), &claims("1", "carla@x.org"));
    let kinds = world.kinds_since(position);
    assert!(kinds.contains(&"realm_user/add".to_owned()), "{kinds:?}");
    let actor = actor_of(&world, &session);
    assert_eq!(actor.role, Role::Member);
    assert_eq!(enter(&world, &claims("1", "carla@x.org")), session.user_id);
    // The subject counts, not the address.
    assert_eq!(
        enter(&world, &claims("1", "carla@new.org")),
        session.user_id
    );
    assert_ne!(
        enter(&world, &claims("2", "carla@new.org")),
        session.user_id
    );
    let own = connections(&world.db(), &actor).unwrap();
    let shown: Vec<_> = own
        .iter()
        .map(|one| (&*one.provider, &*one.display_name))
        .collect();
    assert_eq!(shown, [("kc", "Company kc")]);
    assert_eq!(
        signs_out_at(&world.db(), &actor).unwrap().as_deref(),
        Some("kc")
    );
}

#[test]
fn a_link_lasts_five_minutes() {
    let world = world();
    for (later, works) in [(299, true), (300, false)] {
        let token = link(&world, &rules(), &claims("1", "carla@x.org")).unwrap();
        let used = sign_in_by_link(
            &world.db(),
            REALM,
            NOW + later,
            (&token, None),
            SignInOrigin::default(),
        );
        assert_eq!(used.is_ok(), works, "{later}");
        let again = sign_in_by_link(
            &world.db(),
            REALM,
            NOW,
            (&token, None),
            SignInOrigin::default(),
        );
        assert_eq!(again.is_err(), works);
    }
}

#[test]
fn an_account_that_another_person_may_have_made_ends_what_opens_it() {
    let world = world();
    let victim = world.create("Victor", Role::Member);
    set_password(&world.db(), REALM, NOW, victim.user_id, "correct horse 2").unwrap();
    let by_attacker = SignInOrigin::default();
    let sign_in_with = |password: &str| {
        sign_in(
            &world.db(),
            REALM,
            NOW,
            by_password("victor@x.org", password),
            by_attacker,
        )
    };
    let session = sign_in_with("correct horse 2").unwrap();
    let key = fetch_api_key(
        &world.db(),
        REALM,
        NOW,
        by_password("victor@x.org", "correct horse 2"),
        by_attacker,
    );
    let key = key.unwrap().api_key;
    let operators = make_sign_in_link(&world.db(), REALM, NOW, victim.user_id).unwrap();
    let bot = world.bot("Helper");
    world.run(
        "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2",
        [victim.user_id.get(), bot.user_id.get()],
    );
    let bot_keys = "SELECT count(*) FROM api_keys WHERE user_id = ?1";
    let count = |id: UserId| -> i64 { world.row(bot_keys, [id.get()], |row| row.get(0)) };
    assert_eq!(count(bot.user_id), 1);

    assert_eq!(enter(&world, &claims("1", "Victor@X.org")), victim.user_id);
    assert!(authenticate_session(&world.db(), &session.token, NOW).is_err());
    assert!(authenticate(&world.db(), "victor@x.org", &key, NOW).is_err());
    assert!(authenticate(&world.db(), "victor@x.org", &victim.api_key, NOW).is_err());
    let used = sign_in_by_link(&world.db(), REALM, NOW, (&operators, None), by_attacker);
    assert!(matches!(used, Err(ActionError::BadSignInLink)));
    let refused = sign_in_with("correct horse 2");
    assert!(matches!(
        refused,
        Err(ActionError::Client(ClientError::AuthenticationFailed))
    ));
    assert_eq!((count(victim.user_id), count(bot.user_id)), (0, 0));
    // The address is confirmed now: another provider ends nothing.
    set_password(&world.db(), REALM, NOW, victim.user_id, "correct horse 3").unwrap();
    let session = sign_in_with("correct horse 3").unwrap();
    let google = Claims {
        issuer: "https://accounts.example.com".to_owned(),
        ..claims("9", "victor@x.org")
    };
    let by_google = Rules {
        provider: "google".to_owned(),
        ..rules()
    };
    assert_eq!(
        session_of(&world, &by_google, &google).user_id,
        victim.user_id
    );
    assert!(authenticate_session(&world.db(), &session.token, NOW).is_ok());
}

#[test]
fn people_without_a_right_are_refused_and_nothing_changes() {
    let world = world();
    let gone = world.create("Gone", Role::Member);
    deactivate_user(&world.db(), None, REALM, NOW, gone.user_id).unwrap();
    let bot = world.bot("Robo");
    enter(&world, &claims("1", "carla@x.org"));
    let (rules, any) = (rules(), claims("5", "new@x.org"));
    let unverified = Claims {
        email_is_verified: false,
        ..claims("6", "owner@x.org")
    };
    let silent = Claims {
        email: None,
        ..any.clone()
    };
    let only_matches = Rules {
        creates: false,
        ..rules.clone()
    };
    let other_domain = Rules {
        domains: vec!["y.org".to_owned()],
        ..rules.clone()
    };
    let unknown = Rules {
        provider: "gone".to_owned(),
        ..rules.clone()
    };
    for (rules, claims, word) in [
        (&rules, &unverified, "unverified"),
        (&rules, &silent, "no_address"),
        (&only_matches, &any, "no_account"),
        (&other_domain, &any, "domain"),
        (&unknown, &any, "off"),
        (&rules, &claims("7", "gone@x.org"), "deactivated"),
        (&rules, &claims("8", &bot.email), "no_account"),
        (&rules, &claims("2", "carla@x.org"), "bound"),
        (&rules, &claims("", "new@x.org"), "failed"),
        (&rules, &claims(&"x".repeat(256), "new@x.org"), "failed"),
        (&rules, &claims("9", "new@mailinator.com"), "domain"),
    ] {
        assert_eq!(refusal(&world, rules, claims), word, "{claims:?}");
    }
    let carla = enter(&world, &claims("1", "carla@x.org"));
    deactivate_user(&world.db(), None, REALM, NOW, carla).unwrap();
    assert_eq!(
        refusal(&world, &rules, &claims("1", "carla@x.org")),
        "deactivated"
    );
    deactivate_realm(&world.db(), None, REALM, NOW).unwrap();
    assert_eq!(refusal(&world, &rules, &any), "realm_deactivated");
}

/// With the account where there is one; the person is not described.
#[test]
fn refused_people_are_recorded() {
    let world = world();
    let rules = rules();
    let mut unverified = claims("9", "carla@x.org");
    unverified.email_is_verified = false;
    let carla = enter(&world, &claims("1", "carla@x.org"));
    refusal(&world, &rules, &unverified);
    refusal(&world, &rules, &claims("2", "carla@x.org"));
    deactivate_user(&world.db(), None, REALM, NOW, carla).unwrap();
    refusal(&world, &rules, &claims("1", "moved@x.org"));
    // What the server cannot read is no refusal.
    refusal(&world, &rules, &claims("", "carla@x.org"));
    let list = "SELECT json_group_array(json_array(modified_user_id, json(data))) FROM \
        (SELECT * FROM audit_log WHERE event_type = 'user_sign_in_refused' ORDER BY id)";
    let recorded: String = world.row(list, [], |row| row.get(0));
    let recorded: Value = serde_json::from_str(&recorded).unwrap();
    let entry = |why: &str| {
        let data = json!({"address": null, "client": "", "network": "", "operation": "complete_identity",
            "provider": "kc", "why": why});
        json!([carla, data])
    };
    let expected = ["unverified", "bound", "account_deactivated"].map(entry);
    assert_eq!(recorded, json!(expected));
}

#[test]
fn roles_and_groups_follow_the_provider() {
    let world = world();
    let owner = world.owner();
    let group = NewGroup {
        name: "Engineers".to_owned(),
        ..NewGroup::default()
    };
    let group = create_group(&world.db(), &owner, NOW, &group).unwrap();
    let role_of = |id: UserId| -> i64 {
        world.row("SELECT role FROM users WHERE id = ?1", [id.get()], |row| {
            row.get(0)
        })
    };
    let is_member = |id: UserId| {
        let members = group_members(&world.db(), &owner, group, true).unwrap();
        let members: Vec<UserId> = serde_json::from_str(&members).unwrap();
        members.contains(&id)
    };
    let carla = enter(&world, &with_groups("1", "carla@x.org", &["admins", "dev"]));
    assert_eq!((role_of(carla), is_member(carla)), (200, true));
    enter(&world, &with_groups("1", "carla@x.org", &["dev"]));
    assert_eq!((role_of(carla), is_member(carla)), (400, true));
    enter(&world, &claims("1", "carla@x.org"));
    assert_eq!((role_of(carla), is_member(carla)), (400, false));
    // An owner stays one.
    let olga = enter(&world, &with_groups("2", "owner@x.org", &["admins"]));
    assert_eq!((olga, role_of(olga)), (world.owner.user_id, 100));
    // Names of groups that do not exist, and system groups, do nothing.
    let strange = Rules {
        user_groups: vec![
            ("dev".to_owned(), "Unknown".to_owned()),
            ("dev".to_owned(), "role:owners".to_owned()),
        ],
        ..rules()
    };
    session_of(&world, &strange, &with_groups("1", "carla@x.org", &["dev"]));
    assert_eq!(role_of(carla), 400);
}

#[test]
fn names_are_made_fit() {
    let world = world();
    world.set_realm_setting("require_unique_names", "true");
    let name_of = |id: UserId| -> String {
        world.row(
            "SELECT full_name FROM users WHERE id = ?1",
            [id.get()],
            |row| row.get(0),
        )
    };
    for (subject, name, expected) in [
        ("1", Some("Carla @**Company**"), "Carla Company"),
        ("2", Some("Carla Company"), "Carla Company 2"),
        ("3", Some("*"), "p3"),
        ("4", None, "p4"),
    ] {
        let claims = Claims {
            full_name: name.map(str::to_owned),
            ..claims(subject, &format!("p{subject}@x.org"))
        };
        assert_eq!(name_of(enter(&world, &claims)), expected);
    }
}
