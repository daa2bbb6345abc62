//! Unit tests of the whole app: stand-ups of teams.

use super::*;
use spindle_app::testing::World;
use spindle_app::time::{DAY, HOUR, MINUTE};

const CHANNEL: i64 = 3;
/// A Monday, 09:00 in UTC.
const MONDAY: i64 = 4 * DAY + 9 * HOUR;

/// A stand-up at 09:30 that these people have joined.
fn world(people: impl IntoIterator<Item = i64>) -> World {
    let mut world = World::new(handle, MONDAY).setting("offset", "+00:00");
    world.command(1, CHANNEL, "standup", "at 9:30");
    assert!(
        world
            .last_text()
            .contains("mon, tue, wed, thu, fri at 09:30 (+00:00)")
    );
    for id in people {
        world.command(id, CHANNEL, "standup", "join");
    }
    world
}

fn start(world: &mut World) {
    world.advance_to(MONDAY + 30 * MINUTE);
}

/// Summaries that were posted.
fn summaries(world: &World) -> Vec<String> {
    let sent = world
        .sent
        .iter()
        .filter(|sent| sent.content.starts_with("**Stand-up** of"));
    sent.map(|sent| sent.content.clone()).collect()
}

#[test]
fn the_summary_comes_when_all_have_answered_and_is_edited_later() {
    let mut world = world(1..=2);
    start(&mut world);
    let asked = world.find("What will you do today?").unwrap();
    assert_eq!(asked.place, spindle_app::Place::Direct(vec![2]));
    assert!(
        asked
            .content
            .contains("[daily](/#narrow/channel/3/topic/daily)")
    );
    assert!(asked.content.contains("<time:1970-01-05T10:30:00Z>"));
    world.tell(1, "Wrote tests\n@**all**");
    assert_eq!(summaries(&world), [""; 0]);
    assert!(world.last_text().starts_with("Thank you"));
    world.tell(2, "Read them");
    let head = "**Stand-up** of <time:1970-01-05T09:30:00Z>\n\n";
    assert_eq!(
        summaries(&world),
        [format!(
            "{head}@_**|1**\n> Wrote tests\n> @**all**\n\n@_**|2**\n> Read them"
        )]
    );
    assert_eq!(world.tick(Scope::Channel(CHANNEL), "deadline"), None);
    world.tell(2, "all of them");
    assert!(summaries(&world)[0].ends_with("> Read them\n> all of them"));
    world.tell(2, "clear");
    assert!(summaries(&world)[0].ends_with("No answer yet: @_**|2**"));
    // After midnight it is over.
    world.advance_to(5 * DAY);
    world.tell(2, "late");
    assert!(world.last_text().starts_with("No stand-up is waiting"));
    assert_eq!(summaries(&world).len(), 1);
    assert_eq!(world.bytes(Scope::Person(2)), 0);
    world.advance_to(5 * DAY + 10 * HOUR);
    world.tell(2, "The next day");
    world.advance(HOUR);
    assert!(summaries(&world)[1].ends_with("The next day\n\nNo answer yet: @_**|1**"));
}

#[test]
fn the_deadline_names_those_who_have_not_answered() {
    let mut world = world(1..=3).setting("minutes", 30);
    world.command(3, CHANNEL, "standup", "skip");
    start(&mut world);
    world.tell(1, "Here");
    world.command(1, CHANNEL, "standup", "");
    let state = world.last_text();
    assert!(state.contains(
        "1. @_**|1**, has answered\n2. @_**|2**, no answer yet\n3. @_**|3**, not this time"
    ));
    world.advance(30 * MINUTE);
    assert!(
        summaries(&world)[0]
            .ends_with("> Here\n\nNo answer yet: @_**|2**\n\nNot this time: @_**|3**")
    );
    world.tell(2, "Sorry");
    assert!(summaries(&world)[0].contains("@_**|2**\n> Sorry"));
    // The person who has skipped is asked again the next day.
    world.advance_to(MONDAY + DAY + 30 * MINUTE);
    let asked = world
        .sent
        .iter()
        .filter(|sent| sent.content.contains("will you do"));
    assert_eq!(
        asked
            .filter(|sent| sent.content.starts_with("**Stand-up** in"))
            .count(),
        5
    );
}

#[test]
fn skipping_and_leaving_end_the_waiting() {
    let mut world = world(1..=3);
    start(&mut world);
    world.tell(1, "Here");
    world.command(2, CHANNEL, "standup", "skip");
    world.command(2, CHANNEL, "standup", "join");
    assert!(world.last_text().contains("already"));
    assert_eq!(summaries(&world), [""; 0]);
    // A new member is asked the next time.
    world.command(4, CHANNEL, "standup", "join");
    world.command(1, CHANNEL, "standup", "remove 3");
    assert!(summaries(&world)[0].ends_with("> Here\n\nNot this time: @_**|2**"));
    world.tell(3, "Hello?");
    assert!(world.last_text().starts_with("No stand-up"));
    for (text, problem) in [
        ("remove 9", "no such number"),
        ("remove 0", "no such number"),
        ("what", "These are"),
    ] {
        world.command(1, CHANNEL, "standup", text);
        let last = world.last().unwrap();
        assert!(last.content.contains(problem) && last.only_for == Some(1));
    }
    world.command(9, CHANNEL, "standup", "leave");
    assert!(world.last_text().contains("not take part"));
}

