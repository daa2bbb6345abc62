//! POST /password_resets: a mail for a forgotten password, and attacks on it.

use std::thread;

use serde_json::json;
use spindle_tests::{Call, Options, Reply, Server, User, until};

use super::{EXTERNAL_URL, World};
use crate::sessions::{PASSWORD, cookie_of, sign_in, with_password};
use crate::users::grant;

const NEW: &str = "entirely other words, unrelated";
const RESETS: &str = "/password_resets";

impl World {
    fn ask(&self, email: &str) -> Reply {
        self.server.anonymous().post(RESETS, &[("email", email)])
    }

    /// The token of the link in the mail with this number to a user.
    #[track_caller]
    fn token(&self, user: &User, number: usize) -> String {
        let prefix = format!("{EXTERNAL_URL}/#set-password/");
        let link = self.smtp.wait(&user.email, number).link(&prefix);
        link[prefix.len()..].to_owned()
    }

    fn follow(&self, token: &str) -> Reply {
        let pairs = [("token", token), ("new_password", NEW)];
        self.server.anonymous().post("/password_links/use", &pairs)
    }

    #[track_caller]
    fn is_dead(&self, token: &str) {
        self.follow(token).error(401, "AUTHENTICATION_FAILED");
    }

    /// Waits until no mail waits; returns the outcomes of all resets.
    #[track_caller]
    fn outcomes(&self) -> Vec<String> {
        until("the end of all mails", || {
            let sql =
                "SELECT coalesce(outcome, '') FROM mails WHERE kind = 'password_reset' ORDER BY id";
            let rows = self.server.database().rows(sql, [], |row| row.get(0));
            let rows: Vec<String> = rows.unwrap();
            rows.iter().all(|row| !row.is_empty()).then_some(rows)
        })
    }
}

#[test]
fn a_mailed_link_sets_a_new_password_once() {
    let world = World::start();
    let user = with_password(&world.server);
    user.get("/users/me", &[]).ok();
    // The mail goes to the address of the account, not to the one that was typed.
    let answer = world.ask(&user.email.to_uppercase()).ok();
    assert_eq!(answer, json!({"msg": "", "result": "success"}));
    let token = world.token(&user, 1);
    user.get("/users/me", &[]).ok();
    let pairs = [("token", token.as_str()), ("new_password", "123456")];
    let anonymous = world.server.anonymous();
    anonymous.post("/password_links/use", &pairs).bad_request();
    assert_eq!(world.follow(&token).ok()["user_id"], user.user_id);
    world.is_dead(&token);
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let old = [("username", user.email.as_str()), ("password", PASSWORD)];
    sign_in(&world.server, &old).error(401, "AUTHENTICATION_FAILED");
    let new = [("username", user.email.as_str()), ("password", NEW)];
    sign_in(&world.server, &new).ok();
    let notice = world.smtp.wait(&user.email, 2);
    assert!(notice.header("Subject").contains("new password"));
    let sql = "SELECT event_type || ' ' || data FROM audit_log \
               WHERE modified_user_id = ?1 AND event_type LIKE 'user_password%' ORDER BY id";
    let rows = world
        .server
        .database()
        .rows(sql, [user.user_id], |row| row.get(0));
    let rows: Vec<String> = rows.unwrap();
    assert!(
        rows[0].starts_with("user_password_link_mailed "),
        "{rows:?}"
    );
    let used = format!(
        "user_password_set_by_link {{\"link_made_by\":{}}}",
        user.user_id
    );
    assert_eq!(rows[1..], [used]);
    assert!(!rows.concat().contains(&token));
}

/// An unknown address, a bot and a deactivated account are answered like an account, with the same row, and get nothing.
#[test]
fn a_request_reveals_no_account() {
    let world = World::start();
    let (user, gone) = (with_password(&world.server), with_password(&world.server));
    let bot = world.server.bot();
    let owner = world.server.owner();
    owner.delete(&format!("/users/{}", gone.id()), &[]).ok();
    let known = world.ask(&user.email);
    let known = (known.status, known.ok());
    for email in ["nobody@example.com", &gone.email, &bot.email] {
        let reply = world.ask(email);
        assert_eq!((reply.status, reply.ok()), known, "{email}");
    }
    world.token(&user, 1);
    assert_eq!(world.outcomes(), ["sent", "dropped", "dropped", "dropped"]);
    for email in ["nobody@example.com", &gone.email, &bot.email] {
        assert!(world.smtp.to(email).is_empty(), "{email}");
    }
    for bad in ["", "no address", "a@b.c\r\nBcc: d@e.f", "a@b.c, d@e.f"] {
        world.ask(bad).bad_request();
    }
}

