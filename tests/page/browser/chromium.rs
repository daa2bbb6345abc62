//! Chromium over WebDriver, with its own protocol for what WebDriver does not have.
//!
//! Knows how commands are called there; the parent module says what they mean.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Engine, Look, downloads, find};

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

/// A driver with its browser; both end with this value.
pub(super) struct Chromium {
    driver: Child,
    agent: ureq::Agent,
    /// Address of the session.
    session: String,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Chromium {
    /// Starts it with a profile folder of its own; `None` where it is not installed; the test is then reported as skipped.
    pub(super) fn start(profile: &Path) -> Option<Self> {
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
        let data = format!("--user-data-dir={}", profile.display());
        let mut arguments: Vec<&str> = ARGUMENTS.to_vec();
        arguments.push(&data);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": {
                "binary": chromium, "args": arguments,
                "prefs": { "download.default_directory": downloads(profile) },
            },
        } } });
        let root = format!("http://127.0.0.1:{port}/session");
        let made = value("session", post(&agent, &root, &wanted));
        let id = made["sessionId"].as_str().expect("a session");
        Some(Self {
            driver,
            agent,
            session: format!("{root}/{id}"),
        })
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.command(
            "goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        )
    }

    fn condition(&self, conditions: &Value) {
        self.devtools("Network.enable", &json!({}));
        self.devtools("Network.emulateNetworkConditions", conditions);
    }
}

impl Engine for Chromium {
    fn name(&self) -> &'static str {
        "chromium"
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        let address = format!("{}/{path}", self.session);
        value(path, post(&self.agent, &address, body))
    }

    fn text(&self, element: &str) -> Value {
        let path = format!("element/{element}/text");
        let address = format!("{}/{path}", self.session);
        value(&path, self.agent.get(address).call())
    }

    fn resize(&self, look: Look) {
        let Look {
            width,
            height,
            dark,
        } = look;
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

    fn switch_scripts_off(&self) {
        self.devtools(
            "Emulation.setScriptExecutionDisabled",
            &json!({ "value": true }),
        );
    }

    /// A refused sign-in is an error for Chromium but not for the tests.
    fn complaints(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let texts = entries.iter().map(|entry| entry["message"].to_string());
        texts
            .filter(|text| !text.contains("the server responded with a status of 40"))
            .collect()
    }

    fn picture(&self) -> Value {
        let is_right_to_left = json!({ "script": "return getComputedStyle(document.documentElement).direction === 'rtl'", "args": [] });
        if self.command("execute/sync", &is_right_to_left) == json!(true) {
            // What lies beyond the viewport moves the origin of such a page.
            return self.devtools("Page.captureScreenshot", &json!({ "format": "png" }))["data"]
                .take();
        }
        let size = "scrollTo(0, 0);
             const { scrollWidth: width, scrollHeight: height } = document.documentElement;
             return { x: 0, y: 0, width, height, scale: 1 }";
        let clip = self.command("execute/sync", &json!({ "script": size, "args": [] }));
        let options = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        self.devtools("Page.captureScreenshot", &options)["data"].take()
    }

    fn be_online(&self, is_online: bool) {
        self.condition(&json!({
            "offline": !is_online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        }));
    }

    fn be_slow(&self, is_slow: bool) {
        let (latency, rate) = if is_slow { (800, 20_000) } else { (0, -1) };
        self.condition(&json!({
            "offline": false, "latency": latency, "downloadThroughput": rate, "uploadThroughput": rate,
        }));
    }

    fn at_start(&self, script: &str) {
        let source = json!({ "source": script });
        self.devtools("Page.enable", &json!({}));
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &source);
    }
}

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

/// The port that the driver prints; `None` when it ends without one.
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
