//! Signing in by an identity provider: which account a person gets, and what ends.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod connections;
mod matching;
#[path = "../support/mod.rs"]
mod support;
mod ways;

use spindle_actions::Actor;
use spindle_actions::account::{
    NewSession, PasswordProof, SignInOrigin, authenticate_session, sign_in_by_link,
};
use spindle_actions::identity::{IdentityRefusal, configure, sign_in_by_identity};
use spindle_actions::users::LinkProof;
use spindle_domain::identity::{Claims, ListedProvider, Rules};
use spindle_domain::{Role, UserId};
use support::{REALM, START, World};

const NOW: i64 = START + 1000;

/// A password without a second factor.
fn by_password<'a>(user_name: &'a str, password: &'a str) -> PasswordProof<'a> {
    PasswordProof {
        user_name,
        password,
        second_factor: None,
    }
}

/// A link that sets the password to "correct horse 3".
fn by_link(token: &str) -> LinkProof<'_> {
    LinkProof {
        token,
        new_password: "correct horse 3",
        second_factor: None,
    }
}

fn provider(id: &str, position: i64) -> ListedProvider {
    ListedProvider {
        id: id.to_owned(),
        name: format!("Company {id}"),
        position,
        creates: true,
        signs_out: id == "kc",
        ..ListedProvider::default()
    }
}

fn world() -> World {
    let world = World::new();
    configure(
        &world.db(),
        REALM,
        START,
        &[provider("kc", 1), provider("google", 2)],
    )
    .unwrap();
    world
}

fn rules() -> Rules {
    Rules {
        provider: "kc".to_owned(),
        creates: true,
        roles: vec![("admins".to_owned(), Role::Administrator)],
        user_groups: vec![("dev".to_owned(), "Engineers".to_owned())],
        has_groups: true,
        ..Rules::default()
    }
}

fn claims(subject: &str, email: &str) -> Claims {
    Claims {
        issuer: "https://login.example.org".to_owned(),
        subject: subject.to_owned(),
        email: Some(email.to_owned()),
        email_is_verified: true,
        full_name: Some("Carla Company".to_owned()),
        groups: Vec::new(),
    }
}

fn with_groups(subject: &str, email: &str, groups: &[&str]) -> Claims {
    Claims {
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..claims(subject, email)
    }
}

fn link(world: &World, rules: &Rules, claims: &Claims) -> Result<String, IdentityRefusal> {
    sign_in_by_identity(
        &world.db(),
        REALM,
        NOW,
        rules,
        claims,
        SignInOrigin::default(),
    )
}

fn refusal(world: &World, rules: &Rules, claims: &Claims) -> &'static str {
    let before = world.fingerprint_of_state();
    let refused = link(world, rules, claims).unwrap_err();
    assert_eq!(world.fingerprint_of_state(), before, "{refused}");
    refused.word()
}

fn session_of(world: &World, rules: &Rules, claims: &Claims) -> NewSession {
    let token = link(world, rules, claims).unwrap();
    sign_in_by_link(
        &world.db(),
        REALM,
        NOW,
        (&token, None),
        SignInOrigin::default(),
    )
    .unwrap()
}

fn actor_of(world: &World, session: &NewSession) -> Actor {
    authenticate_session(&world.db(), &session.token, NOW)
        .unwrap()
        .actor
}

/// Signs in with the rules of these tests.
fn enter(world: &World, claims: &Claims) -> UserId {
    session_of(world, &rules(), claims).user_id
}
