//! The engine with real apps: the one that ships, and one that misbehaves.
//!
//! The components are built when they are absent, as by `cargo xtask build`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use spindle_apps::AppEngine;
use spindle_domain::apps::{
    AppEvent, Effect, Entry, Happening, Manifest, Person, Place, ReceivedMessage, Scope, section,
};
use spindle_domain::{ChannelId, MessageId, UserId};
use spindle_runtime::Fingerprint;

const MISBEHAVING: &str = "test_app.wasm";
const POLL: &str = "app_poll.wasm";

fn component(name: &str) -> Vec<u8> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let root = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        let folder = target.join("wasm32-wasip2/component");
        if [MISBEHAVING, POLL]
            .iter()
            .all(|name| folder.join(name).exists())
        {
            return folder;
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args([
                "build",
                "--profile",
                "component",
                "--target",
                "wasm32-wasip2",
            ])
            .args(["-p", "test-app", "-p", "app-poll"])
            .current_dir(&root)
            .status()
            .unwrap();
        assert!(status.success(), "the apps do not build");
        folder
    });
    std::fs::read(folder.join(name)).unwrap()
}

/// The hash of a component, as the store has it.
fn hash(wasm: &[u8]) -> String {
    Fingerprint::of(wasm).unwrap().to_string()
}

/// One engine for all tests: each component is compiled once.
fn engine() -> &'static AppEngine {
    static ENGINE: OnceLock<AppEngine> = OnceLock::new();
    ENGINE.get_or_init(|| AppEngine::new(None, None).unwrap())
}

struct Fixture {
    wasm: Vec<u8>,
    hash: String,
}

impl Fixture {
    fn new(name: &str) -> Self {
        let wasm = component(name);
        Self {
            hash: hash(&wasm),
            wasm,
        }
    }

    fn run(&self, event: &AppEvent, values: &[Entry]) -> Result<Vec<Effect>, String> {
        let run = engine().run(&self.hash, || &self.wasm, event, values);
        run.map_err(|failed| failed.reason)
    }

    /// What the misbehaving app answers to a text.
    fn say(&self, text: &str) -> Result<Vec<Effect>, String> {
        self.run(&message(text), &[])
    }
}

fn person(id: i64) -> Person {
    Person {
        id: UserId(id),
        name: "Ann".to_owned(),
        is_guest: false,
        is_administrator: false,
    }
}

fn event(scope: Scope, what: Happening) -> AppEvent {
    AppEvent {
        id: 1,
        time: 1_700_000_000,
        seed: 42,
        scope,
        me: person(9),
        settings: vec![Entry {
            key: "greeting".to_owned(),
            value: "Hello".to_owned(),
        }],
        what,
    }
}

fn received(content: &str) -> ReceivedMessage {
    ReceivedMessage {
        id: MessageId(5),
        sender: person(1),
        place: Place::Topic {
            channel: ChannelId(3),
            topic: "t".to_owned(),
        },
        content: content.to_owned(),
    }
}

fn message(content: &str) -> AppEvent {
    let message = received(content);
    event(Scope::Channel(ChannelId(3)), Happening::Message { message })
}

fn reply(content: &str) -> Effect {
    Effect::Reply {
        content: content.to_owned(),
        buttons: Vec::new(),
        only_for: None,
        values: Vec::new(),
        ticks: Vec::new(),
    }
}

#[test]
fn components_hold_their_manifests() {
    for (file, name) in [(MISBEHAVING, "tester"), (POLL, "vote")] {
        let wasm = component(file);
        assert!(section::is_component(&wasm));
        let manifest = Manifest::parse(section::find(&wasm).unwrap()).unwrap();
        assert_eq!(manifest.name, name);
    }
}

#[test]
fn a_mention_is_answered_with_settings() {
    let app = Fixture::new(MISBEHAVING);
    assert_eq!(app.say("@**Tester** hi"), Ok(vec![reply("Hello, Ann! hi")]));
}

#[test]
fn the_same_event_is_computed_the_same_way() {
    let app = Fixture::new(MISBEHAVING);
    let first = app.say("clock").unwrap();
    assert_eq!(app.say("clock").unwrap(), first);
    let [Effect::Reply { content, .. }] = first.as_slice() else {
        panic!("{first:?}");
    };
    assert!(
        content.starts_with("1700000000 seconds, 0 variables, "),
        "{content}"
    );
    let other = AppEvent {
        seed: 43,
        ..message("clock")
    };
    assert_ne!(app.run(&other, &[]).unwrap(), first);
}

