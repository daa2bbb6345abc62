//! The web client at `/` in a real browser, against a real server: what people do with it.
//!
//! Each test has a browser and a server of its own. Nothing that Chromium complains about passes:
//! errors of scripts, violations of the policy.

mod acting;
mod addresses;
mod apps;
mod audit;
mod beginning;
mod bots;
mod channels;
mod choosing;
mod company;
mod compose;
mod conditions;
mod direction;
mod drafts;
mod emoji;
mod files;
mod finding;
mod firefox;
mod formatting;
mod groups;
mod hooks;
mod keyboard;
mod live;
mod media;
mod mentioning;
mod noticing;
mod organization;
mod pasting;
mod people;
mod picture;
mod reading;
mod relay;
mod scheduling;
mod searching;
mod second_factor;
mod settings;
mod shell;
mod sidebar;
mod signing_in;
mod start;
mod switching;
mod undoing;
mod widgets;
mod writing;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::server::repository;
use spindle_tests::{Client, Options, Server, User, until};

use crate::browser::{Browser, Look};

pub(super) const PASSWORD: &str = "three threads of one loom";
const DESK: Look = Look::new(1280, 900, false);
const PHONE: Look = Look::new(360, 780, true);

/// An account that exists, with a key of its own.
fn known(server: &Server, email: &str) -> User {
    let account = server.admin(&["user", "rotate-key", "--email", email]);
    let key = account["api_key"].as_str().expect("a key").to_owned();
    let client = Client::new(server.base_url(), Some((email, &key)));
    let own = client.get("/users/me", &[]).ok();
    User {
        user_id: own["user_id"].as_i64().expect("an id"),
        email: email.to_owned(),
        full_name: own["full_name"].as_str().expect("a name").to_owned(),
        api_key: key,
        client,
    }
}

/// A person at the web client.
pub(super) struct Seat {
    pub(super) browser: Browser,
    pub(super) server: Server,
    /// Who sits here.
    pub(super) user: User,
    /// Another user, in the same channel.
    pub(super) other: User,
    pub(super) channel: Channel,
}

impl Seat {
    /// A server with a channel of two people, and a browser that has nothing open yet.
    pub(super) fn new(name: &'static str) -> Option<Self> {
        Browser::start(name).map(|browser| Self::with(browser, Server::own(Options::default())))
    }

    /// The same on the native host even where the environment names a Spin: only that has a clock of the test.
    pub(super) fn with_clock(name: &'static str) -> Option<Self> {
        Browser::start(name).map(|browser| Self::with(browser, Server::spawn(Options::default())))
    }

    /// The same with a server that sends mail; no mail server takes it.
    pub(super) fn with_mail(name: &'static str) -> Option<Self> {
        let options = [
            ("--external-url", "http://localhost"),
            ("--mail-server", "127.0.0.1"),
            ("--mail-port", "9"),
            ("--mail-tls", "none"),
            ("--mail-from", "chat@example.org"),
        ];
        let words = options.iter().flat_map(|(name, value)| [*name, *value]);
        let options = Options {
            extra: words.map(str::to_owned).collect(),
            ..Options::default()
        };
        Browser::start(name).map(|browser| Self::with(browser, Server::own(options)))
    }

    /// The owner of an organization that `spindle admin demo` has filled, and one of its people.
    pub(super) fn in_demo(name: &'static str) -> Option<Self> {
        let browser = Browser::start(name)?;
        let server = Server::own(Options::default());
        let people = server.admin(&["user", "list"]);
        let owner = people[0]["email"].as_str().expect("an owner").to_owned();
        server.admin(&["demo"]);
        server.admin(&[
            "user",
            "set-password",
            "--email",
            &owner,
            "--password",
            PASSWORD,
        ]);
        let user = known(&server, &owner);
        let other = known(&server, "kofi@demo.example.org");
        let looms = user.get("/get_stream_id", &[("stream", "looms")]).ok();
        let channel = Channel {
            stream_id: looms["stream_id"].as_i64().expect("an id"),
            recipient_id: 0,
            name: "looms".to_owned(),
        };
        Some(Self {
            browser,
            server,
            user,
            other,
            channel,
        })
    }

    /// The same with Firefox.
    pub(super) fn in_firefox(name: &'static str) -> Option<Self> {
        Browser::firefox(name).map(|browser| Self::with(browser, Server::own(Options::default())))
    }

    fn with(browser: Browser, server: Server) -> Self {
        let user = server.user_with("owner", &["--password", PASSWORD]);
        let other = server.user("member");
        let channel = fixture::channel(&server, ChannelKind::Public, &[&user, &other]);
        Self {
            browser,
            server,
            user,
            other,
            channel,
        }
    }

    /// The same, signed in and before an address of the client.
    pub(super) fn at(name: &'static str, hash: impl Fn(&Seat) -> String) -> Option<Self> {
        let seat = Self::new(name)?;
        seat.sign_in();
        seat.go(&hash(&seat));
        Some(seat)
    }

    pub(super) fn sign_in(&self) {
        self.browser.open(self.server.base_url(), DESK);
        self.fill_in(PASSWORD);
        self.wait_for("document.querySelector('.frame') !== null");
    }

