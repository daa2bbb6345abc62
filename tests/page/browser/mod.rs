//! Chromium or Firefox: one browser per test, with no network except the server.
//!
//! Knows the commands of WebDriver and nothing of the page. What the browser complains about (errors of
//! scripts, violations of the policy) is collected for the test to check.

mod chromium;
mod firefox;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use spindle_tests::server::repository;

use chromium::Chromium;
use firefox::Firefox;

/// How a page is displayed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
}

impl Look {
    pub(crate) const fn new(width: u32, height: u32, dark: bool) -> Self {
        Self {
            width,
            height,
            dark,
        }
    }
}

/// What a browser does in a way of its own.
trait Engine: Sync {
    fn name(&self) -> &'static str;
    /// A WebDriver command of the session, by its path.
    fn command(&self, path: &str, body: &Value) -> Value;
    /// The visible text of an element.
    fn text(&self, element: &str) -> Value;
    fn resize(&self, look: Look);
    fn switch_scripts_off(&self);
    fn complaints(&self) -> Vec<String>;
    /// The whole page as PNG, in base64.
    fn picture(&self) -> Value;
    fn be_online(&self, is_online: bool);
    fn be_slow(&self, is_slow: bool);
    fn at_start(&self, script: &str);
}

/// A browser; it ends with this value.
pub(crate) struct Browser {
    name: &'static str,
    engine: Box<dyn Engine>,
    profile: tempfile::TempDir,
}

/// The folder of downloads of a profile.
fn downloads(profile: &Path) -> PathBuf {
    profile.join("downloads")
}

/// The first of these programs that is installed.
fn find(names: &[&str]) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let places = path
        .split(':')
        .flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}")));
    places.into_iter().find(|place| Path::new(place).is_file())
}

impl Browser {
    /// A browser with an empty profile: Firefox where `SPINDLE_TEST_BROWSER` says so, Chromium otherwise.
    /// `None` where it is not installed; the test is then reported as skipped.
    pub(crate) fn start(name: &'static str) -> Option<Self> {
        if std::env::var("SPINDLE_TEST_BROWSER").is_ok_and(|browser| browser == "firefox") {
            return Self::firefox(name);
        }
        Self::with(name, Chromium::start)
    }

    /// A Firefox with an empty profile; `None` as for [`Browser::start`].
    pub(crate) fn firefox(name: &'static str) -> Option<Self> {
        Self::with(name, Firefox::start)
    }

    fn with<E: Engine + 'static>(
        name: &'static str,
        start: impl FnOnce(&Path) -> Option<E>,
    ) -> Option<Self> {
        let profile = tempfile::tempdir().expect("profile");
        let engine = Box::new(start(profile.path())?);
        Some(Self {
            name,
            engine,
            profile,
        })
    }

    /// The test's name, for the names of screenshots.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Opens a page and waits until it is loaded.
    pub(crate) fn open(&self, url: &str, look: Look) {
        self.resize(look);
        self.command("url", &json!({ "url": url }));
    }

    /// Reloads the page and waits until it is loaded.
    pub(crate) fn reload(&self) {
        self.command("refresh", &json!({}));
    }

    /// Sets the size of the screen and the colour scheme.
    pub(crate) fn resize(&self, look: Look) {
        self.engine.resize(look);
    }

    /// Pages opened from now on run no scripts of their own.
    pub(crate) fn switch_scripts_off(&self) {
        self.engine.switch_scripts_off();
    }

    /// Runs the body of a function in the page.
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.command(
            "execute/sync",
            &json!({ "script": script, "args": arguments }),
        )
    }

    /// Waits until a script returns this text.
    #[track_caller]
    pub(crate) fn wait_for(&self, script: &str, expected: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let found = match self.run(script, &[]) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            if found == expected {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{script}: {found:?}, not {expected:?}; {:?}",
                self.complaints()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The visible text of an element.
    pub(crate) fn text(&self, selector: &str) -> String {
        let element = self.find(selector);
        let text = self.engine.text(&element);
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Replaces the content of a field by typing.
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command(&format!("element/{element}/clear"), &json!({}));
        self.command(
            &format!("element/{element}/value"),
            &json!({ "text": text }),
        );
    }

    /// Clicks an element.
    pub(crate) fn press(&self, selector: &str) {
        let element = self.find(selector);
        self.command(&format!("element/{element}/click"), &json!({}));
    }

    /// Waits for a file that the page offers, and reads it.
    #[track_caller]
    pub(crate) fn downloaded(&self, name: &str) -> String {
        let file = downloads(self.profile.path()).join(name);
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            match std::fs::read_to_string(&file) {
                Ok(text) if !text.is_empty() => return text,
                _ => assert!(Instant::now() < deadline, "{name}: {:?}", self.complaints()),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types into the focused element; special keys by WebDriver's code points.
    pub(crate) fn keys(&self, text: &str) {
        let strokes: Vec<Value> = text
            .chars()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        let keyboard =
            json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": strokes }] });
        self.command("actions", &keyboard);
    }

    /// Presses a key while Ctrl is held.
    pub(crate) fn with_ctrl(&self, key: char) {
        const CTRL: char = '\u{e009}';
        let strokes = [
            ("keyDown", CTRL),
            ("keyDown", key),
            ("keyUp", key),
            ("keyUp", CTRL),
        ]
        .map(|(kind, value)| json!({ "type": kind, "value": value }));
        let keyboard =
            json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": strokes }] });
        self.command("actions", &keyboard);
    }

    /// Errors of scripts and violations of the policy since the last call; from Chromium warnings, too.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.engine.complaints()
    }

    /// Keeps a picture of the page in `target/page-pictures`, in a folder for each browser.
    pub(crate) fn keep_picture(&self, name: &str, look: Look) {
        let folder = repository().join("target/page-pictures");
        let folder = folder.join(self.engine.name());
        std::fs::create_dir_all(&folder).expect("a folder");
        let shade = if look.dark { "dark" } else { "light" };
        let file = format!("{name}-{}x{}-{shade}.png", look.width, look.height);
        std::fs::write(folder.join(file), self.picture()).expect("a picture");
    }

    /// The whole page as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let picture = self.engine.picture();
        let engine = base64::engine::general_purpose::STANDARD;
        let picture = picture.as_str().expect("a picture");
        engine.decode(picture).expect("base64")
    }

    fn find(&self, selector: &str) -> String {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.command("element", &wanted);
        let references = found.as_object().expect("an element");
        let reference = references.values().next().and_then(Value::as_str);
        reference.expect("a reference").to_owned()
    }

    /// Gives the browser a device that keeps passkeys, and whose person agrees to everything.
    pub(crate) fn add_authenticator(&self) {
        let device = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserConsenting": true, "isUserVerified": true,
        });
        self.command("webauthn/authenticator", &device);
    }

    /// Whether the page has a network.
    pub(crate) fn be_online(&self, is_online: bool) {
        self.engine.be_online(is_online);
    }

    /// Whether the network is slow: seconds for an answer, some kilobytes a second.
    pub(crate) fn be_slow(&self, is_slow: bool) {
        self.engine.be_slow(is_slow);
    }

    /// Runs a script in each page that is opened from now on, before those of the page.
    pub(crate) fn at_start(&self, script: &str) {
        self.engine.at_start(script);
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.engine.command(path, body)
    }
}