#[test]
fn a_cancelled_stand_up_and_a_stopped_one_ask_no_questions() {
    let mut world = world(1..=1);
    world.command(1, CHANNEL, "standup", "skip all");
    world.command(1, CHANNEL, "standup", "");
    assert!(world.last_text().contains("cancelled"));
    start(&mut world);
    assert_eq!(world.last_text(), "There is no stand-up today.");
    world.command(1, CHANNEL, "standup", "questions\nHow?\nWhy?");
    world.advance(DAY);
    assert!(world.last_text().contains("> 1. How?\n> 2. Why?"));
    world.command(1, CHANNEL, "standup", "stop");
    let before = world.sent.len();
    world.tell(1, "x");
    world.advance(7 * DAY);
    assert_eq!(world.sent.len(), before + 1);
    world.command(1, CHANNEL, "standup", "stop");
    assert!(world.last_text().starts_with("No stand-up is planned"));
}

#[test]
fn the_weekend_is_free_and_no_members_mean_no_messages() {
    let mut world = world([]);
    let before = world.sent.len();
    world.advance_to(MONDAY + 12 * HOUR);
    assert_eq!(world.sent.len(), before);
    let friday = MONDAY + 4 * DAY + 30 * MINUTE;
    world.advance_to(friday);
    let next = world.tick(Scope::Channel(CHANNEL), "start");
    assert_eq!(next, Some(friday + 3 * DAY));
}

#[test]
fn the_largest_team_with_the_longest_answers_fits() {
    let mut world = world(1..=25);
    world.command(26, CHANNEL, "standup", "join");
    assert!(world.last_text().contains("at most 25"));
    let question = format!("{}\n", "q".repeat(199)).repeat(10);
    world.command(1, CHANNEL, "standup", &format!("questions\n{question}"));
    start(&mut world);
    for id in 1..=25 {
        world.tell(id, &"é".repeat(1_000));
        world.tell(id, "more");
        assert!(world.last_text().contains("not added"));
    }
    assert_eq!(summaries(&world).len(), 1);
    assert!(world.bytes(Scope::Channel(CHANNEL)) < 60_000);
    assert!(summaries(&world)[0].chars().count() < 10_000);
    assert!(world.bytes(Scope::Person(1)) < 2_500);
}

#[test]
fn a_person_in_two_stand_ups_answers_the_older_one_first() {
    let mut world = world(1..=1);
    world.command(1, 4, "standup", "at 9:35 on mon");
    world.command(1, 4, "standup", "join");
    world.advance_to(MONDAY + HOUR);
    for (text, channel) in [("first", "/channel/3/"), ("second", "/channel/4/")] {
        world.tell(1, text);
        assert!(world.find("Thank you").unwrap().content.contains(channel));
    }
    let texts = summaries(&world);
    assert!(texts[0].ends_with("> first") && texts[1].ends_with("> second"));
}

#[test]
fn other_events_are_answered_plainly() {
    let mut world = World::new(handle, MONDAY);
    world.say(1, CHANNEL, "@**Stand-up** hello");
    assert!(world.last_text().contains("/standup"));
    world.tell(1, "hello");
    assert!(world.last_text().starts_with("No stand-up is waiting"));
    world.command(1, CHANNEL, "standup", "skip");
    world.command(1, CHANNEL, "standup", "at 99:99");
    assert_eq!(world.last().unwrap().only_for, Some(1));
    let before = world.sent.len();
    for name in ["start", "ask", "check", "deadline", "other"] {
        let tick = spindle_app::Tick {
            name: name.to_owned(),
        };
        for scope in [Scope::Channel(CHANNEL), Scope::Message(5), Scope::App] {
            world.happens(scope, Happening::Tick(tick.clone()));
        }
    }
    assert_eq!(world.sent.len(), before);
}

#[test]
fn guests_only_take_part() {
    let said = |text: &str| {
        let sender = spindle_app::Person {
            is_guest: true,
            ..spindle_app::testing::person(1)
        };
        let command = spindle_app::Command {
            name: "standup".to_owned(),
            text: text.to_owned(),
            message: spindle_app::Message {
                id: 5,
                sender,
                place: spindle_app::Place::Direct(vec![1]),
                content: String::new(),
            },
        };
        let event = Event {
            id: 1,
            time: 0,
            seed: 1,
            scope: Scope::Channel(3),
            me: spindle_app::testing::person(1000),
            settings: Vec::new(),
            what: Happening::Command(command),
        };
        format!(
            "{:?}",
            handle(event, std::iter::empty::<(&str, &str)>().collect())
        )
    };
    for text in ["at 9:30", "remove 1", "skip all", "stop", "questions\nHow?"] {
        assert!(said(text).contains("Guests"), "{text}");
    }
    for text in ["", "join", "leave", "skip"] {
        assert!(!said(text).contains("Guests"), "{text}");
    }
}
