//! Register and events agree: a snapshot with the following events applied to it equals a later
//! snapshot. The test asks a real server over HTTP while at least four clients write.
//!
//! The code that applies events (`model/`) knows only the protocol. `SPINDLE_SEEDS` is the number
//! of rounds (300; thousands before a release), `SPINDLE_SEED` the first one; a failure names its
//! seed. The operating system schedules the threads, so a seed repeats the operations, not their
//! timing.

mod model;
mod random;
mod writers;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use model::Model;
use random::Random;
use serde_json::Value;
use spindle_tests::{Options, Server, User, env_number};
use writers::World;

/// Events applied in all rounds, to check that the rounds are not empty.
static APPLIED: AtomicU64 = AtomicU64::new(0);

/// New accounts after this many rounds, so that unread lists stay short.
const ROUNDS_OF_A_WORLD: u64 = 50;
/// The operator changes accounts in every round divisible by this.
const ROUNDS_BETWEEN_ADMIN: u64 = 10;

#[test]
fn a_snapshot_and_its_events_equal_a_later_snapshot() {
    let first = env_number("SPINDLE_SEED", 1);
    let seeds = env_number("SPINDLE_SEEDS", 300);
    let server = Server::start(Options {
        // The same for all nodes.
        environment: vec![(
            "SPINDLE_EXTERNAL_URL".to_owned(),
            "https://chat.example.org".to_owned(),
        )],
        ..Options::default()
    });
    let started = Instant::now();
    let mut world = None;
    for seed in first..first + seeds {
        if (seed - first).is_multiple_of(ROUNDS_OF_A_WORLD) {
            world = Some(World::new(&server));
        }
        let world = world.as_ref().expect("made in the first round");
        round(&server, world, seed);
    }
    let applied = APPLIED.load(Ordering::SeqCst);
    println!(
        "{seeds} seeds in {:.1} s, {applied} events applied",
        started.elapsed().as_secs_f64()
    );
    assert!(
        applied > 2 * seeds,
        "there were hardly any events after registration"
    );
}

/// Writers write while observers register at random moments; at the end all observers have the same
/// state.
fn round(server: &Server, world: &World, seed: u64) {
    let mut random = Random::new(seed);
    let done = AtomicBool::new(false);
    let models: Vec<Model> = std::thread::scope(|scope| {
        let observers: Vec<_> = (0..2)
            .map(|number| {
                let mut random = Random::new(random.next());
                let (done, observer) = (&done, &world.observers[number]);
                scope.spawn(move || observe(observer, &mut random, done))
            })
            .collect();
        let mut writing: Vec<_> = (0..world.writers.len())
            .map(|number| {
                let random = Random::new(random.next());
                scope.spawn(move || writers::write(world, number, random))
            })
            .collect();
        if seed.is_multiple_of(ROUNDS_BETWEEN_ADMIN) {
            let random = Random::new(random.next());
            writing.push(scope.spawn(move || writers::administrate(server, world, random)));
        }
        let written: Vec<_> = writing.into_iter().map(|writer| writer.join()).collect();
        // The flag is also set when a writer has failed: otherwise the observers would never end.
        done.store(true, Ordering::SeqCst);
        assert!(
            written.iter().all(Result::is_ok),
            "seed {seed}: a writer failed"
        );
        observers
            .into_iter()
            .map(|observer| observer.join().expect("an observer"))
            .collect()
    });
    for (model, observer) in models.iter().zip(&world.observers) {
        let last = register(observer, "[]");
        let expected = Model::new(observer.user_id, &last);
        if let Some(difference) = model.difference(&expected) {
            panic!("seed {seed}, {}: {difference}", observer.full_name);
        }
    }
}

fn register(user: &User, event_types: &str) -> Value {
    let pairs = [
        ("event_types", event_types),
        ("fetch_event_types", &Model::fetch()),
        ("include_subscribers", "true"),
        (
            "client_capabilities",
            "{\"empty_topic_name\": true, \"include_deactivated_groups\": true, \
             \"linkifier_url_template\": true}",
        ),
    ];
    user.post("/register", &pairs).ok()
}

/// Registers at a random moment and applies events until the writers are done and the queue is
/// empty.
fn observe(user: &User, random: &mut Random, done: &AtomicBool) -> Model {
    std::thread::sleep(Duration::from_micros(random.below(12_000)));
    let state = register(user, &Model::events());
    let mut model = Model::new(user.user_id, &state);
    let queue_id = state["queue_id"].as_str().expect("queue_id").to_owned();
    let mut last = state["last_event_id"].as_i64().expect("last_event_id");
    loop {
        // Read before polling: this poll must return what was committed before "done".
        let finished = done.load(Ordering::SeqCst);
        let position = last.to_string();
        let pairs = [
            ("queue_id", queue_id.as_str()),
            ("last_event_id", &position),
            ("dont_block", "true"),
        ];
        let body = user.get("/events", &pairs).ok();
        let events = body["events"].as_array().expect("events");
        for event in events {
            let id = event["id"].as_i64().expect("id");
            assert_eq!(id, last + 1, "ids are without gap");
            last = id;
            model.apply(event);
            APPLIED.fetch_add(1, Ordering::SeqCst);
        }
        if finished && events.is_empty() {
            user.delete("/events", &[("queue_id", &queue_id)]).ok();
            return model;
        }
        std::thread::sleep(Duration::from_micros(random.below(3_000)));
    }
}
