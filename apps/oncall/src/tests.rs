//! Unit tests of the whole app: rotations and incidents.

use super::*;
use spindle_app::testing::World;
use spindle_app::time::{DAY, HOUR, MINUTE};

const CHANNEL: i64 = 3;
/// A Monday, 08:00 in UTC.
const MONDAY: i64 = 4 * DAY + 8 * HOUR;

/// A weekly rotation of these people, whose turns begin on Mondays at 09:00.
fn world(people: impl IntoIterator<Item = i64>) -> World {
    let mut world = World::new(handle, MONDAY);
    world.command(1, CHANNEL, "oncall", "rota weekly from mon 09:00");
    assert!(
        world
            .last_text()
            .contains("weekly on mon at 09:00 (+00:00)")
    );
    for id in people {
        world.command(id, CHANNEL, "oncall", "join");
    }
    world
}

/// The answer to a command.
fn ask(world: &mut World, by: i64, text: &str) -> String {
    world.command(by, CHANNEL, "oncall", text);
    world.last_text().to_owned()
}

#[test]
fn turns_change_each_week() {
    let mut world = world(1..=3);
    assert_eq!(world.last_text(), "@**|1** is on call now.");
    let state = ask(&mut world, 9, "");
    assert!(state.starts_with("@_**|1** is on call until <time:1970-01-05T09:00:00Z>."));
    assert!(state.ends_with("1. @_**|1**\n2. @_**|2**\n3. @_**|3**"));
    world.advance(HOUR);
    assert_eq!(
        world.last_text(),
        "@**|2** is on call now, and takes over from @_**|1**."
    );
    assert!(
        matches!(&world.last().unwrap().place, spindle_app::Place::Topic(topic) if topic.channel == CHANNEL)
    );
    world.advance(7 * DAY);
    assert!(world.last_text().starts_with("@**|3** is on call now"));
    world.advance(7 * DAY);
    assert!(world.last_text().starts_with("@**|1** is on call now"));
    assert_eq!(
        ask(&mut world, 1, "swap"),
        "@**|2** is on call now, and takes over from @_**|1**."
    );
    assert_eq!(
        ask(&mut world, 2, "leave"),
        "@**|1** is on call now, and takes over from @_**|2**."
    );
    assert!(ask(&mut world, 1, "stop").starts_with("This channel has no rotation"));
    let before = world.sent.len();
    world.advance(14 * DAY);
    assert_eq!(world.sent.len(), before);
    assert!(ask(&mut world, 1, "join").starts_with("This channel has no rotation"));
}

#[test]
fn a_cover_ends_by_itself() {
    let mut world = world(1..=2);
    assert_eq!(
        ask(&mut world, 5, "take 2h"),
        "@**|5** is on call now, and takes over from @_**|1**."
    );
    assert!(
        ask(&mut world, 9, "")
            .starts_with("@_**|5** is on call until <time:1970-01-05T10:00:00Z>.")
    );
    let before = world.sent.len();
    // The turn changes in the middle, and the cover stays.
    world.advance(90 * MINUTE);
    assert_eq!(world.sent.len(), before);
    world.advance(30 * MINUTE);
    assert_eq!(
        world.last_text(),
        "@**|2** is on call now, and takes over from @_**|5**."
    );
    ask(&mut world, 5, "take 2h");
    assert_eq!(
        ask(&mut world, 5, "back"),
        "@**|2** is on call now, and takes over from @_**|5**."
    );
    assert!(ask(&mut world, 5, "back").contains("whose turn it is"));
}

#[test]
fn an_incident_goes_on_until_a_person_has_it() {
    let mut world = world(1..=2);
    world.say(8, CHANNEL, "@**App** the site is down\n@**all**");
    let page = world.last().unwrap().clone();
    assert_eq!(
        page.content,
        "@**|1**: please take care of this.\n\n> the site is down\n> @**all**"
    );
    assert_eq!(page.buttons[0].label, "I have it");
    world.advance(10 * MINUTE);
    assert!(
        world
            .last_text()
            .starts_with("@**|2**: [this](/#narrow/near/")
    );
    assert!(world.find("@**|1**, @**|2**: please").is_some());
    world.click(7, page.id, "acknowledge");
    let taken = world.find("please take care of this").unwrap();
    assert!(taken.content.ends_with("@_**|7** takes care of it.") && taken.buttons.len() == 1);
    world.click(2, page.id, "acknowledge");
    assert_eq!(world.last().map(|sent| sent.only_for), Some(Some(2)));
    let before = world.sent.len();
    world.advance(40 * MINUTE);
    assert_eq!(world.sent.len(), before);
    world.click(7, page.id, "resolve");
    let resolved = world.find("please take care of this").unwrap();
    assert!(resolved.content.contains("Resolved by @_**|7** at") && resolved.buttons.is_empty());
    assert_eq!(world.bytes(Scope::Message(page.id)), 0);
    world.click(7, page.id, "acknowledge");
    assert_eq!(world.sent.len(), before);
}

#[test]
fn pages_end() {
    let mut world = world(1..=1).setting("minutes", 1);
    world.say(8, CHANNEL, "@**App** help");
    let page = world.last().unwrap().id;
    world.advance(HOUR);
    let pages = world
        .sent
        .iter()
        .filter(|sent| sent.content.starts_with("@**|1**:"));
    assert_eq!(pages.count(), 3);
    assert!(world.last_text().starts_with("All were paged"));
    world.click(1, page, "acknowledge");
    assert!(world.find("takes care of it").is_some());
}

