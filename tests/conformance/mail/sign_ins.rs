//! Mails about sign-ins with programs that an account was not used with.

use spindle_tests::{Server, User, until};

use super::World;
use crate::sessions::{PASSWORD, sign_in, with_password};

#[track_caller]
fn sign_in_as(server: &Server, user: &User) {
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    sign_in(server, &pairs).ok();
}

#[test]
fn a_new_program_is_announced_once() {
    let world = World::start();
    let (user, other, fresh) = (
        with_password(&world.server),
        with_password(&world.server),
        with_password(&world.server),
    );
    for user in [&user, &other] {
        user.get("/users/me", &[]).ok();
    }
    // The first sign-in of all is no news.
    sign_in_as(&world.server, &fresh);
    other
        .patch("/settings", &[("enable_login_emails", "false")])
        .ok();
    for user in [&other, &user, &user] {
        sign_in_as(&world.server, user);
    }
    let mail = world.smtp.wait(&user.email, 1);
    assert!(mail.header("Subject").contains("New sign-in"));
    assert!(mail.text.contains("Firefox on Linux"), "{}", mail.text);
    let mut outcomes = until("the end of the mails", || {
        let sql = "SELECT coalesce(outcome, '') FROM mails WHERE kind = 'new_sign_in'";
        let rows = world.server.database().rows(sql, [], |row| row.get(0));
        let rows: Vec<String> = rows.unwrap();
        rows.iter().all(|row| !row.is_empty()).then_some(rows)
    });
    outcomes.sort();
    assert_eq!(outcomes, ["dropped", "sent"]);
    assert!(world.smtp.to(&fresh.email).is_empty());
    assert!(world.smtp.to(&other.email).is_empty());
}
