//! The job with an engine of the test, on a database of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use spindle_actions::apps::{
    AppChange, AppFile, AppKeys, click_button, find_app, install_app, update_app,
};
use spindle_domain::apps::{Button, Happening, Rights, Scope};
use spindle_domain::{AppId, MessageId};
use spindle_store::messages;
use spindle_system::clock::Clock;

use super::*;
use crate::testing::Organization;

const MANIFEST: &str =
    r#"{"name":"echo","title":"Echo","version":"1","events":["message","click"],"channels":"all"}"#;

/// A component with nothing but the manifest.
fn component() -> Vec<u8> {
    component_with(MANIFEST)
}

fn component_with(manifest: &str) -> Vec<u8> {
    let mut custom = vec![11];
    custom.extend(b"spindle-app");
    custom.extend(manifest.as_bytes());
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.push(0);
    let length = custom.len();
    bytes.extend([(length & 0x7f) as u8 | 0x80, (length >> 7) as u8]);
    bytes.extend(custom);
    bytes
}

/// Answers messages with a button, counts clicks, and fails where a message asks for it.
#[derive(Default)]
struct Echo(AtomicBool);

impl AppRunner for Echo {
    /// The first event waits for a compilation.
    fn is_compiled(&self, _: &str) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn compile(&self, _: &str, load: Load<'_>) -> Result<(), String> {
        assert_eq!(load(), component());
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn run(
        &self,
        _: &str,
        load: Load<'_>,
        event: &AppEvent,
        values: &[Entry],
    ) -> Result<Vec<Effect>, String> {
        assert_eq!(load(), component());
        let entry = |key: &str, value: String| Entry {
            key: key.to_owned(),
            value,
        };
        match &event.what {
            Happening::Message { message } if message.content == "fail" => {
                Err("as asked".to_owned())
            }
            Happening::Message { message } => Ok(vec![Effect::Reply {
                content: format!("{}!", message.content),
                buttons: vec![Button {
                    id: "one".to_owned(),
                    label: "One".to_owned(),
                }],
                only_for: None,
                values: vec![entry("clicks", "0".to_owned())],
                ticks: Vec::new(),
            }]),
            Happening::Click { message_id, .. } => {
                let clicks: i64 = values[0].value.parse().unwrap();
                let text = (clicks + 1).to_string();
                Ok(vec![
                    Effect::Store {
                        scope: Scope::Message(*message_id),
                        key: "clicks".to_owned(),
                        value: Some(text.clone()),
                    },
                    Effect::Edit {
                        message_id: *message_id,
                        content: text,
                        buttons: Vec::new(),
                    },
                ])
            }
            other => panic!("{other:?}"),
        }
    }
}

struct World {
    organization: Organization,
    store: JobStore,
    clock: Clock,
    job: RunApps,
    app_id: AppId,
    _folder: tempfile::TempDir,
}

async fn world() -> World {
    let (organization, clock) = (Organization::create(), Clock::new());
    let folder = tempfile::tempdir().unwrap();
    let blobs = BlobStore::open(folder.path()).unwrap();
    let now = clock.unix_seconds();
    let (db, owner) = (organization.db(), organization.owner());
    let file = AppFile::read(REALM, &component(), &AppKeys::default()).unwrap();
    let key = BlobKey::parse(&file.blob_key).unwrap();
    let bytes = Bytes::from(component());
    blobs.put(&key, "application/wasm", bytes).await.unwrap();
    let app_id = install_app(&db, owner, now, &file, "example.org").unwrap();
    let change = AppChange {
        rights: Some(Rights::all_of(&file.manifest)),
        ..AppChange::default()
    };
    update_app(&db, owner, now, app_id, &change).unwrap();
    World {
        store: JobStore::file(organization.database(), clock.clone()),
        job: RunApps::new(
            Arc::new(Echo::default()),
            blobs,
            "http://chat.test".to_owned(),
            Box::new(|_| true),
        ),
        clock,
        app_id,
        organization,
        _folder: folder,
    }
}

impl World {
    fn write(&self, text: &str) {
        let app = self.app();
        self.organization
            .write_text_to(&[app.bot_user_id.get()], text, self.clock.unix_seconds());
    }

    fn app(&self) -> spindle_actions::apps::AppObject {
        let (db, owner) = (self.organization.db(), self.organization.owner());
        find_app(&db, owner, "", self.app_id).unwrap()
    }