#[test]
fn alerts_page_in_the_channel_of_the_setting() {
    let mut world = world(1..=1);
    let before = world.sent.len();
    world.webhook(r#"{"title": "Disk full"}"#);
    assert_eq!(world.sent.len(), before);
    let mut world = world
        .setting("channel", CHANNEL)
        .setting("topic", "pages".repeat(100));
    for number in 0..3 {
        world.webhook(&format!(r#"{{"title": "Disk {number}", "text": "db1"}}"#));
    }
    let page = world.last().unwrap();
    assert_eq!(
        page.content,
        "@**|1**: please take care of this.\n\n> Disk 2\n> \n> db1"
    );
    assert!(
        matches!(&page.place, spindle_app::Place::Topic(topic) if topic.name == format!("{}page…", "pages".repeat(11)))
    );
    assert_eq!(world.sent.len(), before + 3);
    // Without people it is posted all the same.
    ask(&mut world, 1, "leave");
    world.webhook("down");
    assert!(
        world
            .last_text()
            .starts_with("There is no person on call. Who")
    );
    let id = world.last().unwrap().id;
    world.click(4, id, "acknowledge");
    assert!(world.last_text().ends_with("@_**|4** takes care of it."));
    assert!(world.bytes(Scope::Channel(CHANNEL)) < 100);
}

#[test]
fn other_events_are_answered_plainly() {
    let mut world = World::new(handle, MONDAY);
    world.say(1, CHANNEL, "@**App** hello");
    assert!(
        world
            .last_text()
            .starts_with("There is no person on call here")
    );
    world.tell(1, "hello");
    assert!(world.last_text().contains("mention me"));
    for text in [
        "what",
        "join",
        "take 3x",
        "rota @**Ann** daily from 9:00",
        "swap",
    ] {
        world.command(1, CHANNEL, "oncall", text);
        assert_eq!(world.last().unwrap().only_for, Some(1), "{text}");
    }
    let before = world.sent.len();
    for name in ["change", "alerts", "escalate"] {
        let tick = spindle_app::Tick {
            name: name.to_owned(),
        };
        for scope in [Scope::Channel(CHANNEL), Scope::Message(5), Scope::App] {
            world.happens(scope, Happening::Tick(tick.clone()));
        }
    }
    world.click(1, 5, "acknowledge");
    assert_eq!(world.sent.len(), before);
    let mut world = super::tests::world(1..=1);
    world.say(1, CHANNEL, "@**App**");
    assert!(world.last_text().starts_with("Write what has happened"));
}

fn channel_event(what: Happening) -> Event {
    Event {
        id: 1,
        time: MONDAY,
        seed: 1,
        scope: Scope::Channel(CHANNEL),
        me: spindle_app::testing::person(1000),
        settings: Vec::new(),
        what,
    }
}

fn alerts_tick() -> Event {
    channel_event(Happening::Tick(spindle_app::Tick {
        name: "alerts".to_owned(),
    }))
}

#[test]
fn many_alerts_become_one_page() {
    let values = |count: usize| -> Values {
        (0..count)
            .map(|n| {
                (
                    format!("alert {n:020}"),
                    format!("Disk {n}\n\n{}", "é".repeat(900)),
                )
            })
            .collect()
    };
    for (count, pages) in [(5, 5), (17, 1), (60, 1)] {
        let effects = handle(alerts_tick(), values(count));
        assert!(effects.len() <= 50);
        let sent: Vec<&str> = (effects.iter())
            .filter_map(|effect| match effect {
                spindle_app::Effect::Send(draft) => Some(draft.content.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(sent.len(), pages, "{count}");
        let text = sent.concat();
        assert_eq!(count == 17, text.contains("> 17 alerts:"), "{text}");
        assert!(text.contains("Disk 0") && sent.iter().all(|page| page.len() < 3_000));
    }
}

#[test]
fn a_refused_page_comes_again() {
    let mut world = world(1..=1).setting("channel", CHANNEL);
    let scope = Scope::Channel(CHANNEL);
    let failed = Happening::EffectFailed(spindle_app::FailedEffect {
        effect: "send".to_owned(),
        reason: "no".to_owned(),
    });
    // A page that is there is not posted again.
    world.webhook("down");
    let before = world.sent.len();
    world.happens(scope, failed.clone());
    world.advance(2 * MINUTE);
    assert_eq!(world.sent.len(), before);
    let values: Values = [("sent 7".to_owned(), "down".to_owned())]
        .into_iter()
        .collect();
    let effects = handle(channel_event(failed), values);
    let stored = spindle_app::store(scope, "alert 7", "down");
    let tick = spindle_app::schedule(scope, "alerts", MONDAY + MINUTE);
    assert!(
        effects.contains(&stored) && effects.contains(&tick),
        "{effects:?}"
    );
}

fn guest_says(text: &str) -> Vec<Effect> {
    let sender = spindle_app::Person {
        is_guest: true,
        ..spindle_app::testing::person(1)
    };
    let place = spindle_app::Place::Direct(vec![1]);
    let message = spindle_app::Message {
        id: 5,
        sender,
        place,
        content: String::new(),
    };
    let command = spindle_app::Command {
        name: "oncall".to_owned(),
        text: text.to_owned(),
        message,
    };
    let values = [("rota".to_owned(), format!("{DAY} {} 0 t", MONDAY + HOUR))];
    let event = channel_event(Happening::Command(command));
    handle(event, values.into_iter().collect())
}

#[test]
fn guests_only_take_part() {
    for text in [
        "stop",
        "take 1h",
        "remove 1",
        "rota daily from 09:00",
        "swap",
    ] {
        assert!(
            format!("{:?}", guest_says(text)).contains("Guests"),
            "{text}"
        );
    }
    for text in ["", "join", "leave"] {
        assert!(
            !format!("{:?}", guest_says(text)).contains("Guests"),
            "{text}"
        );
    }
}
