//! Unit tests of the whole app: events in, effects out.

use super::*;
use spindle_app::{Message, Person, Place, Tick, Topic};

fn person(id: i64) -> Person {
    Person {
        id,
        name: format!("Person {id}"),
        is_guest: false,
        is_administrator: false,
    }
}

fn event(time: i64, scope: Scope, what: Happening) -> Event {
    Event {
        id: 1,
        time,
        seed: 1,
        scope,
        me: person(9),
        settings: vec![("show_names", "true").into()],
        what,
    }
}

fn command(text: &str) -> Event {
    let message = Message {
        id: 5,
        sender: person(1),
        place: Place::Topic(Topic {
            channel: 3,
            name: "lunch".to_owned(),
        }),
        content: format!("/vote {text}"),
    };
    let command = Command {
        name: "vote".to_owned(),
        text: text.to_owned(),
        message,
    };
    event(100, Scope::Channel(3), Happening::Command(command))
}

fn click(time: i64, by: i64, button: &str) -> Event {
    let click = Click {
        message_id: 6,
        person: person(by),
        button: button.to_owned(),
    };
    event(time, Scope::Message(6), Happening::Click(click))
}

fn asked() -> (Reply, Values) {
    let effects = handle(command("Lunch?\nPizza\nSoup\nuntil 1m"), Values::default());
    let [Effect::Reply(reply)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    (reply.clone(), Values::new(reply.values.clone()))
}

/// The values after an app's effects.
fn after(values: &Values, effects: &[Effect]) -> Values {
    let mut all: Vec<(String, String)> = values
        .iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    for effect in effects {
        if let Effect::Store(store) = effect {
            all.retain(|(key, _)| *key != store.key);
            all.extend(store.value.clone().map(|value| (store.key.clone(), value)));
        }
    }
    all.into_iter().collect()
}

fn edited(effects: &[Effect]) -> &Edit {
    match effects.last() {
        Some(Effect::Edit(edit)) => edit,
        _ => panic!("{effects:?}"),
    }
}

#[test]
fn a_command_makes_a_message_with_buttons() {
    let (reply, _) = asked();
    let labels: Vec<_> = reply
        .buttons
        .iter()
        .map(|button| button.label.as_str())
        .collect();
    assert_eq!(labels, ["Pizza", "Soup"]);
    assert_eq!(reply.ticks.first().map(|tick| tick.at), Some(160));
    assert!(reply.content.contains("* Pizza: 0 votes"));
    let refused = handle(command("Lunch?\nonly"), Values::default());
    assert!(matches!(refused.as_slice(), [Effect::Reply(reply)] if reply.only_for == Some(1)));
}

#[test]
fn each_person_has_one_vote_and_may_change_it() {
    let (_, values) = asked();
    let first = handle(click(110, 1, "1"), values.clone());
    assert!(
        edited(&first)
            .content
            .contains("* Pizza: 1 vote (Person 1)")
    );
    assert_eq!(edited(&first).buttons.len(), 2);
    let values = after(&values, &first);
    assert_eq!(handle(click(111, 1, "1"), values.clone()), []);
    let changed = handle(click(112, 1, "2"), values.clone());
    assert!(edited(&changed).content.contains("* Pizza: 0 votes"));
    let values = after(&values, &changed);
    let second = handle(click(113, 2, "2"), values.clone());
    assert!(
        edited(&second)
            .content
            .contains("* Soup: 2 votes (Person 1, Person 2)")
    );
    assert_eq!(handle(click(114, 2, "7"), values), []);
}

#[test]
fn the_deadline_ends_it() {
    let (_, values) = asked();
    let late = handle(click(160, 1, "1"), values.clone());
    assert!(matches!(late.as_slice(), [Effect::Reply(reply)] if reply.only_for == Some(1)));
    let tick = Happening::Tick(Tick {
        name: DEADLINE.to_owned(),
    });
    let effects = handle(event(160, Scope::Message(6), tick.clone()), values);
    assert!(edited(&effects).content.ends_with("The poll has ended."));
    assert!(edited(&effects).buttons.is_empty());
    assert_eq!(
        handle(event(160, Scope::Message(6), tick), Values::default()),
        []
    );
}