    pub(super) fn fill_in(&self, password: &str) {
        self.wait_for("document.querySelector('.sign-in form') !== null");
        self.browser
            .type_into(".sign-in [name=username]", &self.user.email);
        self.browser.type_into(".sign-in [name=password]", password);
        self.browser.press(".sign-in button[type=submit]");
    }

    /// Follows an address within the client.
    pub(super) fn go(&self, hash: &str) {
        self.browser
            .run("location.hash = arguments[0]", &[json!(hash)]);
    }

    /// Waits until an expression holds; it does not while an element that it reads is missing.
    #[track_caller]
    pub(super) fn wait_for(&self, expression: &str) {
        let script = format!(
            "try {{ return Boolean({expression}) }} catch (error) {{ return String(error) }}"
        );
        self.browser.wait_for(&script, "true");
    }

    /// Waits until a message of this text is on the screen, sent and not only written.
    #[track_caller]
    pub(super) fn wait_for_message(&self, text: &str) {
        let all = "[...document.querySelectorAll('.message:not(.echo) .rendered')]";
        self.wait_for(&format!(
            "{all}.some((one) => one.textContent.trim() === {})",
            json!(text)
        ));
    }

    /// Waits until something holds on the server.
    #[track_caller]
    pub(super) fn eventually(&self, holds: impl Fn(&Seat) -> bool) {
        until("what is to hold on the server", || {
            holds(self).then_some(())
        });
    }

    /// Waits until the browser has drawn the page, including elements that scripts add in response.
    #[track_caller]
    pub(super) fn is_drawn(&self) {
        let later = "window.drawn = false;
            requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; }))";
        self.browser.run(later, &[]);
        self.wait_for("window.drawn");
    }

    pub(super) fn ask(&self, expression: &str) -> Value {
        self.browser.run(&format!("return {expression}"), &[])
    }

    /// The address of a topic of the channel.
    pub(super) fn topic(&self, topic: &str) -> String {
        format!("#narrow/channel/{}/topic/{topic}", self.channel.id())
    }

    /// A user sends a message to the channel.
    pub(super) fn said(&self, sender: &User, topic: &str, content: &str) -> i64 {
        let channel = self.channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", topic),
            ("content", content),
        ];
        let sent = sender.post("/messages", &pairs).ok();
        sent["id"].as_i64().expect("an id")
    }

    /// Presses the entry of this name in the menu of a message.
    pub(super) fn choose(&self, message: i64, entry: &str) {
        let press = "document.querySelector(`[data-id=\"${arguments[0]}\"] .tools button:last-child`).click()";
        self.browser.run(press, &[json!(message)]);
        self.wait_for("document.querySelector('.menu') !== null");
        let press = "[...document.querySelectorAll('.menu button')]
             .find((one) => one.textContent.trim() === arguments[0]).click()";
        self.browser.run(press, &[json!(entry)]);
    }

    /// Presses the button of this text within what a selector finds.
    #[track_caller]
    pub(super) fn press_text(&self, within: &str, text: &str) {
        let all = json!(format!("{within} button"));
        let found = format!(
            "[...document.querySelectorAll({all})].find((one) => one.textContent.trim() === {})",
            json!(text)
        );
        self.wait_for(&found);
        self.browser.run(&format!("{found}.click()"), &[]);
    }

    /// Writes into the field, and sends it.
    pub(super) fn write(&self, text: &str) {
        self.wait_for("document.querySelector('.compose textarea') !== null");
        self.browser.type_into(".compose textarea", text);
        self.browser.press(".compose button[type=submit]");
    }

    /// Nothing was complained about until now.
    #[track_caller]
    pub(super) fn is_content(&self) {
        assert_eq!(self.browser.complaints(), Vec::<String>::new());
    }

    /// What must hold of a view on a desk and on a phone, in daylight and in the dark.
    #[track_caller]
    pub(super) fn check_look(&self, view: &str) {
        for look in [DESK, PHONE, Look::new(1280, 900, true)] {
            self.browser.resize(look);
            let width = self.ask("document.documentElement.scrollWidth");
            assert_eq!(width, json!(look.width), "{view}, {look:?}: too wide");
            let faint = self.browser.run(include_str!("../contrast.js"), &[]);
            assert_eq!(faint, json!([]), "{view}, {look:?}: too little contrast");
            self.browser.keep_picture(&format!("web-{view}"), look);
        }
        self.browser.resize(DESK);
        self.is_content();
        self.check_access(view);
    }

    /// axe-core finds nothing that would keep people out. `scripts/check-web-client` installs it.
    #[track_caller]
    fn check_access(&self, view: &str) {
        let file = repository().join("components/page/node_modules/axe-core/axe.min.js");
        let Ok(axe) = std::fs::read_to_string(file) else {
            spindle_tests::skip("axe-core: run scripts/check-web-client");
            return;
        };
        self.browser.run(&axe, &[]);
        let found = "return axe
             .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
             .then(({ violations }) => violations.map(({ id, nodes }) =>
                 `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(' ')}`))";
        assert_eq!(self.browser.run(found, &[]), json!([]), "{view}");
    }
}
