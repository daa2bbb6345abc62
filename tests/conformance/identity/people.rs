//! Who gets which account, with which role and in which groups; and how a sign-in ends.

use serde_json::json;
use spindle_tests::Call;

use super::{FAILED, World, person};
use crate::sessions::{PASSWORD, sign_in};

#[test]
fn a_person_gets_an_account_and_keeps_it() {
    let Some(world) = World::shared() else { return };
    let first = world.session_of(&person("ann", "ann@x.org"));
    let me = first.get("/users/me").ok();
    assert_eq!(me["full_name"], "Person ann");
    assert_eq!(me["delivery_email"], "ann@x.org");
    let again = world.session_of(&person("ann", "another@x.org"));
    assert_eq!(again.user_id, first.user_id);
    let listed = first.get("/identities").ok();
    let listed = listed["identities"].as_array().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["provider"], "kc");
    assert_eq!(listed[0]["display_name"], "Company kc");
    // Without a password, it is the last way.
    let path = format!("/identities/{}", listed[0]["id"]);
    first.send(Call::new("DELETE", &path)).bad_request();
}

#[test]
fn a_link_takes_a_click_and_works_once() {
    let Some(world) = World::shared() else { return };
    let place = world.enter_by("kc", &person("click", "click@x.org"));
    let token = place.strip_prefix("/#sign-in/").expect("a token");
    world.follow(token);
    let used = sign_in(&world.server, &[("sign_in_token", token)]);
    used.error(401, "AUTHENTICATION_FAILED");
}

/// The attacker has made an account for the victim's address.
#[test]
fn an_account_of_an_unconfirmed_address_is_taken_back() {
    let Some(world) = World::shared() else { return };
    let victim = world.server.user_with("member", &["--password", PASSWORD]);
    let pairs = [("username", victim.email.as_str()), ("password", PASSWORD)];
    let attackers = sign_in(&world.server, &pairs);
    let cookie = crate::sessions::cookie_of(&attackers).expect("a cookie");
    attackers.ok();
    let own = world.session_of(&person("victim", &victim.email));
    assert_eq!(own.user_id, victim.user_id);
    sign_in(&world.server, &pairs).error(401, "AUTHENTICATION_FAILED");
    victim.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let call = Call::new("GET", "/users/me").header("Cookie", &cookie);
    let call = call.header("Spindle-Client", "test");
    world
        .server
        .anonymous()
        .send(call)
        .error(401, "UNAUTHORIZED");
}

#[test]
fn people_without_a_right_are_refused() {
    let Some(world) = World::shared() else { return };
    let gone = world.server.user("member");
    world
        .server
        .admin(&["user", "deactivate", "--email", &gone.email]);
    let mut unverified = person("unverified", "unverified@x.org");
    unverified["email_verified"] = json!(false);
    let mut silent = person("silent", "");
    silent["email"] = json!(null);
    for (provider, claims, word) in [
        ("kc", &unverified, "unverified"),
        ("kc", &silent, "no_address"),
        ("kc", &person("gone", &gone.email), "deactivated"),
        ("strict", &person("new", "new@x.org"), "no_account"),
        ("strict", &person("new", "new@y.org"), "domain"),
    ] {
        let place = world.enter_by(provider, claims);
        assert_eq!(place, format!("{FAILED}{word}"), "{claims}");
    }
}

#[test]
fn a_person_who_was_removed_here_cannot_come_back() {
    let Some(world) = World::shared() else { return };
    let session = world.session_of(&person("left", "left@x.org"));
    world
        .server
        .admin(&["user", "deactivate", "--email", "left@x.org"]);
    session.get("/users/me").error(401, "UNAUTHORIZED");
    let place = world.enter_by("kc", &person("left", "left@x.org"));
    assert_eq!(place, format!("{FAILED}deactivated"));
}

#[test]
fn roles_and_groups_follow_each_sign_in() {
    let Some(world) = World::shared() else { return };
    let owner = world.server.user("owner");
    let pairs = [
        ("name", "Engineers"),
        ("description", ""),
        ("members", "[]"),
    ];
    let group = owner.post("/user_groups/create", &pairs).ok();
    let group = group["group_id"].as_i64().expect("an id");
    let mut claims = person("role", "role@x.org");
    claims["groups"] = json!(["admins", "dev"]);
    let session = world.session_of(&claims);
    let role = || session.get("/users/me").ok()["role"].clone();
    let path = format!("/user_groups/{group}/members/{}", session.user_id);
    let is_member = || session.get(&path).ok()["is_user_group_member"].clone();
    assert_eq!((role(), is_member()), (json!(200), json!(true)));
    claims["groups"] = json!([]);
    world.session_of(&claims);
    assert_eq!((role(), is_member()), (json!(400), json!(false)));
}

#[test]
fn signing_out_leads_to_the_provider() {
    let Some(world) = World::shared() else { return };
    let session = world.session_of(&person("out", "out@x.org"));
    let ended = session.send(Call::new("DELETE", "/sessions/current")).ok();
    let url = ended["sign_out_url"].as_str().expect("an address");
    let path = "/accounts/login/openid/kc/sign_out";
    assert!(url.ends_with(path), "{url}");
    let place = super::location(&world.browser().open(path, &[]));
    let issuer = world.idp.issuer("kc");
    assert!(place.starts_with(&format!("{issuer}/logout")), "{place}");
}