#[test]
fn a_flood_sends_a_few_mails_a_day() {
    let world = World::start();
    let user = with_password(&world.server);
    for _ in 0..8 {
        world.ask(&user.email).ok();
        world.ask("nobody@example.com").ok();
        world.server.advance(1);
    }
    let outcomes = world.outcomes();
    let number = |wanted: &str| outcomes.iter().filter(|found| *found == wanted).count();
    assert_eq!((number("sent"), number("dropped")), (5, 5), "{outcomes:?}");
    // Each of the mails has a link of its own, and the use of one ends all.
    let tokens: Vec<String> = (1..=5).map(|number| world.token(&user, number)).collect();
    world.follow(&tokens[0]).ok();
    for token in &tokens {
        world.is_dead(token);
    }
}

#[test]
fn one_address_asks_rarely() {
    let smtp = super::Smtp::start();
    let server = Server::own(Options {
        extra: super::flags(&smtp),
        rate_limit_address: 100,
        ..Options::default()
    });
    let ask = |number: usize| {
        let email = format!("nobody{number}@example.com");
        server.anonymous().post(RESETS, &[("email", &email)])
    };
    let served = (0..20)
        .take_while(|number| ask(*number).status == 200)
        .count();
    // Each node counts for itself.
    let nodes = server.nodes();
    assert!((4 * nodes..8 * nodes).contains(&served), "{served}");
    let refused = (20..20 + 8 * nodes).any(|number| ask(number).status == 429);
    assert!(refused);
}

#[test]
fn a_link_ends_after_an_hour_and_with_the_address() {
    let world = World::start();
    let (user, moved) = (with_password(&world.server), with_password(&world.server));
    for user in [&user, &moved] {
        world.ask(&user.email).ok();
    }
    let tokens = [world.token(&user, 1), world.token(&moved, 1)];
    let owner = world.server.user("owner");
    grant(&world.server, &owner, "can_change_user_emails");
    let pairs = [("new_email", "moved@example.com")];
    owner.patch(&format!("/users/{}", moved.id()), &pairs).ok();
    world.is_dead(&tokens[1]);
    let notice = world.smtp.wait(&moved.email, 2);
    assert!(notice.header("Subject").contains("Another address"));
    world.server.advance(3600);
    world.is_dead(&tokens[0]);
}

/// Who could choose the address of a person could have a new password sent there.
#[test]
fn nobody_takes_over_an_account_above_their_role_by_its_address() {
    let world = World::start();
    let admin = world.server.user("administrator");
    grant(&world.server, &admin, "can_change_user_emails");
    for role in ["owner", "administrator"] {
        let above = world.server.user(role);
        let path = format!("/users/{}", above.id());
        admin
            .patch(&path, &[("new_email", "mine@example.com")])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    let privileged = world.server.user("member");
    grant(&world.server, &privileged, "can_create_users");
    let path = format!("/users/{}", privileged.id());
    admin
        .patch(&path, &[("new_email", "mine@example.com")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let member = world.server.user("member");
    let path = format!("/users/{}", member.id());
    admin
        .patch(&path, &[("new_email", "theirs@example.com")])
        .ok();
}

#[test]
fn of_two_uses_at_once_one_succeeds() {
    let world = World::start();
    let user = with_password(&world.server);
    world.ask(&user.email).ok();
    let token = world.token(&user, 1);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let uses: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| world.follow(&token).status))
            .collect();
        uses.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let number = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(number, 1, "{statuses:?}");
}

/// Anyone may ask: that must not end a link that an owner has passed on.
#[test]
fn a_request_leaves_links_of_others_alone() {
    let world = World::start();
    let (owner, user) = (world.server.owner(), with_password(&world.server));
    let made = owner
        .post(&format!("/users/{}/password_link", user.id()), &[])
        .ok();
    let link = made["password_link"].as_str().unwrap();
    world.ask(&user.email).ok();
    world.token(&user, 1);
    world.follow(link.rsplit_once('/').unwrap().1).ok();
}

#[test]
fn the_link_begins_with_the_configured_address_and_needs_the_own_page_for_a_session() {
    let world = World::start();
    let user = with_password(&world.server);
    let forged = Call::new("POST", RESETS)
        .form(&[("email", user.email.as_str())])
        .header("Host", "evil.example")
        .header("X-Forwarded-Host", "evil.example");
    world.server.anonymous().send(forged).ok();
    let token = world.token(&user, 1);
    let mail = world.smtp.wait(&user.email, 1);
    assert!(!mail.text.contains("evil.example"), "{}", mail.text);
    assert!(!world.ask(&user.email).ok().to_string().contains(&token));
    let reply = world.follow(&token);
    assert_eq!(cookie_of(&reply), None);
    reply.ok();
}

#[test]
fn without_a_mail_server_nobody_is_promised_a_mail() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let reply = server.anonymous().post(RESETS, &[("email", &user.email)]);
    reply.bad_request();
    let settings = |server: &Server| server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings(&server)["mail_enabled"], false);
    assert_eq!(settings(&World::start().server)["mail_enabled"], true);
}
