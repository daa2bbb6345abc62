//! Events as apps receive them, and the poll that ships.

use std::time::Instant;

use super::*;

#[test]
fn every_kind_of_event_arrives() {
    let app = Fixture::new(MISBEHAVING);
    let on_message = Scope::Message(MessageId(7));
    let logged = |text: &str| {
        vec![Effect::Log {
            text: text.to_owned(),
        }]
    };
    let message_id = MessageId(7);
    for (scope, what, expected) in [
        (
            Scope::Person(UserId(1)),
            Happening::Command {
                name: "test".to_owned(),
                text: "hi".to_owned(),
                message: ReceivedMessage {
                    place: Place::Direct {
                        people: vec![UserId(1)],
                    },
                    ..received("/test hi")
                },
            },
            vec![reply("Hello, Ann! hi")],
        ),
        (
            on_message,
            Happening::Reaction {
                message_id,
                person: person(1),
                emoji: "tada".to_owned(),
                is_added: false,
            },
            vec![reply("removed tada")],
        ),
        (
            on_message,
            Happening::Vote {
                message_id,
                person: person(1),
                choice: "0,1".to_owned(),
                is_added: true,
            },
            vec![reply("voted 0,1")],
        ),
        (
            Scope::App,
            Happening::Tick {
                name: "later".to_owned(),
            },
            logged("tick later"),
        ),
        (
            Scope::App,
            Happening::Webhook {
                content_type: "text/plain".to_owned(),
                query: Vec::new(),
                body: b"called".to_vec(),
            },
            logged("webhook called"),
        ),
        (
            Scope::App,
            Happening::Answer {
                id: "1".to_owned(),
                status: 204,
                body: "none".to_owned(),
                failure: None,
            },
            logged("answer 1 204 none"),
        ),
        (
            Scope::App,
            Happening::EffectFailed {
                effect: "send".to_owned(),
                reason: "no such channel".to_owned(),
            },
            logged("send failed: no such channel"),
        ),
    ] {
        assert_eq!(app.run(&event(scope, what), &[]), Ok(expected));
    }
    let click = Happening::Click {
        message_id,
        person: person(1),
        button: "b".to_owned(),
    };
    let effects = app.run(&event(on_message, click), &[]).unwrap();
    let [
        Effect::Store { value, .. },
        Effect::Edit {
            content, buttons, ..
        },
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert_eq!(value.as_deref(), Some("1"));
    assert_eq!(
        (content.as_str(), buttons.len()),
        ("1 clicks, the last on b", 2)
    );
}

#[test]
fn a_poll_is_made_and_counted() {
    let app = Fixture::new(POLL);
    let command = Happening::Command {
        name: "vote".to_owned(),
        text: "Lunch?\nPizza\nSoup\nuntil 30m".to_owned(),
        message: received("/vote Lunch?"),
    };
    let effects = app
        .run(&event(Scope::Channel(ChannelId(3)), command), &[])
        .unwrap();
    let [
        Effect::Reply {
            buttons,
            values,
            ticks,
            ..
        },
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert_eq!(buttons.len(), 2);
    assert_eq!(ticks.first().map(|tick| tick.at), Some(1_700_001_800));
    let click = Happening::Click {
        message_id: MessageId(7),
        person: person(1),
        button: "2".to_owned(),
    };
    let start = Instant::now();
    let effects = app
        .run(&event(Scope::Message(MessageId(7)), click), values)
        .unwrap();
    let took = start.elapsed();
    let Some(Effect::Edit { content, .. }) = effects.last() else {
        panic!("{effects:?}");
    };
    assert!(content.contains("* Soup: 1 vote"), "{content}");
    println!("a call takes {took:?}");
}
