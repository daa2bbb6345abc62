//! Which ways to sign in are on.

use std::collections::BTreeMap;

use spindle_actions::account::{
    SignInOrigin, fetch_api_key, make_sign_in_link, set_password, sign_in, sign_in_by_link,
};
use spindle_actions::identity::configure;
use spindle_actions::organization::{RealmChange, describe_realm, update_realm};
use spindle_actions::users::{make_password_link, request_password_reset, use_password_link};
use spindle_actions::{ActionError, Actor};
use spindle_domain::Role;
use spindle_domain::errors::ClientError;
use spindle_domain::identity::Rules;
use spindle_domain::policy::Reason;

use super::{
    NOW, actor_of, by_link, by_password, claims, provider, refusal, rules, session_of, world,
};
use crate::support::{REALM, World};

fn change_ways(world: &World, actor: &Actor, ways: &[(&str, bool)]) -> Result<(), ActionError> {
    let ways = ways
        .iter()
        .map(|(name, is_on)| ((*name).to_owned(), *is_on));
    let change = RealmChange {
        ways: ways.collect::<BTreeMap<_, _>>(),
        ..RealmChange::default()
    };
    update_realm(&world.db(), actor, NOW, &change)
}

fn is_off<T>(result: Result<T, ActionError>) -> bool {
    matches!(
        result,
        Err(ActionError::Client(ClientError::PasswordAuthDisabled))
    )
}

#[test]
fn owners_switch_ways_and_keep_one() {
    let world = world();
    let administrator = world.person("Ada", Role::Administrator);
    let owner = world.owner();
    let refused = change_ways(&world, &administrator, &[("Email", false)]);
    assert!(matches!(
        refused,
        Err(ActionError::Denied(Reason::OwnerRequired))
    ));
    for wrong in [
        &[("Google", true)][..],
        &[
            ("Email", false),
            ("openid:kc", false),
            ("openid:google", false),
        ],
        // The owner has signed in with a password alone.
        &[("Email", false)],
    ] {
        let refused = change_ways(&world, &owner, wrong);
        assert!(
            matches!(refused, Err(ActionError::BadRequest(_))),
            "{wrong:?}"
        );
    }
    let session = session_of(&world, &rules(), &claims("1", "owner@x.org"));
    let owner = actor_of(&world, &session);
    // Of the two, only one is a way of this owner.
    let refused = change_ways(&world, &owner, &[("Email", false), ("openid:kc", false)]);
    assert!(matches!(refused, Err(ActionError::BadRequest(_))));
    let position = world.position();
    change_ways(
        &world,
        &owner,
        &[("Email", false), ("openid:google", false)],
    )
    .unwrap();
    let events = world.events_since(position);
    let data = &events[0].0["data"];
    assert_eq!(data["email_auth_enabled"], false);
    assert_eq!(data["authentication_methods"]["Email"]["enabled"], false);
    assert_eq!(data["authentication_methods"]["openid:kc"]["enabled"], true);
    assert_eq!(
        data["authentication_methods"]["openid:google"]["enabled"],
        false
    );
    let position = world.position();
    change_ways(&world, &owner, &[("Email", false)]).unwrap();
    assert!(world.events_since(position).is_empty());
    let described = describe_realm(&world.db(), REALM).unwrap();
    let shown: Vec<_> = described.providers.iter().map(|one| &*one.id).collect();
    assert_eq!((described.has_password, shown), (false, vec!["kc"]));
    let by_google = Rules {
        provider: "google".to_owned(),
        ..rules()
    };
    assert_eq!(refusal(&world, &by_google, &claims("3", "g@x.org")), "off");
}

#[test]
fn without_passwords_only_the_operator_opens_accounts() {
    let world = world();
    let ann = world.create("Ann", Role::Member);
    set_password(&world.db(), REALM, NOW, ann.user_id, "correct horse 2").unwrap();
    let owner = world.owner();
    let by_owner = make_password_link(&world.db(), Some(&owner), REALM, NOW, ann.user_id, 600);
    let by_owner = by_owner.unwrap().token;
    let session = session_of(&world, &rules(), &claims("1", "owner@x.org"));
    let owner = actor_of(&world, &session);
    change_ways(&world, &owner, &[("Email", false)]).unwrap();

    let db = &world.db();
    let none = SignInOrigin::default();
    for (name, password) in [
        ("ann@x.org", "correct horse 2"),
        ("ann@x.org", "wrong"),
        ("unknown@x.org", "wrong"),
    ] {
        assert!(
            is_off(sign_in(db, REALM, NOW, by_password(name, password), none)),
            "{name}"
        );
        assert!(
            is_off(fetch_api_key(
                db,
                REALM,
                NOW,
                by_password(name, password),
                none
            )),
            "{name}"
        );
    }
    assert!(is_off(request_password_reset(db, REALM, NOW, "ann@x.org")));
    assert!(is_off(make_password_link(
        db,
        Some(&owner),
        REALM,
        NOW,
        ann.user_id,
        600
    )));
    assert!(is_off(use_password_link(
        db,
        REALM,
        NOW,
        by_link(&by_owner),
        None
    )));
    let way_in = make_sign_in_link(db, REALM, NOW, ann.user_id).unwrap();
    sign_in_by_link(db, REALM, NOW, (&way_in, None), none).unwrap();
    let way_in = make_password_link(db, None, REALM, NOW, ann.user_id, 600).unwrap();
    use_password_link(db, REALM, NOW, by_link(&way_in.token), None).unwrap();

    // The operator has removed the providers: passwords are the only way left.
    let position = world.position();
    configure(db, REALM, NOW, &[]).unwrap();
    assert_eq!(world.kinds_since(position), ["realm/update_dict"]);
    sign_in(
        db,
        REALM,
        NOW,
        by_password("ann@x.org", "correct horse 3"),
        none,
    )
    .unwrap();
    // They come back as they were.
    configure(db, REALM, NOW, &[provider("kc", 1)]).unwrap();
    assert!(is_off(sign_in(
        db,
        REALM,
        NOW,
        by_password("ann@x.org", "correct horse 3"),
        none
    )));
    let position = world.position();
    configure(db, REALM, NOW, &[provider("kc", 1)]).unwrap();
    assert!(world.events_since(position).is_empty());
}