#[test]
fn values_come_and_go() {
    let app = Fixture::new(MISBEHAVING);
    let count = Entry {
        key: "count".to_owned(),
        value: "6".to_owned(),
    };
    let effects = app.run(&message("count"), &[count]).unwrap();
    let stored = Effect::Store {
        scope: Scope::Channel(ChannelId(3)),
        key: "count".to_owned(),
        value: Some("7".to_owned()),
    };
    assert_eq!(effects, [stored, reply("7")]);
}

#[test]
fn an_endless_app_is_stopped() {
    let app = Fixture::new(MISBEHAVING);
    app.say("hi").unwrap();
    let start = Instant::now();
    let reason = app.say("loop").unwrap_err();
    assert_eq!(reason, "The app computed longer than 1000 milliseconds");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(app.say("hi").is_ok());
}

#[test]
fn a_greedy_app_is_stopped() {
    let app = Fixture::new(MISBEHAVING);
    let reason = app.say("allocate").unwrap_err();
    assert_eq!(reason, "The app needs more than 64 MiB of memory");
    let reason = app.say("recurse").unwrap_err();
    assert!(
        reason == "The app ran out of stack" || reason.starts_with("The app ended with an error"),
        "{reason}"
    );
}

#[test]
fn a_panic_is_reported_with_its_message() {
    let app = Fixture::new(MISBEHAVING);
    let reason = app.say("trap").unwrap_err();
    assert!(reason.contains("as Ann asked"), "{reason}");
}

#[test]
fn an_app_reaches_nothing_outside() {
    let app = Fixture::new(MISBEHAVING);
    assert_eq!(app.say("read"), Ok(vec![reply("read: false")]));
    let start = Instant::now();
    let reason = app.say("sleep").unwrap_err();
    assert!(reason.contains("which apps may not"), "{reason}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn too_many_or_too_large_effects_are_refused() {
    let app = Fixture::new(MISBEHAVING);
    assert_eq!(app.say("many 50").unwrap().len(), 50);
    let reason = app.say("many 51").unwrap_err();
    assert_eq!(reason, "The app returned 51 effects, the limit is 50");
    let reason = app.say("large 10001").unwrap_err();
    assert!(reason.contains("longer than 10000 characters"), "{reason}");
    let reason = app.say("large 20000000").unwrap_err();
    assert_eq!(reason, "The app returned more than the server accepts");
    let reason = app.say("many 200000").unwrap_err();
    assert!(reason.starts_with("The app returned"), "{reason}");
}

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
fn what_an_app_prints_is_for_its_author() {
    let app = Fixture::new(MISBEHAVING);
    let (effects, printed) =
        engine().run_with_output(&app.hash, || &app.wasm, &message("print seen"), &[]);
    assert_eq!((effects.unwrap(), printed.as_str()), (Vec::new(), "seen\n"));
}

#[test]
fn a_file_that_is_no_app_is_refused() {
    let engine = engine();
    for wasm in [&b"not a component"[..], b"\0asm\x0d\0\x01\0"] {
        let failed = engine
            .run(&hash(wasm), || wasm, &message("hi"), &[])
            .unwrap_err();
        assert!(
            failed.reason.starts_with("The component cannot be used"),
            "{failed}"
        );
    }
    let other = hash(b"other");
    let failed = engine
        .run(&other, || b"x", &message("hi"), &[])
        .unwrap_err();
    assert!(failed.reason.contains("another hash"), "{failed}");
    let failed = engine
        .run("../x", || b"x", &message("hi"), &[])
        .unwrap_err();
    assert!(failed.reason.contains("not a SHA-256"), "{failed}");
}

#[test]
fn code_is_compiled_once_and_kept_on_the_disk() {
    let wasm = component(POLL);
    let hash = hash(&wasm);
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("code");
    let engine = AppEngine::new(Some(cache.clone()), None).unwrap();
    engine.run(&hash, || &wasm, &message("hi"), &[]).unwrap();
    let never = || -> Vec<u8> { panic!("it is compiled") };
    engine.run(&hash, never, &message("hi"), &[]).unwrap();
    // Another process finds the file.
    let other = AppEngine::new(Some(cache.clone()), None).unwrap();
    other.run(&hash, never, &message("hi"), &[]).unwrap();
    other.forget(&hash);
    let files = std::fs::read_dir(cache).unwrap();
    assert_eq!(files.count(), 0);
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
