//! Chromium over WebDriver, and Firefox: one browser per test, with no network except the server.
//!
//! Knows the protocol and nothing of the page. Complaints of Chromium (errors of scripts,
//! violations of the policy) are collected for the test to check; Firefox reports none.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::firefox::Firefox;

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

/// A browser and its driver; both end with this value.
pub(crate) struct Browser {
    name: &'static str,
    engine: Engine,
    profile: tempfile::TempDir,
}

enum Engine {
    Chromium {
        driver: Child,
        agent: ureq::Agent,
        /// Address of the session.
        session: String,
    },
    Firefox(Firefox),
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Self::Chromium {
            driver,
            agent,
            session,
        } = self
        {
            let _ = agent.delete(&*session).call();
            let _ = driver.kill();
            let _ = driver.wait();
        }
    }
}

/// The first of these programs that is installed.
fn find(names: &[&str]) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let places = path
        .split(':')
        .flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}")));
    places
        .into_iter()
        .find(|place| std::path::Path::new(place).is_file())
}

impl Browser {
    /// A browser with an empty profile; `None`, and a note, where there is none to start.
    pub(crate) fn start(name: &'static str) -> Option<Self> {
        let programs = (find(&["chromium"]), find(&["chromedriver"]));
        let (Some(chromium), Some(chromedriver)) = programs else {
            spindle_tests::skip("a browser: run scripts/install-browser");
            return None;
        };
        let (driver, port) = start_driver(&chromedriver);
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        let agent: ureq::Agent = config.into();
        let profile = tempfile::tempdir().expect("profile");
        let data = format!("--user-data-dir={}", profile.path().display());
        let mut arguments: Vec<&str> = ARGUMENTS.to_vec();
        arguments.push(&data);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": {
                "binary": chromium, "args": arguments,
                "prefs": { "download.default_directory": profile.path().join(DOWNLOADS) },
            },
        } } });
        let root = format!("http://127.0.0.1:{port}/session");
        let made = value("session", post(&agent, &root, &wanted));
        let id = made["sessionId"].as_str().expect("a session");
        Some(Self {
            name,
            engine: Engine::Chromium {
                driver,
                agent,
                session: format!("{root}/{id}"),
            },
            profile,
        })
    }

    /// A Firefox with an empty profile; `None`, and a note, where there is none to start.
    pub(crate) fn firefox(name: &'static str) -> Option<Self> {
        let Some(program) = find(&["firefox-esr", "firefox"]) else {
            spindle_tests::skip("Firefox: run scripts/install-browser");
            return None;
        };
        let profile = tempfile::tempdir().expect("profile");
        let engine = Engine::Firefox(Firefox::start(&program, profile.path()));
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

    /// Sets the size of the screen and the colour scheme.
    pub(crate) fn resize(&self, look: Look) {
        let Look {
            width,
            height,
            dark,
        } = look;
        if let Engine::Firefox(firefox) = &self.engine {
            return firefox.resize(width, height, dark);
        }
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &screen);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.devtools("Emulation.setEmulatedMedia", &media);
    }

    /// Pages opened from now on run no scripts of their own.
    pub(crate) fn switch_scripts_off(&self) {
        self.devtools(
            "Emulation.setScriptExecutionDisabled",
            &json!({ "value": true }),
        );
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
        let text = self.ask(&format!("element/{element}/text"));
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
        let file = self.profile.path().join(DOWNLOADS).join(name);
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

    /// Warnings and errors since the last call. A refused sign-in is an error for Chromium but not
    /// for the tests.
    pub(crate) fn complaints(&self) -> Vec<String> {
        if matches!(self.engine, Engine::Firefox(_)) {
            return Vec::new();
        }
        let entries = self.command("se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let texts = entries.iter().map(|entry| entry["message"].to_string());
        texts
            .filter(|text| !text.contains("the server responded with a status of 40"))
            .collect()
    }

    /// The whole page as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let engine = base64::engine::general_purpose::STANDARD;
        if let Engine::Firefox(firefox) = &self.engine {
            return engine.decode(firefox.picture()).expect("base64");
        }
        let is_right_to_left =
            "return getComputedStyle(document.documentElement).direction === 'rtl'";
        if self.run(is_right_to_left, &[]) == json!(true) {
            // What lies beyond the viewport moves the origin of such a page.
            let taken = self.devtools("Page.captureScreenshot", &json!({ "format": "png" }));
            let data = taken["data"].as_str().expect("a picture");
            return engine.decode(data).expect("base64");
        }
        let size = "scrollTo(0, 0);
             const { scrollWidth: width, scrollHeight: height } = document.documentElement;
             return { x: 0, y: 0, width, height, scale: 1 }";
        let clip = self.run(size, &[]);
        let options = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let taken = self.devtools("Page.captureScreenshot", &options);
        let data = taken["data"].as_str().expect("a picture");
        engine.decode(data).expect("base64")
    }

    fn find(&self, selector: &str) -> String {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.command("element", &wanted);
        let references = found.as_object().expect("an element");
        let reference = references.values().next().and_then(Value::as_str);
        reference.expect("a reference").to_owned()
    }

    /// Whether the page has a network.
    pub(crate) fn be_online(&self, is_online: bool) {
        let conditions = json!({
            "offline": !is_online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.devtools("Network.enable", &json!({}));
        self.devtools("Network.emulateNetworkConditions", &conditions);
    }

    /// Whether the network is slow: seconds for an answer, some kilobytes a second.
    pub(crate) fn be_slow(&self, is_slow: bool) {
        let (latency, rate) = if is_slow { (800, 20_000) } else { (0, -1) };
        let conditions = json!({
            "offline": false, "latency": latency, "downloadThroughput": rate, "uploadThroughput": rate,
        });
        self.devtools("Network.enable", &json!({}));
        self.devtools("Network.emulateNetworkConditions", &conditions);
    }

    /// Runs a script in each page that is opened from now on, before those of the page.
    pub(crate) fn at_start(&self, script: &str) {
        let source = json!({ "source": script });
        self.devtools("Page.enable", &json!({}));
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &source);
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.command(
            "goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        )
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        match &self.engine {
            Engine::Firefox(firefox) => firefox.command(path, body),
            Engine::Chromium { agent, session, .. } => {
                value(path, post(agent, &format!("{session}/{path}"), body))
            }
        }
    }

    fn ask(&self, path: &str) -> Value {
        match &self.engine {
            Engine::Firefox(firefox) => firefox.command(path, &json!({})),
            Engine::Chromium { agent, session, .. } => {
                value(path, agent.get(format!("{session}/{path}")).call())
            }
        }
    }
}

/// The folder of downloads, below the profile.
const DOWNLOADS: &str = "downloads";

type Answer = Result<http::Response<ureq::Body>, ureq::Error>;

fn post(agent: &ureq::Agent, url: &str, body: &Value) -> Answer {
    let request = agent.post(url).header("Content-Type", "application/json");
    request.send(body.to_string())
}

fn value(path: &str, answer: Answer) -> Value {
    let mut answer = answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    let bytes = answer
        .body_mut()
        .with_config()
        .limit(64 << 20)
        .read_to_vec()
        .expect("an answer");
    let mut body: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(answer.status(), 200, "{path}: {body}");
    body["value"].take()
}

/// Chromium's own services may not use the network, and the sandbox needs rights that containers
/// lack.
const ARGUMENTS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--lang=en",
];

/// Starts the driver on a free port. It takes a port that is free for IPv4, and ends when the same port is
/// used for IPv6; then it is started again.
fn start_driver(program: &str) -> (Child, u16) {
    for _ in 0..5 {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        if let Some(port) = port(&mut driver) {
            return (driver, port);
        }
        driver.wait().expect("chromedriver has ended");
    }
    panic!("chromedriver prints its port");
}

/// The port that the driver prints; none when it ends without one.
fn port(driver: &mut Child) -> Option<u16> {
    let output = BufReader::new(driver.stdout.take().expect("output"));
    let mut lines = output.lines();
    loop {
        let line = lines.next()?.expect("text");
        if let Some((_, port)) = line.rsplit_once("started successfully on port ") {
            // Its further output must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
            return Some(port.trim_end_matches('.').parse().expect("a port"));
        }
    }
}
