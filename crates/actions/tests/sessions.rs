//! When sessions and sign-in links expire, to the second.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use spindle_actions::ActionError;
use spindle_actions::account::{
    NewSession, PasswordProof, SignInOrigin, authenticate_session, end_other_sessions, end_session,
    list_sessions, make_sign_in_link, renew_session, set_password, sign_in, sign_in_by_link,
};
use spindle_actions::personal::{AccountUpdate, PasswordUpdate, update_settings};
use spindle_actions::users::deactivate_user;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::{SESSION_NOTED_SECONDS, SESSION_SECONDS, SIGN_IN_LINK_SECONDS};
use spindle_domain::{Role, SessionId, UserId};
use support::{REALM, START, World};

const PASSWORD: &str = "correct horse";

fn proof<'a>(user_name: &'a str, password: &'a str) -> PasswordProof<'a> {
    PasswordProof {
        user_name,
        password,
        second_factor: None,
    }
}

fn begin(world: &World, now: i64) -> NewSession {
    let origin = SignInOrigin {
        client: "Firefox",
        address: None,
    };
    sign_in(
        &world.db(),
        REALM,
        now,
        proof("Owner@x.org", PASSWORD),
        origin,
    )
    .unwrap()
}

fn is_open(world: &World, session: &NewSession, now: i64) -> bool {
    match authenticate_session(&world.db(), &session.token, now) {
        Ok(found) => found.actor.session_id == Some(session.session_id),
        Err(ActionError::WrongCredentials | ActionError::Client(ClientError::UserDeactivated)) => {
            false
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_session_ends_thirty_days_after_its_last_use() {
    let world = World::new();
    let session = begin(&world, START);
    let in_session = |now| authenticate_session(&world.db(), &session.token, now).unwrap();
    assert!(is_open(&world, &session, START + SESSION_SECONDS));
    assert!(!is_open(&world, &session, START + SESSION_SECONDS + 1));
    // A clock that is set back ends nothing.
    assert!(is_open(&world, &session, START - 9999));
    let hour = START + SESSION_NOTED_SECONDS;
    assert!(!in_session(hour).is_renewal_due && in_session(hour + 1).is_renewal_due);
    let actor = in_session(hour).actor;
    assert!(!renew_session(&world.db(), &actor, hour).unwrap());
    assert!(renew_session(&world.db(), &actor, hour + 1).unwrap());
    assert!(!renew_session(&world.db(), &actor, hour + 1).unwrap());
    assert!(!in_session(hour + 1).is_renewal_due);
    assert!(is_open(&world, &session, hour + 1 + SESSION_SECONDS));
    assert!(!is_open(&world, &session, hour + 2 + SESSION_SECONDS));
    // Without one there is nothing to renew.
    assert!(!renew_session(&world.db(), &world.owner(), hour * 2).unwrap());
}

#[test]
fn nothing_is_written_by_what_is_refused() {
    let world = World::new();
    begin(&world, START);
    let before = world.fingerprint_of_state();
    for (name, password) in [
        ("owner@x.org", "correct hors"),
        ("nobody@x.org", PASSWORD),
        ("owner@x.org", ""),
    ] {
        let result = sign_in(
            &world.db(),
            REALM,
            START,
            proof(name, password),
            SignInOrigin::default(),
        );
        assert!(matches!(
            result,
            Err(ActionError::Client(ClientError::AuthenticationFailed))
        ));
    }
    let result = sign_in_by_link(
        &world.db(),
        REALM,
        START,
        (&"0".repeat(64), None),
        SignInOrigin::default(),
    );
    assert!(matches!(result, Err(ActionError::BadSignInLink)));
    let owner = world.owner();
    let result = end_session(&world.db(), &owner, START, SessionId(99));
    assert!(matches!(result, Err(ActionError::NotFound(_))));
    assert_eq!(world.fingerprint_of_state(), before);
}

#[test]
fn a_link_works_once_and_for_a_quarter_of_an_hour() {
    let world = World::new();
    let link = || make_sign_in_link(&world.db(), REALM, START, world.owner.user_id).unwrap();
    let origin = SignInOrigin::default();
    let follow = |token: &str, now| sign_in_by_link(&world.db(), REALM, now, (token, None), origin);
    let last = START + SIGN_IN_LINK_SECONDS - 1;
    let token = link();
    assert!(matches!(
        follow(&token, last + 1),
        Err(ActionError::BadSignInLink)
    ));
    assert!(is_open(&world, &follow(&token, last).unwrap(), last));
    assert!(matches!(
        follow(&token, last),
        Err(ActionError::BadSignInLink)
    ));
    let bot = world.bot("Helper").user_id;
    for nobody in [bot, UserId(999)] {
        assert!(make_sign_in_link(&world.db(), REALM, START, nobody).is_err());
    }
    let token = link();
    let new = "three words, unrelated";
    set_password(&world.db(), REALM, START, world.owner.user_id, new).unwrap();
    assert!(follow(&token, START).is_err());
}

#[test]
fn a_password_and_the_account_end_sessions() {
    let world = World::new();
    let [first, second, third] = [(); 3].map(|()| begin(&world, START));
    let open = |now| [&first, &second, &third].map(|one| is_open(&world, one, now));
    let in_session = |session: &NewSession| {
        let found = authenticate_session(&world.db(), &session.token, START);
        found.unwrap().actor
    };
    end_session(&world.db(), &in_session(&first), START, third.session_id).unwrap();
    assert_eq!(open(START), [true, true, false]);
    let listed = list_sessions(&world.db(), &in_session(&second), START).unwrap();
    let listed: Vec<(SessionId, bool)> =
        listed.iter().map(|one| (one.id, one.is_current)).collect();
    assert_eq!(
        listed,
        [(first.session_id, false), (second.session_id, true)]
    );
    let update = AccountUpdate {
        password: Some(PasswordUpdate {
            old_password: PASSWORD.to_owned(),
            new_password: "three words, unrelated".to_owned(),
        }),
        ..AccountUpdate::default()
    };
    update_settings(&world.db(), &in_session(&second), START, &update).unwrap();
    assert_eq!(open(START), [false, true, false]);
    end_other_sessions(&world.db(), &in_session(&second), START).unwrap();
    assert_eq!(open(START), [false, true, false]);
    world.person("Olaf", Role::Owner);
    let owner = world.owner.user_id;
    deactivate_user(&world.db(), None, REALM, START, owner).unwrap();
    assert_eq!(open(START), [false; 3]);
}
