//! Sessions by cookie: signing in with a browser, what the cookie gives access to, and its end.

mod bounds;
mod cross_site;
mod ending;
mod links;
mod of_others;
mod password_links;
mod recorded;
mod sign_in;

use spindle_tests::{Call, Client, Reply, Server, User};

pub(crate) const PASSWORD: &str = "correct horse battery staple";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// A browser in which a user is signed in.
pub(crate) struct Browser {
    client: Client,
    /// The value of the header `Cookie`.
    pub(crate) cookie: String,
    pub(crate) session_id: i64,
}

impl Browser {
    /// Signs in with a password.
    #[track_caller]
    pub(crate) fn of(server: &Server, user: &User) -> Browser {
        let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
        Browser::from(server, sign_in(server, &pairs))
    }

    /// The browser after a sign-in with this answer.
    #[track_caller]
    pub(crate) fn from(server: &Server, reply: Reply) -> Browser {
        let cookie = cookie_of(&reply).expect("Set-Cookie");
        let session_id = reply.ok()["session_id"].as_i64().expect("an id");
        Browser {
            client: server.anonymous(),
            cookie,
            session_id,
        }
    }

    /// A call of the server's own client in this browser.
    #[track_caller]
    pub(crate) fn call(&self, call: Call) -> Reply {
        self.bare(call.header("Spindle-Client", "test"))
    }

    /// A call with only the cookie.
    #[track_caller]
    pub(crate) fn bare(&self, call: Call) -> Reply {
        self.client.send(call.header("Cookie", &self.cookie))
    }

    /// GET of a file at the root with the cookie and further headers.
    #[track_caller]
    pub(crate) fn fetch(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let cookie = [("Cookie", self.cookie.as_str())];
        self.client.fetch(path, &[&cookie, headers].concat())
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.call(Call::new("GET", path))
    }

    #[track_caller]
    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.call(Call::new("DELETE", path))
    }

    /// Whether the session is accepted.
    #[track_caller]
    pub(crate) fn is_signed_in(&self) -> bool {
        let reply = self.get("/users/me");
        if reply.status == 401 {
            assert_eq!(reply.body["code"], "UNAUTHORIZED", "{}", reply.body);
            return false;
        }
        reply.ok();
        true
    }
}

/// POST /sessions, as the server's own client.
#[track_caller]
pub(crate) fn sign_in(server: &Server, pairs: &[(&str, &str)]) -> Reply {
    let call = Call::new("POST", "/sessions").form(pairs);
    let call = call.header("Spindle-Client", "test");
    server.anonymous().send(call.header("User-Agent", FIREFOX))
}

/// Name and value of the cookie that an answer sets.
pub(crate) fn cookie_of(reply: &Reply) -> Option<String> {
    let set = reply.header("set-cookie")?;
    let (pair, _) = set.split_once(';')?;
    Some(pair.to_owned())
}

pub(crate) fn with_password(server: &Server) -> User {
    server.user_with("member", &["--password", PASSWORD])
}