    /// Runs the job until no event is waiting that is due.
    async fn run(&self, waiting: i64) {
        for _ in 0..500 {
            self.job.run(&self.store).await.unwrap();
            let is_idle = self.job.shared.slots.available_permits() == RUNNING;
            if is_idle && self.app().waiting_events == waiting {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(self.app().waiting_events, waiting);
    }

    fn newest(&self) -> messages::MessageRow {
        let (db, owner) = (self.organization.db(), self.organization.owner());
        let id = messages::newest_received(&db, owner.user_id).unwrap();
        self.message(id.unwrap())
    }

    fn message(&self, id: MessageId) -> messages::MessageRow {
        let (db, owner) = (self.organization.db(), self.organization.owner());
        let found = messages::bare(&db, REALM, owner.user_id, id).unwrap();
        found.unwrap()
    }
}

#[tokio::test]
async fn an_app_answers_and_counts_clicks_once() {
    let world = world().await;
    world.write("hello");
    world.run(0).await;
    let answer = world.newest();
    let link = answer.id.get() - 1;
    let expected = format!("hello!\n\n[Answer in the browser](/#narrow/near/{link})");
    assert_eq!(answer.content, expected);
    assert_eq!(
        answer.buttons.as_deref(),
        Some(r#"[{"id":"one","label":"One"}]"#)
    );
    let (db, owner) = (world.organization.db(), world.organization.owner());
    let now = world.clock.unix_seconds();
    for _ in 0..3 {
        click_button(&db, owner, now, answer.id, "one").unwrap();
    }
    click_button(&db, owner, now, answer.id, "two").unwrap_err();
    world.run(0).await;
    let edited = world.message(answer.id);
    assert_eq!((edited.content.as_str(), edited.buttons), ("3", None));
}

#[tokio::test]
async fn an_app_that_keeps_failing_is_paused() {
    let world = world().await;
    world.write("fail");
    for pause in [0, 5, 30, 180] {
        world.clock.advance(pause);
        assert_eq!(world.app().state, "active");
        world.run(i64::from(pause < 180)).await;
    }
    let app = world.app();
    assert_eq!(app.state, "paused");
    assert!(app.paused_reason.unwrap().contains("as asked"));
    let notice = world.newest().content;
    assert!(notice.contains("as asked"), "{notice}");
    // Nothing is noted for a paused app.
    world.write("hello");
    assert_eq!(world.app().waiting_events, 0);
}

/// Counts the calls that run at the same time, none of which begins with compiled code.
#[derive(Default)]
struct Counting {
    running: AtomicUsize,
    most: AtomicUsize,
    calls: AtomicUsize,
}

impl AppRunner for Counting {
    fn is_compiled(&self, _: &str) -> bool {
        false
    }

    fn compile(&self, _: &str, _: Load<'_>) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, _: &str, _: Load<'_>, _: &AppEvent, _: &[Entry]) -> Result<Vec<Effect>, String> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(50));
        self.running.fetch_sub(1, Ordering::SeqCst);
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok(Vec::new())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_apps_compute_at_the_same_time() {
    const APPS: usize = 3 * RUNNING;
    let (organization, clock) = (Organization::create(), Clock::new());
    let folder = tempfile::tempdir().unwrap();
    let blobs = BlobStore::open(folder.path()).unwrap();
    let now = clock.unix_seconds();
    let (db, owner) = (organization.db(), organization.owner());
    for number in 0..APPS {
        let manifest = MANIFEST
            .replace("echo", &format!("echo-{number}"))
            .replace("Echo", &format!("Echo {number}"));
        let component = component_with(&manifest);
        let file = AppFile::read(REALM, &component, &AppKeys::default()).unwrap();
        let app_id = install_app(&db, owner, now, &file, "example.org").unwrap();
        let change = AppChange {
            rights: Some(Rights::all_of(&file.manifest)),
            ..AppChange::default()
        };
        update_app(&db, owner, now, app_id, &change).unwrap();
        let app = find_app(&db, owner, "", app_id).unwrap();
        organization.write_text_to(&[app.bot_user_id.get()], "hello", now);
    }
    let counting = Arc::new(Counting::default());
    let job = RunApps::new(
        Arc::clone(&counting) as Arc<dyn AppRunner>,
        blobs,
        "http://chat.test".to_owned(),
        Box::new(|_| true),
    );
    let store = JobStore::file(organization.database(), clock);
    for _ in 0..1_000 {
        job.run(&store).await.unwrap();
        if counting.calls.load(Ordering::SeqCst) == APPS {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(counting.calls.load(Ordering::SeqCst), APPS);
    let most = counting.most.load(Ordering::SeqCst);
    assert!((2..=RUNNING).contains(&most), "{most}");
}

/// Notes what is compiled, and can use none of it.
#[derive(Default)]
struct Compiling(Mutex<Vec<String>>);

impl AppRunner for Compiling {
    fn is_compiled(&self, _: &str) -> bool {
        false
    }

    fn compile(&self, hash: &str, load: Load<'_>) -> Result<(), String> {
        assert_eq!(load(), component());
        self.0.lock().unwrap().push(hash.to_owned());
        Err("as asked".to_owned())
    }

    fn run(&self, _: &str, _: Load<'_>, _: &AppEvent, _: &[Entry]) -> Result<Vec<Effect>, String> {
        panic!("no event is due")
    }
}

#[tokio::test]
async fn a_component_is_compiled_once_and_before_the_first_event() {
    let world = world().await;
    let (runner, tidied) = (
        Arc::new(Compiling::default()),
        Arc::new(AtomicUsize::new(0)),
    );
    let tidy = {
        let tidied = Arc::clone(&tidied);
        move |installed: std::collections::HashSet<String>| {
            assert_eq!(installed.len(), 1);
            tidied.fetch_add(1, Ordering::SeqCst);
            Err("as asked".to_owned())
        }
    };
    let blobs = world.job.shared.blobs.clone();
    let job = KeepAppCode::new(
        Arc::clone(&runner) as Arc<dyn AppRunner>,
        blobs,
        Box::new(tidy),
    );
    for (days, is_tidied) in [(0, true), (0, false), (1, true)] {
        world.clock.advance(days * 24 * 60 * 60);
        assert_eq!(job.run(&world.store).await.is_err(), is_tidied);
    }
    assert_eq!(runner.0.lock().unwrap().len(), 1);
    assert_eq!(tidied.load(Ordering::SeqCst), 2);
    let (db, owner) = (world.organization.db(), world.organization.owner());
    let log = spindle_actions::apps::list_app_log(&db, owner, world.app_id).unwrap();
    assert_eq!(log.matches("as asked").count(), 1, "{log}");
}
