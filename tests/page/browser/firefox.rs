//! Firefox over Marionette, its own protocol for WebDriver, which Debian has no separate driver for.
//!
//! Knows how commands are called there; the parent module says what they mean. What WebDriver does not have is
//! done by scripts with the rights of the browser itself.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::until_within;

use super::{Engine, Look, downloads, find};

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);
/// Where Firefox notes the port that it has chosen, below the profile.
const PORT: &str = "MarionetteActivePort";
/// Nothing but the page may use the network or ask a question; passkeys are kept by a virtual device; motion is reduced and
/// scrollbars take no room, as in Chromium.
const PREFERENCES: &str = r#"user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("browser.formfill.enable", false);
user_pref("signon.rememberSignons", false);
user_pref("browser.download.folderList", 2);
user_pref("browser.download.alwaysOpenPanel", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("security.webauth.webauthn_enable_softtoken", true);
user_pref("security.webauth.webauthn_enable_usbtoken", false);
user_pref("ui.prefersReducedMotion", 1);
user_pref("ui.useOverlayScrollbars", 1);
"#;

/// The size of the page and the colour scheme. A window has a least width, the page in it has none.
const RESIZE: &str = "const [width, height, isDark] = arguments;
     Services.prefs.setIntPref('ui.systemUsesDarkTheme', isDark ? 1 : 0);
     Object.assign(gBrowser.selectedBrowser.style, {
         minWidth: `${width}px`, maxWidth: `${width}px`, minHeight: `${height}px`, maxHeight: `${height}px`,
     })";

/// Errors of scripts and violations of the policy in pages of the server since the last call. A reload ends requests of the
/// page before it, which Firefox counts as an error of the service worker that answers them.
const COMPLAINTS: &str = "const errors = Services.console.getMessageArray().filter((one) =>
         one instanceof Ci.nsIScriptError && !(one.flags & Ci.nsIScriptError.warningFlag)
         && one.sourceName.startsWith('http://127.0.0.1:')
         && !one.errorMessage.startsWith('Service Worker Interception'));
     Services.console.reset();
     return errors.map((one) => `${one.category}: ${one.errorMessage}, ${one.sourceName}:${one.lineNumber}`)";

/// Without a network no request is sent. By default, Firefox would keep its connections to the same machine.
const BE_ONLINE: &str = "const [isOnline] = arguments;
     Services.io.offline = !isOnline;
     window.cut ??= (channel) => channel.QueryInterface(Ci.nsIChannel).cancel(Cr.NS_ERROR_OFFLINE);
     if (isOnline) Services.obs.removeObserver(window.cut, 'http-on-modify-request');
     else Services.obs.addObserver(window.cut, 'http-on-modify-request')";

/// Answers take seconds to begin, and some kilobytes a second go either way, until this is called again.
const BE_SLOW: &str = "const [isSlow, delay, rate] = arguments;
     for (const [topic, observer] of window.slowness ?? []) Services.obs.removeObserver(observer, topic);
     window.slowness = [];
     window.throttle?.destroy();
     if (!isSlow) return;
     const { NetworkThrottleManager } = ChromeUtils.importESModule(
         'resource://devtools/shared/network-observer/NetworkThrottleManager.sys.mjs');
     const throttle = new NetworkThrottleManager({
         latencyMean: delay, latencyMax: delay,
         downloadBPSMean: rate, downloadBPSMax: rate, uploadBPSMean: rate, uploadBPSMax: rate,
     });
     const observers = {
         'http-on-modify-request': (channel) => throttle.manageUpload(channel),
         'http-on-examine-response': (channel) => throttle.manage(channel.QueryInterface(Ci.nsITraceableChannel)),
     };
     window.throttle = throttle;
     window.slowness = Object.entries(observers);
     for (const [topic, observer] of window.slowness) Services.obs.addObserver(observer, topic)";

/// Runs a script in each window of a page before those of the page. The policy of the page does not apply to it.
const AT_START: &str = "const [source] = arguments;
     const inEachPage = (source) => addEventListener('DOMWindowCreated', ({ target: { defaultView: page } }) => {
         const sandbox = Cu.Sandbox(page, { sandboxPrototype: page, wantXrays: false });
         // Names such as Date are those of the page, not those of the sandbox.
         Cu.evalInSandbox(`with (window) {${source}}`, sandbox);
     });
     const script = `(${inEachPage})(${JSON.stringify(source)})`;
     window.messageManager.loadFrameScript(`data:,${encodeURIComponent(script)}`, true)";

