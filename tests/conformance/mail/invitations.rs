//! Mails to people who were invited: the link, once more at a resend, and a reminder.

use spindle_tests::{Call, Options, Server, until};

use super::{EXTERNAL_URL, World};
use crate::invitations::{INVITES, address, find, invite};

const DAY: u64 = 24 * 3600;

fn number_of_mails(server: &Server) -> i64 {
    let database = server.database();
    database
        .query_row(
            "SELECT count(*) FROM mails WHERE kind LIKE 'invitation%'",
            [],
            |row| row.get(0),
        )
        .unwrap()
}

#[test]
fn the_address_is_sent_the_link_that_the_inviter_sees() {
    let world = World::start();
    let member = world.server.user("member");
    let email = invite(&member, &[]);
    let mail = world.smtp.wait(&email, 1);
    let link = mail.link(&format!("{EXTERNAL_URL}/join/"));
    assert_eq!(find(&member, &email).unwrap()["link_url"], link);
    assert_eq!((mail.from.as_str(), mail.to.len()), ("chat@example.org", 1));
    assert_eq!(mail.header("To"), email);
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert!(mail.header("Message-ID").ends_with("@example.org>"));
    // A row says nothing of the link.
    let key = link.rsplit('/').next().unwrap();
    let database = world.server.database();
    let sql = "SELECT detail || cause || address FROM mails WHERE kind = 'invitation'";
    let row: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(!row.contains(key), "{row}");
}

#[test]
fn a_resend_sends_the_same_link_in_the_same_conversation() {
    let world = World::start();
    let member = world.server.user("member");
    let email = invite(&member, &[]);
    let first = world.smtp.wait(&email, 1);
    let id = find(&member, &email).unwrap()["id"].clone();
    world.server.advance(1);
    let resend = format!("/invites/{id}/resend");
    member.post(&resend, &[]).ok();
    let second = world.smtp.wait(&email, 2);
    let prefix = format!("{EXTERNAL_URL}/join/");
    assert_eq!(first.link(&prefix), second.link(&prefix));
    assert_eq!(first.header("References"), second.header("References"));
    assert_ne!(first.header("Message-ID"), second.header("Message-ID"));
    // However often it is resent, the address gets a few mails a day.
    for _ in 0..8 {
        world.server.advance(1);
        member.post(&resend, &[]).ok();
    }
    world.smtp.wait(&email, 5);
    let other = invite(&member, &[]);
    world.smtp.wait(&other, 1);
    assert_eq!(world.smtp.to(&email).len(), 5);
}

/// A member cannot use up the mails of others, also not with accounts that joined by their invitation.
#[test]
fn a_member_has_a_share_of_the_mails() {
    let world = World::start();
    let [member, newcomer, other] = [(); 3].map(|()| world.server.user("member"));
    let administrator = world.server.user("administrator");
    let database = world.server.database();
    let sponsored = "UPDATE users SET sponsor_id = ?1 WHERE id = ?2";
    let ids = [member.user_id, newcomer.user_id];
    database.execute(sponsored, ids).unwrap();
    let first = invite(&member, &[]);
    world.smtp.wait(&first, 1);
    // All but one of a day's mails of the member, as copies of the first.
    let copies = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 499) \
        INSERT INTO mails (realm_id, kind, cause, payer_id, address, address_folded, detail, nonce, created, due, \
            ended, outcome) \
        SELECT realm_id, kind, cause || '-' || n, payer_id, address || n, address_folded || n, detail, nonce, \
            created, due, created, 'sent' FROM mails, n WHERE payer_id = ?1 AND kind = 'invitation'";
    database.execute(copies, [member.user_id]).unwrap();
    let before = number_of_mails(&world.server);
    for user in [&member, &newcomer] {
        invite(user, &[]);
    }
    assert_eq!(number_of_mails(&world.server), before);
    for user in [&other, &administrator] {
        let email = invite(user, &[]);
        world.smtp.wait(&email, 1);
    }
}

#[test]
fn a_reminder_comes_before_an_invitation_ends() {
    let world = World::start();
    let member = world.server.user("member");
    let days = |days: u64| (days * 24 * 60).to_string();
    let (ten, one) = (days(10), days(1));
    let email = invite(&member, &[("invite_expires_in_minutes", ten.as_str())]);
    let short = invite(&member, &[("invite_expires_in_minutes", one.as_str())]);
    let revoked = invite(&member, &[("invite_expires_in_minutes", ten.as_str())]);
    for email in [&email, &short, &revoked] {
        world.smtp.wait(email, 1);
    }
    let id = find(&member, &revoked).unwrap()["id"].clone();
    member.delete(&format!("/invites/{id}"), &[]).ok();
    world.server.advance(8 * DAY + 60);
    let reminder = world.smtp.wait(&email, 2);
    assert!(reminder.header("Subject").contains("ends soon"));
    assert!(reminder.text.contains("47 hours"), "{}", reminder.text);
    until("the reminder of the revoked one to be dropped", || {
        let sql = "SELECT count(*) FROM mails WHERE ended IS NULL AND kind LIKE 'invitation%'";
        let left: i64 = world
            .server
            .database()
            .query_row(sql, [], |row| row.get(0))
            .unwrap();
        (left == 0).then_some(())
    });
    assert_eq!(world.smtp.to(&revoked).len(), 1);
    assert_eq!(world.smtp.to(&short).len(), 1);
    // Rows go after some days.
    world.server.advance(8 * DAY);
    until("the end of the rows", || {
        (number_of_mails(&world.server) == 0).then_some(())
    });
}

#[test]
fn names_add_no_header_and_no_html() {
    let world = World::start();
    let owner = world.server.owner();
    let name = "<b>Eve</b> & Co";
    owner.patch("/realm", &[("name", name)]).ok();
    let email = invite(&owner, &[]);
    let mail = world.smtp.wait(&email, 1);
    assert_eq!(mail.to, [email]);
    let (plain, html) = mail.text.split_once("text/html").unwrap();
    assert!(
        plain.contains(name) && !html.contains("<b>Eve"),
        "{}",
        mail.text
    );
    assert!(html.contains("&lt;b&gt;Eve"), "{html}");
}

#[test]
fn links_begin_with_the_configured_address_whatever_a_request_says() {
    let world = World::start();
    let member = world.server.user("member");
    let email = address();
    let forged = Call::new("POST", INVITES)
        .form(&[("invitee_emails", email.as_str())])
        .header("Host", "evil.example")
        .header("X-Forwarded-Host", "evil.example");
    member.send(forged).ok();
    let mail = world.smtp.wait(&email, 1);
    mail.link(&format!("{EXTERNAL_URL}/join/"));
    assert!(!mail.text.contains("evil.example"), "{}", mail.text);
}

#[test]
fn without_a_mail_server_no_mail_is_written() {
    let server = Server::own(Options::default());
    let member = server.user("member");
    invite(&member, &[]);
    assert_eq!(number_of_mails(&server), 0);
}

#[test]
fn mails_that_wait_are_dropped_when_mail_is_switched_off() {
    let mut world = World::start();
    let member = world.server.user("member");
    let email = invite(&member, &[("invite_expires_in_minutes", "14400")]);
    world.smtp.wait(&email, 1);
    assert_eq!(number_of_mails(&world.server), 2);
    world.server.terminate();
    let directory = world.server.directory().unwrap().to_owned();
    let server = Server::spawn_on(directory, Options::default());
    let sql = "SELECT count(*) FROM mails WHERE ended IS NULL AND kind LIKE 'invitation%'";
    let left: i64 = server
        .database()
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}
