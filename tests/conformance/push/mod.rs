//! Push notifications through a push service that the operator has configured: registration,
//! recipients, content of the notifications, and outages.
//!
//! Most tests share one server and one push service; each has users and phones of its own.

mod messages;
mod outages;
mod registration;
mod removal;
mod service;
mod test_notification;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use spindle_tests::{Options, Server, User, unique, until};

use self::service::{Address, ID, KEY, PushKey, Received, Service};

/// The address by which phones know the server.
const EXTERNAL_URL: &str = "https://chat.example.org";

/// A server with a push service.
struct World {
    server: Server,
    service: Service,
}

impl World {
    fn shared() -> &'static World {
        static SHARED: OnceLock<World> = OnceLock::new();
        SHARED.get_or_init(World::start)
    }

    fn start() -> World {
        let service = Service::start();
        let server = Server::own(Options {
            extra: if beside_spin() {
                flags(&service)
            } else {
                native_flags(&service)
            },
            ..Options::default()
        });
        World { server, service }
    }

    /// The server address that phones use. Components under Spin would get it as a variable;
    /// without one, it is the address where Spin listens.
    fn realm_url(&self) -> String {
        // Only the native host has a directory.
        match self.server.directory() {
            Some(_) => EXTERNAL_URL.to_owned(),
            None => self.server.base_url().to_owned(),
        }
    }

    /// A user with a registered phone.
    #[track_caller]
    fn phone(&self) -> Phone<'_> {
        self.phone_of(self.server.user("member"), "fcm", &unique("token "))
    }

    #[track_caller]
    fn phone_of(&self, user: User, kind: &str, token: &str) -> Phone<'_> {
        let phone = Phone::new(self, user, token);
        phone.register(kind, "key of the service").ok();
        phone.settled();
        self.service.registration(token);
        phone
    }
}

fn beside_spin() -> bool {
    std::env::var_os("SPIN_BIN").is_some()
}

/// Options of the server; the key is in a file that outlives the test.
fn flags(service: &Service) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap().keep();
    let key_file = folder.join("push.key");
    std::fs::write(&key_file, format!("{KEY}\n")).unwrap();
    vec![
        "--push-service".to_owned(),
        service.url.clone(),
        "--push-service-id".to_owned(),
        ID.to_owned(),
        "--push-service-key-file".to_owned(),
        key_file.to_str().unwrap().to_owned(),
    ]
}

/// Options of the native host, which accepts a push service only together with its own address.
fn native_flags(service: &Service) -> Vec<String> {
    let mut flags = flags(service);
    flags.extend(["--external-url", EXTERNAL_URL].map(str::to_owned));
    flags
}

/// A user's device, with its key and its token.
struct Phone<'w> {
    world: &'w World,
    user: User,
    id: i64,
    token: String,
    key: PushKey,
}

impl<'w> Phone<'w> {
    fn new(world: &'w World, user: User, token: &str) -> Self {
        static SEED: AtomicU8 = AtomicU8::new(1);
        let id = user.post("/register_client_device", &[]).ok()["device_id"].clone();
        Self {
            world,
            user,
            id: id.as_i64().unwrap(),
            token: token.to_owned(),
            key: PushKey::new(SEED.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// Registers key and token.
    #[track_caller]
    fn register(&self, kind: &str, service_key: &str) -> spindle_tests::Reply {
        let (id, key) = (self.id.to_string(), self.key.text());
        let pairs = [
            ("device_id", id.as_str()),
            ("push_key", &key),
            ("push_key_id", "2408"),
            ("token_kind", kind),
            ("token_id", &self.token),
            ("bouncer_public_key", service_key),
            ("encrypted_push_registration", "sealed for the service"),
        ];
        self.user.post("/mobile_push/register", &pairs)
    }

    /// The device in a snapshot.
    #[track_caller]
    fn state(&self) -> Value {
        let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"device\"]")];
        let snapshot = self.user.post("/register", &pairs).ok();
        snapshot["devices"][self.id.to_string()].clone()
    }

    /// Waits until the service has answered; returns the device in its new state.
    #[track_caller]
    fn settled(&self) -> Value {
        until("the answer of the service", || {
            let state = self.state();
            let is_over = state["pending_push_token_id"].is_null()
                || !state["push_registration_error_code"].is_null();
            is_over.then_some(state)
        })
    }

    fn address(&self) -> Address {
        Address::Token(self.token.clone())
    }

    /// The next notification on the phone.
    #[track_caller]
    fn next(&self) -> Value {
        self.next_call().2
    }

    #[track_caller]
    fn next_call(&self) -> (Received, Value, Value) {
        self.world.service.notification(&self.address(), &self.key)
    }

    /// Asserts that the phone got no notification.
    #[track_caller]
    fn was_not_notified(&self) {
        assert_eq!(self.all_notifications(), Vec::<Value>::new());
    }

    /// All notifications that the phone has got by now. Calls are made in their order, each round
    /// after the last has ended: when the second of two test notifications arrives, everything that
    /// was due before has been sent.
    #[track_caller]
    fn all_notifications(&self) -> Vec<Value> {
        let mut received = Vec::new();
        for _ in 0..2 {
            let id = self.id.to_string();
            let pairs = [("device_id", id.as_str())];
            self.user
                .post("/mobile_push/e2ee/test_notification", &pairs)
                .ok();
            loop {
                let said = self.next();
                if said["type"] == "test" {
                    break;
                }
                received.push(said);
            }
        }
        received
    }

    /// A setting of the phone's owner.
    #[track_caller]
    fn set(&self, name: &str, value: &str) {
        self.user.patch("/settings", &[(name, value)]).ok();
    }
}

/// Sends a direct message; returns its id.
#[track_caller]
fn send_direct(from: &User, to: &[&User], content: &str) -> i64 {
    let ids: Vec<i64> = to.iter().map(|user| user.user_id).collect();
    let to = json!(ids).to_string();
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", content),
    ];
    from.post("/messages", &pairs).ok()["id"].as_i64().unwrap()
}

/// Marks a message as read.
#[track_caller]
fn read(user: &User, message_ids: &[i64]) {
    let ids = json!(message_ids).to_string();
    let pairs = [("messages", ids.as_str()), ("op", "add"), ("flag", "read")];
    user.post("/messages/flags", &pairs).ok();
}