/// A running Firefox; it ends with this value.
pub(super) struct Firefox {
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
    /// Starts it with a profile folder of its own; `None` where it is not installed; the test is then reported as skipped.
    pub(super) fn start(profile: &Path) -> Option<Self> {
        let Some(program) = find(&["firefox-esr", "firefox"]) else {
            spindle_tests::skip("Firefox: run scripts/install-browser --firefox");
            return None;
        };
        let folder = json!(downloads(profile));
        let preferences = format!("{PREFERENCES}user_pref(\"browser.download.dir\", {folder});\n");
        std::fs::write(profile.join("user.js"), preferences).expect("preferences");
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
        // Larger than each page that a test looks at.
        let window = json!({ "x": 0, "y": 0, "width": 1400, "height": 1200 });
        firefox.call("WebDriver:SetWindowRect", &window);
        Some(firefox)
    }

    /// Calls a command; errors of the page fail the test.
    #[track_caller]
    fn call(&self, command: &str, parameters: &Value) -> Value {
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

    /// Runs a script with the rights of the browser.
    #[track_caller]
    fn run_as_browser(&self, script: &str, arguments: &Value) -> Value {
        self.call("Marionette:SetContext", &json!({ "value": "chrome" }));
        let result = self.run(script, arguments);
        self.call("Marionette:SetContext", &json!({ "value": "content" }));
        result
    }

    fn run(&self, script: &str, arguments: &Value) -> Value {
        let call = json!({ "script": script, "args": arguments });
        self.call("WebDriver:ExecuteScript", &call)["value"].take()
    }

    /// The command of this name would not ask a service worker.
    #[track_caller]
    fn reload(&self) -> Value {
        self.run("window.isOld = true; location.reload()", &json!([]));
        let is_there = "return window.isOld === undefined && document.readyState === 'complete'";
        self.wait_for(is_there, &json!([]));
        Value::Null
    }

    #[track_caller]
    fn wait_for(&self, script: &str, arguments: &Value) {
        let holds = || (self.run(script, arguments) == json!(true)).then_some(());
        until_within(PATIENCE, PAUSE, &format!("{script} {arguments}"), holds);
    }
}

impl Engine for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    #[track_caller]
    fn command(&self, path: &str, body: &Value) -> Value {
        let parts: Vec<&str> = path.split('/').collect();
        let of = |element: &str| json!({ "id": element });
        let mut answer = match parts[..] {
            ["url"] => self.call("WebDriver:Navigate", body),
            ["refresh"] => return self.reload(),
            ["execute", "sync"] => {
                return self.run(body["script"].as_str().unwrap_or(""), &body["args"]);
            }
            ["element"] => self.call("WebDriver:FindElement", body),
            ["element", element, "click"] => self.call("WebDriver:ElementClick", &of(element)),
            ["element", element, "clear"] => self.call("WebDriver:ElementClear", &of(element)),
            ["element", element, "value"] => {
                let keys = json!({ "id": element, "text": body["text"] });
                self.call("WebDriver:ElementSendKeys", &keys)
            }
            ["actions"] => {
                // A Tab at the end of the page has moved the focus to the browser's own controls.
                self.run_as_browser("gBrowser.selectedBrowser.focus()", &json!([]));
                self.call("WebDriver:PerformActions", body)
            }
            ["webauthn", "authenticator"] => self.call("WebAuthn:AddVirtualAuthenticator", body),
            _ => panic!("{path} is not for Firefox"),
        };
        answer["value"].take()
    }

    fn text(&self, element: &str) -> Value {
        self.call("WebDriver:GetElementText", &json!({ "id": element }))["value"].take()
    }

    fn resize(&self, look: Look) {
        let wanted = json!([look.width, look.height, look.dark]);
        self.run_as_browser(RESIZE, &wanted);
        let is_drawn = "const [width, height, isDark] = arguments;
             return innerWidth === width && innerHeight === height
                 && matchMedia('(prefers-color-scheme: dark)').matches === isDark";
        self.wait_for(is_drawn, &wanted);
    }

    fn switch_scripts_off(&self) {
        let script = "Services.prefs.setBoolPref('javascript.enabled', false)";
        self.run_as_browser(script, &json!([]));
    }

    fn complaints(&self) -> Vec<String> {
        let errors = self.run_as_browser(COMPLAINTS, &json!([]));
        serde_json::from_value(errors).expect("texts")
    }

    fn picture(&self) -> Value {
        self.call("WebDriver:TakeScreenshot", &json!({ "full": true }))["value"].take()
    }

    fn be_online(&self, is_online: bool) {
        self.run_as_browser(BE_ONLINE, &json!([is_online]));
    }

    fn be_slow(&self, is_slow: bool) {
        self.run_as_browser(BE_SLOW, &json!([is_slow, 800, 20_000]));
    }

    fn at_start(&self, script: &str) {
        self.run_as_browser(AT_START, &json!([script]));
    }
}

/// The port, once Firefox listens.
fn port(profile: &Path) -> u16 {
    let file = profile.join(PORT);
    until_within(Duration::from_secs(60), PAUSE, "Firefox listens", || {
        let noted = std::fs::read_to_string(&file).unwrap_or_default();
        noted.trim().parse().ok()
    })
}
