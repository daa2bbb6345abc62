//! The engine with real apps: the one that ships, and one that misbehaves.
//!
//! The components are built when they are absent, as by `cargo xtask build`.
#![allow(clippy::unwrap_used)]

mod bounds;
mod events;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use spindle_apps::{AppEngine, tidy_code};
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
    for (file, name) in [(MISBEHAVING, "tester"), (POLL, "poll")] {
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
    // The file counts as just used, so it stays even if no app has the component.
    assert_eq!(tidy_code(&cache, &HashSet::new()).unwrap(), 0);
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    let file = std::fs::read_dir(&cache).unwrap().next().unwrap();
    let file = std::fs::File::open(file.unwrap().path()).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    // A load is a use.
    let third = AppEngine::new(Some(cache.clone()), None).unwrap();
    assert!(third.is_compiled(&hash));
    assert_eq!(tidy_code(&cache, &HashSet::new()).unwrap(), 0);
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let installed = HashSet::from([hash.clone()]);
    assert_eq!(tidy_code(&cache, &installed).unwrap(), 0);
    assert_eq!(tidy_code(&cache, &HashSet::new()).unwrap(), 1);
    // Code in memory works without its file.
    third.run(&hash, never, &message("hi"), &[]).unwrap();
}
