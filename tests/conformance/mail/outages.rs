//! Outages of the mail server and of this one: no mail is lost, and each has one Message-ID.

use spindle_tests::until;

use super::World;
use super::smtp::Mood;
use crate::invitations::invite;

/// The state of the mails to an address: outcome and attempts of each.
fn states(world: &World, address: &str) -> Vec<(Option<String>, i64)> {
    let sql = format!(
        "SELECT outcome, attempts FROM mails WHERE kind = 'invitation' AND address = '{address}' ORDER BY id"
    );
    let rows = world
        .server
        .database()
        .rows(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap()
}

#[track_caller]
fn ends(world: &World, address: &str, outcome: &str) -> i64 {
    until("the end of the mail", || {
        let (found, attempts) = states(world, address).pop()?;
        (found.as_deref() == Some(outcome)).then_some(attempts)
    })
}

/// Waits until a mail was tried this often and waits for its next attempt.
#[track_caller]
fn waits(world: &World, address: &str, attempts: i64) {
    until("the next attempt to be planned", || {
        let sql = format!(
            "SELECT 1 FROM mails WHERE address = '{address}' AND attempts >= {attempts} AND claimed_until = 0 \
             AND answer IS NOT NULL"
        );
        world.server.database().query_row(&sql, [], |_| Ok(())).ok()
    });
}

/// A mail that is not taken while the mail server is in this state is taken later.
#[track_caller]
fn outlast(mood: Mood) {
    let world = World::start();
    let member = world.server.user("member");
    world.smtp.be(mood);
    let email = invite(&member, &[]);
    waits(&world, &email, 1);
    // Nothing else is held up.
    member.get("/users/me", &[]).ok();
    world.smtp.be(Mood::Well);
    world.server.hasten(31);
    assert_eq!(ends(&world, &email, "sent"), 2);
    let taken: Vec<_> = world
        .smtp
        .to(&email)
        .into_iter()
        .filter(|mail| mail.is_taken)
        .collect();
    assert_eq!(taken.len(), 1);
    let ids: Vec<String> = world
        .smtp
        .to(&email)
        .iter()
        .map(|mail| mail.header("Message-ID"))
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[test]
fn a_server_without_time_is_asked_again() {
    outlast(Mood::Answers("greeting", "421 busy"));
}

#[test]
fn a_recipient_that_is_put_off_is_tried_again() {
    outlast(Mood::Answers("RCPT", "451 greylisted"));
}

#[test]
fn a_wrong_sender_can_be_corrected() {
    outlast(Mood::Answers("MAIL", "553 not yours"));
}

#[test]
fn a_connection_lost_after_the_text_repeats_the_mail_with_its_id() {
    outlast(Mood::DropsAfterText);
}

#[test]
fn a_refused_mail_is_not_tried_again() {
    let world = World::start();
    let member = world.server.user("member");
    world.smtp.be(Mood::Answers("RCPT", "550 nobody here"));
    let email = invite(&member, &[]);
    assert_eq!(ends(&world, &email, "refused"), 1);
    world.smtp.be(Mood::Well);
    world.server.hasten(4000);
    let other = invite(&member, &[]);
    ends(&world, &other, "sent");
    assert_eq!(world.smtp.to(&email).len(), 0);
}

#[test]
fn a_silent_server_holds_up_no_other_job() {
    let world = World::start();
    let member = world.server.user("member");
    world.smtp.be(Mood::Silent);
    for _ in 0..6 {
        invite(&member, &[]);
    }
    // Another job, which runs every five seconds, still does.
    let now = world.server.advance(1);
    let message = [
        ("type", "direct".to_owned()),
        ("to", format!("[{}]", member.user_id)),
        ("content", "later".to_owned()),
        ("scheduled_delivery_timestamp", (now + 10).to_string()),
    ];
    let fields: Vec<(&str, &str)> = message
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    member.post("/scheduled_messages", &fields).ok();
    world.server.advance(20);
    until("the scheduled message", || {
        let list = member.get("/scheduled_messages", &[]).ok();
        list["scheduled_messages"]
            .as_array()?
            .is_empty()
            .then_some(())
    });
}

#[test]
fn a_kill_at_any_step_loses_no_mail() {
    let mut world = World::start();
    let member = world.server.user("member");
    // Before it is sent.
    let email = invite(&member, &[]);
    world.server.kill();
    world.server.restart();
    world.server.hasten(400);
    world.smtp.wait(&email, 1);
    ends(&world, &email, "sent");
    // Between the text and the answer.
    world.smtp.be(Mood::SilentAfterText);
    let email = invite(&member, &[]);
    let first = world.smtp.wait(&email, 1);
    world.server.kill();
    world.smtp.be(Mood::Well);
    world.server.restart();
    // The clock begins again with the time of the machine.
    world.server.hasten(1200);
    let second = world.smtp.wait(&email, 2);
    assert!(!first.is_taken && second.is_taken);
    assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
    let prefix = format!("{}/join/", super::EXTERNAL_URL);
    assert_eq!(first.link(&prefix), second.link(&prefix));
    ends(&world, &email, "sent");
}
