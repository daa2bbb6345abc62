//! Chromium over WebDriver, for what a person waits for.
//!
//! Owns the browser, its driver and its profile; dropping the value ends them. Knows nothing of the page it opens.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// Chromium's own services may not use the network, and the sandbox needs rights that containers lack.
const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--lang=en",
];

/// A browser with an empty profile.
pub struct Browser {
    driver: Child,
    agent: ureq::Agent,
    session: String,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    /// Starts the browser; `None` where it is not installed.
    pub fn start() -> Result<Option<Self>> {
        let Ok(mut driver) = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
        else {
            return Ok(None);
        };
        let mut lines = BufReader::new(driver.stdout.take().context("output")?).lines();
        let port = loop {
            let line = lines.next().context("chromedriver prints its port")??;
            if let Some((_, port)) = line.rsplit_once("started successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        // Its further output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(300)))
            .build();
        let agent: ureq::Agent = config.into();
        let profile = tempfile::tempdir()?;
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "timeouts": { "script": 240_000 },
        } } });
        let root = format!("http://127.0.0.1:{port}/session");
        let made = post(&agent, &root, &wanted)?;
        let id = made["sessionId"].as_str().context("a session")?;
        Ok(Some(Self {
            driver,
            session: format!("{root}/{id}"),
            agent,
            _profile: profile,
        }))
    }

    /// Opens a page and waits until it is loaded.
    pub fn open(&self, url: &str) -> Result<()> {
        self.command("url", &json!({ "url": url })).map(drop)
    }

    /// Runs the body of a function in the page; a promise is waited for.
    pub fn run(&self, script: &str, arguments: &[Value]) -> Result<Value> {
        self.command(
            "execute/sync",
            &json!({ "script": script, "args": arguments }),
        )
    }

    /// Waits until an expression holds.
    pub fn wait_for(&self, expression: &str) -> Result<()> {
        let script = format!(
            "return new Promise((resolve) => {{
                 const look = () => {{ try {{ if ({expression}) return resolve(true) }} catch {{}} setTimeout(look, 20) }};
                 look();
             }})"
        );
        self.run(&script, &[]).map(drop)
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        let call = json!({ "cmd": command, "params": parameters });
        self.command("goog/cdp/execute", &call)
    }

    fn command(&self, path: &str, body: &Value) -> Result<Value> {
        post(&self.agent, &format!("{}/{path}", self.session), body)
    }
}

fn post(agent: &ureq::Agent, url: &str, body: &Value) -> Result<Value> {
    let request = agent.post(url).header("Content-Type", "application/json");
    let mut answer = request.send(body.to_string())?;
    let text = answer.body_mut().read_to_string()?;
    let mut read: Value = serde_json::from_str(&text)?;
    ensure!(answer.status() == 200, "{url}: {read}");
    Ok(read["value"].take())
}
