//! Company accounts (docs/protocol/identity.md): the way of a browser from the sign-in page over a provider to a session,
//! and who gets which account.

mod attempts;
mod idp;
mod of_others;
mod people;
mod recorded;
mod ways;

use std::fs;
use std::sync::OnceLock;

use serde_json::{Value, json};
use spindle_tests::{Call, Client, Options, Reply, Server};
use tempfile::TempDir;

use self::idp::Idp;

const LOGIN: &str = "/accounts/login/openid/kc";
const CALLBACK: &str = "/accounts/login/openid/kc/callback";
/// Where the page explains why there is no sign-in.
const FAILED: &str = "/#sign-in-failed/";

/// A server with two providers, which are the same program under two names.
struct World {
    server: Server,
    idp: Idp,
    _folder: TempDir,
}

impl World {
    /// A server with providers `kc` (creates accounts) and `strict` (only matches).
    fn start() -> Option<Self> {
        let idp = Idp::start()?;
        let folder = tempfile::tempdir().unwrap();
        let configure = |name: &str, further: &str| {
            let text = format!(
                "name = \"Company {name}\"\nissuer = \"{}\"\nclient_id = \"spindle\"\n\
                 client_secret = \"secret of {name}\"\nprivate_hosts = [\"127.0.0.1\"]\n{further}",
                idp.issuer(name)
            );
            fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
        };
        configure(
            "kc",
            "create = true\nsign_out = true\norder = 1\ngroups_claim = \"groups\"\n\
             [roles]\nadmins = \"administrator\"\n[user_groups]\ndev = \"Engineers\"\n",
        );
        configure(
            "strict",
            "create = false\norder = 2\ndomains = [\"x.org\"]\n",
        );
        let server = Server::own(Options {
            extra: vec![
                "--identity-providers".to_owned(),
                folder.path().display().to_string(),
            ],
            ..Options::default()
        });
        Some(Self {
            server,
            idp,
            _folder: folder,
        })
    }

    /// The server of the tests that switch no way off.
    fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<World>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    fn browser(&self) -> Browser {
        Browser {
            client: self.server.anonymous(),
        }
    }

    /// Signs a person in by a provider: where the browser ends.
    #[track_caller]
    fn enter_by(&self, provider: &str, claims: &Value) -> String {
        let attempt = self.browser().begin(provider, &[]);
        let code = self.idp.code(provider, &attempt, claims);
        location(&attempt.answer(&code))
    }

    /// As [`Self::enter_by`] with `kc`, and begins a session: its cookie.
    #[track_caller]
    fn session_of(&self, claims: &Value) -> Session {
        let place = self.enter_by("kc", claims);
        let token = place
            .strip_prefix("/#sign-in/")
            .unwrap_or_else(|| panic!("{place}"));
        self.follow(token)
    }

    #[track_caller]
    fn follow(&self, token: &str) -> Session {
        let reply = crate::sessions::sign_in(&self.server, &[("sign_in_token", token)]);
        let cookie = crate::sessions::cookie_of(&reply).expect("a cookie");
        let user_id = reply.ok()["user_id"].as_i64().expect("an id");
        Session {
            client: self.server.anonymous(),
            cookie,
            user_id,
        }
    }
}

/// A browser in which a person is signed in.
struct Session {
    client: Client,
    cookie: String,
    user_id: i64,
}

impl Session {
    #[track_caller]
    fn send(&self, call: Call) -> Reply {
        let call = call.header("Cookie", &self.cookie);
        self.client.send(call.header("Spindle-Client", "test"))
    }

    #[track_caller]
    fn get(&self, path: &str) -> Reply {
        self.send(Call::new("GET", path))
    }
}

/// A browser without a session.
struct Browser {
    client: Client,
}

/// An attempt that a browser has begun.
struct Attempt {
    client: Client,
    provider: String,
    cookie: String,
    /// Where the browser was sent.
    location: String,
}

impl Browser {
    /// Opens the address of a provider.
    fn open(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        let call = Call::new("GET", path).at_root().query(pairs);
        self.client.try_send(&call).expect("an answer")
    }

    #[track_caller]
    fn begin(self, provider: &str, pairs: &[(&str, &str)]) -> Attempt {
        let reply = self.open(&format!("/accounts/login/openid/{provider}"), pairs);
        let cookie = crate::sessions::cookie_of(&reply).expect("a cookie");
        Attempt {
            client: self.client,
            provider: provider.to_owned(),
            cookie,
            location: location(&reply),
        }
    }
}

impl Attempt {
    /// A parameter that the provider got.
    #[track_caller]
    fn sent(&self, name: &str) -> String {
        let (_, query) = self.location.split_once('?').expect("a query");
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let found = pairs.find(|(found, _)| found == name);
        let (_, value) = found.unwrap_or_else(|| panic!("{name} in {}", self.location));
        value.into_owned()
    }

    /// The browser comes back with a code.
    fn answer(&self, code: &str) -> Reply {
        self.come_back(
            &self.provider,
            &[("code", code), ("state", &self.sent("state"))],
        )
    }

    /// The browser comes back with these parameters, perhaps to the path of another provider.
    fn come_back(&self, provider: &str, pairs: &[(&str, &str)]) -> Reply {
        let path = format!("/accounts/login/openid/{provider}/callback");
        let call = Call::new("GET", &path).at_root().query(pairs);
        let call = call.header("Cookie", &self.cookie);
        self.client.try_send(&call).expect("an answer")
    }
}

#[track_caller]
fn location(reply: &Reply) -> String {
    assert_eq!(reply.status, 302, "{reply:?}");
    reply.header("location").expect("Location").to_owned()
}

/// What the provider says about a person with a verified address.
fn person(subject: &str, email: &str) -> Value {
    json!({
        "sub": subject,
        "email": email,
        "email_verified": true,
        "name": format!("Person {subject}"),
        "groups": [],
    })
}
