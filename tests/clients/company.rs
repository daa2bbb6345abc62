//! Signing in by a real provider of OpenID Connect, oidc-provider, with a browser that follows its redirects
//! (docs/AUTHENTICATION.md).

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use spindle_tests::server::repository;
use spindle_tests::{Call, Options, Reply, Server, free_port, until};

use crate::{Running, client_folder};

const LOGIN: &str = "/accounts/login/openid/company";
const FAILED: &str = "/#sign-in-failed/";

/// A server, and a provider that starts after it.
struct World {
    server: Server,
    provider: Option<Provider>,
    issuer: String,
    _folder: tempfile::TempDir,
}

struct Provider {
    lines: Receiver<String>,
    input: ChildStdin,
    _process: Running,
}

impl World {
    /// None where oidc-provider is not installed.
    fn start() -> Option<Self> {
        let package = client_folder("provider", "node_modules/oidc-provider")?;
        let folder = tempfile::tempdir().expect("folder");
        let port = free_port();
        let issuer = format!("http://127.0.0.1:{port}");
        let text = format!(
            "name = \"Company\"\nissuer = \"{issuer}\"\nclient_id = \"chat\"\n\
             client_secret = \"a secret, with: signs & spaces\"\nscopes = [\"email\", \"profile\", \"groups\"]\n\
             create = true\nsign_out = true\ngroups_claim = \"groups\"\nprivate_hosts = [\"127.0.0.1\"]\n\
             [roles]\nmoderators = \"moderator\"\n"
        );
        std::fs::write(folder.path().join("company.toml"), text).expect("file");
        let server = Server::own(Options {
            extra: vec![
                "--identity-providers".to_owned(),
                folder.path().display().to_string(),
            ],
            ..Options::default()
        });
        let mut world = Self {
            server,
            provider: None,
            issuer,
            _folder: folder,
        };
        // It is not there yet.
        let begun = world.open(LOGIN, "");
        assert_eq!(location(&begun), format!("{FAILED}unreachable"));
        let site = world.server.base_url();
        let mut process = Command::new("node")
            .arg(repository().join("tests/clients/provider.mjs"))
            .arg(package)
            .arg(port.to_string())
            .args([format!("{site}{LOGIN}/callback"), format!("{site}/")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node starts");
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().expect("stdout"));
        std::thread::spawn(move || {
            // The program also writes notices.
            let lines = output.lines().map_while(Result::ok);
            for line in lines.filter(|line| !line.starts_with("oidc-provider")) {
                let _ = sender.send(line);
            }
        });
        let provider = Provider {
            lines,
            input: process.stdin.take().expect("stdin"),
            _process: Running(process),
        };
        assert_eq!(provider.next_line(), "ready");
        world.provider = Some(provider);
        Some(world)
    }

    /// GET of a path with a cookie.
    fn open(&self, path: &str, cookie: &str) -> Reply {
        self.server.anonymous().fetch(path, &[("Cookie", cookie)])
    }

    /// Sends a browser to the provider: its cookie, and where it is sent.
    fn begin(&self) -> (String, String) {
        until("the provider can be used", || {
            let begun = self.open(LOGIN, "");
            let location = location(&begun);
            let cookie = begun.header("set-cookie")?.split(';').next()?.to_owned();
            (!location.starts_with(FAILED)).then_some((cookie, location))
        })
    }

    /// Where the browser of a person ends.
    fn sign_in(&mut self, person: &str) -> String {
        let (cookie, address) = self.begin();
        assert!(address.starts_with(&self.issuer), "{address}");
        let provider = self.provider.as_mut().expect("a provider");
        let back = provider.visit(&address, person);
        let path = back.strip_prefix(self.server.base_url());
        let path = path.unwrap_or_else(|| panic!("{back}"));
        location(&self.open(path, &cookie))
    }

    /// The person of a browser that has ended at the page.
    fn person_at(&self, place: &str) -> Value {
        let token = place.strip_prefix("/#sign-in/");
        let token = token.unwrap_or_else(|| panic!("{place}"));
        let call = Call::new("POST", "/sessions").form(&[("sign_in_token", token)]);
        let reply = self
            .server
            .anonymous()
            .send(call.header("Spindle-Client", "test"));
        let cookie = reply.header("set-cookie").expect("a cookie").to_owned();
        let cookie = cookie.split(';').next().expect("a pair");
        reply.ok();
        let call = Call::new("GET", "/users/me").header("Spindle-Client", "test");
        let me = self.server.anonymous().send(call.header("Cookie", cookie));
        me.ok().clone()
    }
}

impl Provider {
    #[track_caller]
    fn next_line(&self) -> String {
        let line = self.lines.recv_timeout(Duration::from_secs(30));
        line.expect("a line of the provider")
    }

    #[track_caller]
    fn visit(&mut self, address: &str, person: &str) -> String {
        writeln!(self.input, "{address} {person}").expect("node reads");
        self.next_line()
    }
}

#[track_caller]
fn location(reply: &Reply) -> String {
    assert_eq!(reply.status, 302, "{reply:?}");
    reply.header("location").expect("Location").to_owned()
}

#[test]
fn people_of_a_company_sign_in() {
    let Some(mut world) = World::start() else {
        return;
    };
    let place = world.sign_in("ann");
    let ann = world.person_at(&place);
    assert_eq!(ann["email"], "ann@example.org");
    assert_eq!(ann["full_name"], "ann of the company");
    assert_eq!(ann["role"], 400);
    // The same account again, by its subject.
    let place = world.sign_in("ann");
    assert_eq!(world.person_at(&place)["user_id"], ann["user_id"]);
    let place = world.sign_in("max+moderator");
    let moderator = world.person_at(&place);
    assert_eq!(moderator["role"], 300);
    assert_eq!(
        world.sign_in("eve+unverified"),
        format!("{FAILED}unverified")
    );
}

#[test]
fn a_code_works_once_and_in_the_browser_that_asked_for_it() {
    let Some(mut world) = World::start() else {
        return;
    };
    let (cookie, address) = world.begin();
    let provider = world.provider.as_mut().expect("a provider");
    let back = provider.visit(&address, "ann");
    let path = back.strip_prefix(world.server.base_url()).expect("a path");
    let (other, _) = world.begin();
    let stolen = location(&world.open(path, &other));
    assert!(stolen.starts_with(FAILED), "{stolen}");
    let place = location(&world.open(path, &cookie));
    assert!(place.starts_with("/#sign-in/"), "{place}");
    let again = location(&world.open(path, &cookie));
    assert_eq!(again, format!("{FAILED}failed"));
}

#[test]
fn signing_out_leads_to_the_provider() {
    let Some(world) = World::start() else {
        return;
    };
    world.begin();
    let target = location(&world.open(&format!("{LOGIN}/sign_out"), ""));
    assert!(target.starts_with(&world.issuer), "{target}");
    assert!(target.contains("client_id=chat"), "{target}");
}
