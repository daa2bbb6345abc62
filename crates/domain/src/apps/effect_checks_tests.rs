//! Unit tests of the checks of effects.

use super::*;
use crate::apps::Draft;
use crate::{ChannelId, MessageId, UserId};

fn problem(effect: Effect) -> String {
    check_effects(&[effect]).err().unwrap_or_default()
}

fn send(content: &str) -> Draft {
    Draft {
        place: Place::Topic {
            channel: ChannelId(1),
            topic: "t".to_owned(),
        },
        content: content.to_owned(),
        buttons: Vec::new(),
        values: Vec::new(),
        ticks: Vec::new(),
    }
}

fn button(id: &str, label: &str) -> Button {
    Button {
        id: id.to_owned(),
        label: label.to_owned(),
    }
}

fn entry(key: &str, value: &str) -> Entry {
    Entry {
        key: key.to_owned(),
        value: value.to_owned(),
    }
}

fn fetch(method: &str, url: &str, headers: Vec<Entry>) -> Effect {
    Effect::Fetch {
        id: "1".to_owned(),
        scope: Scope::App,
        method: method.to_owned(),
        url: url.to_owned(),
        headers,
        body: String::new(),
        secret: None,
    }
}

#[test]
fn ordinary_effects_pass() {
    let effects = [
        Effect::Send(Draft {
            buttons: vec![button("a", "Yes"), button("b", "No")],
            values: vec![entry("k", "")],
            ticks: vec![TickAt {
                name: "end".to_owned(),
                at: 5,
            }],
            ..send("hi")
        }),
        Effect::React {
            message_id: MessageId(1),
            emoji: "tada".to_owned(),
            is_added: true,
        },
        Effect::Store {
            scope: Scope::App,
            key: "k".to_owned(),
            value: None,
        },
        fetch("GET", "https://a.example/x?y", vec![entry("Accept", "*/*")]),
    ];
    assert_eq!(check_effects(&effects), Ok(()));
}

#[test]
fn an_effect_too_many_is_refused() {
    let log = Effect::Log {
        text: "x".to_owned(),
    };
    assert_eq!(check_effects(&vec![log.clone(); EFFECTS]), Ok(()));
    let answer = check_effects(&vec![log; EFFECTS + 1]).unwrap_err();
    assert_eq!(answer, "The app returned 51 effects, the limit is 50");
    let answer = problem(Effect::Log {
        text: "é".repeat(LOG_CHARACTERS + 1),
    });
    assert!(answer.starts_with("Effect 1 (log): the text is longer"));
}

#[test]
fn messages_are_checked() {
    assert!(problem(Effect::Send(send(" \n"))).contains("empty"));
    assert!(problem(Effect::Send(send(&"x".repeat(10_001)))).contains("longer"));
    assert!(problem(Effect::Send(send("\0x"))).contains("null"));
    for buttons in [
        vec![button("", "a")],
        vec![button(&"x".repeat(65), "a")],
        vec![button("a", " ")],
        vec![button("a", &"x".repeat(61))],
        vec![button("a", "a\nb")],
        vec![button("a", "1"), button("a", "2")],
        (0..11).map(|id| button(&id.to_string(), "x")).collect(),
    ] {
        let draft = Draft {
            buttons,
            ..send("x")
        };
        assert!(problem(Effect::Send(draft)).contains("button"));
    }
    for count in [0, PEOPLE + 1] {
        let draft = Draft {
            place: Place::Direct {
                people: vec![UserId(1); count],
            },
            ..send("x")
        };
        assert!(problem(Effect::Send(draft)).contains("at least one person"));
    }
    let ephemeral = Effect::Reply {
        content: "x".to_owned(),
        buttons: vec![button("a", "A")],
        only_for: Some(UserId(1)),
        values: Vec::new(),
        ticks: Vec::new(),
    };
    assert!(problem(ephemeral).contains("one person"));
}

#[test]
fn values_and_times_are_checked() {
    let store = |key: &str, value: &str| Effect::Store {
        scope: Scope::App,
        key: key.to_owned(),
        value: Some(value.to_owned()),
    };
    assert!(problem(store("", "x")).contains("key"));
    assert!(problem(store(&"k".repeat(129), "x")).contains("key"));
    assert!(problem(store("k", &"x".repeat(SCOPE_BYTES + 1))).contains("longer"));
    let elsewhere = Effect::Store {
        scope: Scope::Message(MessageId(-1)),
        key: "k".to_owned(),
        value: None,
    };
    assert!(problem(elsewhere).contains("negative"));
    let draft = Draft {
        values: vec![
            entry("a", &"x".repeat(40_000)),
            entry("b", &"x".repeat(40_000)),
        ],
        ..send("x")
    };
    assert!(problem(Effect::Send(draft)).contains("the values have more"));
    for at in [-1, MAX_TIME + 1] {
        let effect = Effect::Schedule {
            scope: Scope::App,
            name: "x".to_owned(),
            at: Some(at),
        };
        assert!(problem(effect).contains("time"));
    }
}

#[test]
fn fetches_are_checked() {
    for (method, url) in [
        ("get", "https://a.example"),
        ("CONNECT", "https://a.example"),
        ("GET", "file:///etc/passwd"),
        ("GET", "https://"),
        ("GET", "https://a.example/\r\nX: y"),
    ] {
        assert_ne!(
            problem(fetch(method, url, Vec::new())),
            "",
            "{method} {url}"
        );
    }
    for header in [
        entry("Host", "x"),
        entry("Idempotency-Key", "x"),
        entry("a b", "x"),
        entry("", "x"),
        entry("X-A", "a\r\nB: c"),
        entry("X-A", "é"),
    ] {
        let answer = problem(fetch("GET", "https://a.example", vec![header.clone()]));
        assert!(answer.contains("header"), "{header:?}");
    }
}
