//! New addresses, which take effect when they are confirmed (docs/protocol/settings.md#confirm_address).

use spindle_tests::{Client, Reply, User, unique};

use super::{EXTERNAL_URL, World};
use crate::invitations::{address, find, invite};
use crate::sessions::{PASSWORD, with_password};

impl World {
    /// Asks for a new address; returns it.
    #[track_caller]
    fn want(&self, user: &User) -> String {
        let email = address();
        user.patch("/settings", &[("email", &email)]).ok();
        email
    }

    /// The token in the mail to an address.
    #[track_caller]
    fn confirmation(&self, email: &str) -> String {
        let prefix = format!("{EXTERNAL_URL}/#confirm-address/");
        self.smtp.wait(email, 1).link(&prefix)[prefix.len()..].to_owned()
    }

    fn confirm(&self, token: &str) -> Reply {
        let anonymous = self.server.anonymous();
        anonymous.post("/address_confirmations", &[("token", token)])
    }

    #[track_caller]
    fn is_worthless(&self, token: &str) {
        self.confirm(token).error(401, "AUTHENTICATION_FAILED");
    }

    #[track_caller]
    fn address_of(&self, user: &User) -> String {
        let sql = "SELECT delivery_email FROM users WHERE id = ?1";
        let database = self.server.database();
        database
            .query_row(sql, [user.user_id], |row| row.get(0))
            .unwrap()
    }
}

#[test]
fn an_address_takes_effect_when_it_is_confirmed() {
    let world = World::start();
    let user = world.server.user("member");
    let new = world.want(&user);
    let token = world.confirmation(&new);
    assert_eq!(world.address_of(&user), user.email);
    assert!(world.smtp.to(&user.email).is_empty());
    user.get("/users/me", &[]).ok();
    world.confirm(&token).ok();
    assert_eq!(world.address_of(&user), new);
    let renamed = Client::new(world.server.base_url(), Some((&new, &user.api_key)));
    assert_eq!(renamed.get("/users/me", &[]).ok()["delivery_email"], new);
    world.is_worthless(&token);
    let notice = world.smtp.wait(&user.email, 1);
    assert!(notice.header("Subject").contains("Another address"));
    assert!(!notice.text.contains(&new), "{}", notice.text);
    // Another spelling of the same address is no other mailbox.
    let upper = new.to_uppercase();
    renamed.patch("/settings", &[("email", &upper)]).ok();
    assert_eq!(world.address_of(&user), upper);
}

#[test]
fn a_confirmation_ends_with_the_day_a_newer_one_and_the_password() {
    let world = World::start();
    let user = with_password(&world.server);
    let first = world.confirmation(&world.want(&user));
    world.server.advance(1);
    let second = world.confirmation(&world.want(&user));
    world.is_worthless(&first);
    let password = [
        ("old_password", PASSWORD),
        ("new_password", "entirely other words, unrelated"),
    ];
    user.patch("/settings", &password).ok();
    world.is_worthless(&second);
    let other = world.server.user("member");
    let third = world.confirmation(&world.want(&other));
    world.server.advance(24 * 3600);
    world.is_worthless(&third);
    assert_eq!(world.address_of(&other), other.email);
}

#[test]
fn rules_apply_when_the_address_is_confirmed() {
    let world = World::start();
    let (user, owner) = (world.server.user("member"), world.server.user("owner"));
    let new = world.want(&user);
    let token = world.confirmation(&new);
    // Taken in the meantime.
    let pairs = [
        ("email", new.as_str()),
        ("full_name", "Somebody Else"),
        ("password", PASSWORD),
    ];
    crate::users::grant(&world.server, &owner, "can_create_users");
    owner.post("/users", &pairs).ok();
    world.confirm(&token).bad_request();
    world.server.advance(1);
    let token = world.confirmation(&world.want(&user));
    owner
        .patch("/realm", &[("emails_restricted_to_domains", "true")])
        .ok();
    world.confirm(&token).bad_request();
    assert_eq!(world.address_of(&user), user.email);
    owner
        .patch("/realm", &[("emails_restricted_to_domains", "false")])
        .ok();
    owner
        .patch("/realm", &[("email_changes_disabled", "true")])
        .ok();
    world.confirm(&token).bad_request();
    owner
        .patch("/realm", &[("email_changes_disabled", "false")])
        .ok();
    world.confirm(&token).ok();
}

/// Both keys are signed with the same secret, for different purposes.
#[test]
fn the_key_of_an_invitation_confirms_nothing() {
    let world = World::start();
    let user = world.server.user("member");
    let email = invite(&user, &[]);
    let link = find(&user, &email).unwrap()["link_url"].clone();
    let key = link
        .as_str()
        .unwrap()
        .rsplit_once('/')
        .unwrap()
        .1
        .to_owned();
    world.is_worthless(&key);
    let token = world.confirmation(&world.want(&user));
    let pairs = [
        ("key", token.as_str()),
        ("full_name", "Eve"),
        ("email", "eve@example.com"),
        ("password", PASSWORD),
    ];
    world
        .server
        .anonymous()
        .post("/invites/join", &pairs)
        .bad_request();
    for wrong in ["", "x", &token[1..]] {
        world.is_worthless(wrong);
    }
}

#[test]
fn a_person_sends_a_few_confirmations_a_day() {
    let world = World::start();
    let user = world.server.user("member");
    for _ in 0..5 {
        world.want(&user);
        world.server.advance(1);
    }
    let email = format!("{}@example.com", unique("more").to_lowercase());
    user.patch("/settings", &[("email", &email)]).bad_request();
}
