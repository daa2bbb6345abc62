//! A run under a real Spin, when `SPIN_BIN` names one; nothing is claimed where there is none.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use spindle_tests::Client;
use spindle_tests::server::{binary, repository};

/// Ends its process with itself.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `spin up` beside `spindle events`: settings are served, an account signs in, a message arrives.
#[test]
fn spin_up_serves_the_same_components() {
    let Some(spin) = std::env::var_os("SPIN_BIN") else {
        println!("not run: SPIN_BIN names no Spin");
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let database = folder.path().join("spindle.db");
    let configuration = folder.path().join("runtime-config.toml");
    let text = format!("[sqlite_database.default]\ntype = \"spin\"\npath = {database:?}\n");
    std::fs::write(&configuration, text).expect("configuration");
    let (public, service) = (free_port(), free_port());
    let token = spindle_tests::unique("token");
    let events = Command::new(binary())
        .current_dir(repository())
        .args(["events", "--database"])
        .arg(&database)
        .args(["--listen", &format!("127.0.0.1:{service}")])
        .env("SPINDLE_TOKEN", &token)
        .stdin(Stdio::null())
        .spawn()
        .expect("spindle events");
    let _events = Running(events);
    wait_for(service);
    let up = Command::new(spin)
        .current_dir(repository())
        .args([
            "up",
            "--from",
            "spin.toml",
            "--listen",
            &format!("127.0.0.1:{public}"),
        ])
        .arg("--runtime-config-file")
        .arg(&configuration)
        .args(["--variable", &format!("internal_token={token}")])
        .args([
            "--variable",
            &format!("events_url=http://127.0.0.1:{service}"),
        ])
        .stdin(Stdio::null())
        .spawn()
        .expect("spin up");
    let _up = Running(up);
    wait_for(public);
    let output = Command::new(binary())
        .args([
            "admin",
            "user",
            "create",
            "--email",
            "spin@example.com",
            "--full-name",
            "Spin",
        ])
        .args(["--role", "member", "--output", "json", "--database"])
        .arg(&database)
        .output()
        .expect("spindle admin");
    let made: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let key = made["api_key"].as_str().expect("api_key");
    let base = format!("http://127.0.0.1:{public}");
    let client = Client::new(&base, Some((made["email"].as_str().expect("email"), key)));
    client.get("/server_settings", &[]).ok();
    let mut queue = spindle_tests::Queue::of(&client, &["message"]);
    let to = format!("[{}]", made["user_id"]);
    client
        .post(
            "/messages",
            &[("type", "direct"), ("to", &to), ("content", "on Spin")],
        )
        .ok();
    queue.expect(|event| event["message"]["content"] == "on Spin");
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("address").port()
}

fn wait_for(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nothing listens on {port}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
