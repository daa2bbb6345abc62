//! Firefox over Marionette, its own protocol for WebDriver, which Debian has no separate driver for.
//!
//! Knows how a WebDriver command is called there; `browser.rs` says what the commands mean.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Where Firefox notes the port that it has chosen, below the profile.
const PORT: &str = "MarionetteActivePort";
/// Nothing but the page may use the network or ask a question; scripts may set the colour scheme.
const PREFERENCES: &str = r#"user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("ui.prefersReducedMotion", 1);
"#;

/// A running Firefox; it ends with this value.
pub(crate) struct Firefox {
    process: Child,
    stream: Mutex<BufReader<TcpStream>>,
    /// Of the last command.
    id: AtomicU64,
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Firefox {
    /// Starts it with a profile folder of its own.
    pub(crate) fn start(program: &str, profile: &Path) -> Self {
        std::fs::write(profile.join("user.js"), PREFERENCES).expect("preferences");
        let process = Command::new(program)
            .args(["--headless", "--marionette", "--no-remote"])
            .arg("--remote-allow-system-access")
            .arg("--profile")
            .arg(profile)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Firefox starts");
        let port = port(profile);
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("Marionette");
        let firefox = Self {
            process,
            stream: Mutex::new(BufReader::new(stream)),
            id: AtomicU64::new(0),
        };
        firefox.read();
        firefox.call("WebDriver:NewSession", &json!({}));
        firefox
    }

    /// Calls a command; errors of the page fail the test.
    #[track_caller]
    pub(crate) fn call(&self, command: &str, parameters: &Value) -> Value {
        let id = self.id.fetch_add(1, Ordering::Relaxed) + 1;
        let text = json!([0, id, command, parameters]).to_string();
        let packet = format!("{}:{text}", text.len());
        let mut stream = self.stream.lock().expect("one caller");
        let written = stream.get_mut().write_all(packet.as_bytes());
        written.expect("Marionette listens");
        drop(stream);
        let mut answer = self.read();
        assert_eq!(answer[2], Value::Null, "{command} {parameters}");
        answer[3].take()
    }

    /// A packet: its length, a colon, JSON.
    fn read(&self) -> Value {
        let mut stream = self.stream.lock().expect("one caller");
        let mut length = 0;
        let mut byte = [0];
        loop {
            stream.read_exact(&mut byte).expect("Marionette answers");
            match byte[0] {
                b':' => break,
                digit => length = length * 10 + usize::from(digit - b'0'),
            }
        }
        let mut packet = vec![0; length];
        stream.read_exact(&mut packet).expect("a packet");
        serde_json::from_slice(&packet).expect("JSON")
    }

    /// The size of the window's content, and the colour scheme.
    pub(crate) fn resize(&self, width: u32, height: u32, dark: bool) {
        self.call("Marionette:SetContext", &json!({ "value": "chrome" }));
        let script = "Services.prefs.setIntPref('ui.systemUsesDarkTheme', arguments[0])";
        self.run(script, &json!([i32::from(dark)]));
        self.call("Marionette:SetContext", &json!({ "value": "content" }));
        let window = json!({ "x": 0, "y": 0, "width": width, "height": height });
        self.call("WebDriver:SetWindowRect", &window);
    }

    fn run(&self, script: &str, arguments: &Value) -> Value {
        let call = json!({ "script": script, "args": arguments });
        self.call("WebDriver:ExecuteScript", &call)["value"].take()
    }

    /// The WebDriver command of a path below the session.
    #[track_caller]
    pub(crate) fn command(&self, path: &str, body: &Value) -> Value {
        let parts: Vec<&str> = path.split('/').collect();
        let of = |element: &str| json!({ "id": element });
        let mut answer = match parts[..] {
            ["url"] => self.call("WebDriver:Navigate", body),
            ["execute", "sync"] => {
                return self.run(body["script"].as_str().unwrap_or(""), &body["args"]);
            }
            ["element"] => self.call("WebDriver:FindElement", body),
            ["element", element, "click"] => self.call("WebDriver:ElementClick", &of(element)),
            ["element", element, "clear"] => self.call("WebDriver:ElementClear", &of(element)),
            ["element", element, "text"] => self.call("WebDriver:GetElementText", &of(element)),
            ["element", element, "value"] => {
                let keys = json!({ "id": element, "text": body["text"] });
                self.call("WebDriver:ElementSendKeys", &keys)
            }
            ["actions"] => self.call("WebDriver:PerformActions", body),
            _ => panic!("{path} is not for Firefox"),
        };
        answer["value"].take()
    }

    /// The window as PNG, in base64.
    pub(crate) fn picture(&self) -> String {
        let taken = self.call("WebDriver:TakeScreenshot", &json!({ "full": true }));
        taken["value"].as_str().expect("a picture").to_owned()
    }
}

/// The port, once Firefox listens.
fn port(profile: &Path) -> u16 {
    let file = profile.join(PORT);
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let noted = std::fs::read_to_string(&file).unwrap_or_default();
        if let Ok(port) = noted.trim().parse() {
            return port;
        }
        assert!(Instant::now() < deadline, "Firefox does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
}
