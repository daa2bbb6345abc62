//! The order of the steps, one request at a time, on tables of operations made for it.

mod scopes;
mod sessions;

use super::*;
use crate::{Failure, Guard, Hashes, Poll};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use spindle_actions::account::{SignInOrigin, authenticate, make_sign_in_link, sign_in_by_link};
use spindle_actions::users::{NewAccount, create_user};
use spindle_actions::{NewRealm, create_realm};
use spindle_domain::policy::Scope;
use spindle_domain::{RealmId, Role};
use spindle_store::{Connection, DbError, RusqliteDb};
use tempfile::TempDir;

const NOW: i64 = 1_700_000_000;

fn echo(call: &Call<'_>) -> Result<Reply, Failure> {
    let text = call.params.required_text("text")?;
    Ok(spindle_wire::Reply::empty().field("text", text)?.into())
}

fn nothing(_: &Call<'_>) -> Result<Reply, Failure> {
    Ok(spindle_wire::Reply::empty().into())
}

fn broken(_: &Call<'_>) -> Result<Reply, Failure> {
    Err(Failure::internal("the disk is on fire"))
}

fn hold(call: &Call<'_>) -> Result<Reply, Failure> {
    Ok(Reply::Poll(Poll {
        queue_id: "q".to_owned(),
        account: call.account()?,
        last_event_id: -1,
        dont_block: false,
        credential: String::new(),
    }))
}

static TABLE: &[Operation] = &[
    Operation::get("open", "/open", Guard::Anonymous, nothing),
    Operation::get("file", "/file", Guard::Anonymous, nothing).exempt(),
    Operation::get("maybe", "/maybe", Guard::OptionalAuth, nothing),
    Operation::get("shown", "/shown", Guard::User, nothing).shown_in_pages(),
    Operation::get("get-thing", "/thing", Guard::User, nothing),
    Operation::post("post-thing", "/thing", Guard::User, echo),
    Operation::patch("patch-thing", "/thing", Guard::User, nothing),
    Operation::get("person", "/things/{thing_id}", Guard::Human, nothing),
    Operation::get("members", "/members", Guard::NotGuest, nothing),
    Operation::post("admin", "/admin", Guard::Administrator, echo),
    Operation::get("broken", "/broken", Guard::User, broken),
    Operation::get("hold", "/hold", Guard::User, hold),
    Operation::post("sign-in", "/sign-in", Guard::Anonymous, echo).hashing(Hashes::Always),
    Operation::patch("change", "/change", Guard::User, nothing)
        .hashing(Hashes::With("secret"))
        .with_credentials_in(&["new_password"]),
    Operation::delete("leave", "/change", Guard::User, nothing).needing(Scope::Account),
];

/// A server with an owner, and the credentials of the created accounts.
struct Server {
    connection: rusqlite::Connection,
    owner: (String, String),
    _folder: TempDir,
}

impl Server {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = spindle_store::open(&folder.path().join("spindle.db")).unwrap();
        spindle_store::migrate(&mut connection).unwrap();
        let new = NewRealm {
            name: "Test".to_owned(),
            owner: account("owner@example.org"),
        };
        let owner = create_realm(&RusqliteDb::new(&connection), NOW, &new)
            .unwrap()
            .owner;
        Self {
            connection,
            owner: (owner.email, owner.api_key),
            _folder: folder,
        }
    }

    fn add(&self, role: Role, is_bot: bool) -> (String, String) {
        let email = format!("{}-{is_bot}@example.org", role.as_i64());
        let new = NewAccount {
            role: Some(role),
            is_bot,
            ..account(&email)
        };
        let created = create_user(
            &RusqliteDb::new(&self.connection),
            None,
            RealmId::ONLY,
            NOW,
            &new,
        )
        .unwrap();
        (created.email, created.api_key)
    }

    fn answer(&self, request: &Request) -> Answered {
        self.answer_at(request, NOW)
    }

    fn answer_at(&self, request: &Request, now: i64) -> Answered {
        let environment = Environment {
            internal_token: "token".to_owned(),
            ..Environment::default()
        };
        let connect = Native(RusqliteDb::new(&self.connection));
        dispatch(TABLE, request, &environment, &connect, now)
    }

    /// The cookie of a session of the owner's, begun now.
    fn cookie(&self) -> String {
        let db = RusqliteDb::new(&self.connection);
        let owner = authenticate(&db, &self.owner.0, &self.owner.1, NOW)
            .unwrap()
            .actor;
        let token = make_sign_in_link(&db, RealmId::ONLY, NOW, owner.user_id).unwrap();
        let session = sign_in_by_link(
            &db,
            RealmId::ONLY,
            NOW,
            (&token, None),
            SignInOrigin::default(),
        )
        .unwrap();
        format!("spindle_session={}", session.token)
    }

    /// Status and body of one request, as the owner where `caller` is.
    fn ask(&self, method: &str, target: &str, caller: Option<&(String, String)>) -> (u16, Value) {
        let answered = self.answer(&request(method, target, caller, ""));
        (
            answered.response.status().as_u16(),
            body(&answered.response),
        )
    }
}

fn account(email: &str) -> NewAccount {
    NewAccount {
        email: email.to_owned(),
        full_name: "Somebody".to_owned(),
        ..NewAccount::default()
    }
}

struct Native<'c>(RusqliteDb<'c>);

impl Connect for Native<'_> {
    fn db(&self) -> Result<&dyn Connection, DbError> {
        Ok(&self.0)
    }
}

fn request(method: &str, target: &str, caller: Option<&(String, String)>, form: &str) -> Request {
    let mut builder = http::Request::builder().method(method).uri(target);
    if let Some((email, key)) = caller {
        let pair = STANDARD.encode(format!("{email}:{key}"));
        builder = builder.header("authorization", format!("Basic {pair}"));
    }
    builder
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Bytes::copy_from_slice(form.as_bytes()))
        .unwrap()
}

fn body(response: &Response) -> Value {
    serde_json::from_slice(response.body()).unwrap_or(Value::Null)
}

/// Behind the native host, an operation that hashes a password requests an instance of its own:
/// once, and after the guard has passed.
#[test]
fn what_hashes_asks_to_be_alone() {
    let server = Server::new();
    let owner = server.owner.clone();
    let asks = |method: &str, path: &str, form: &str, headers: &[HeaderName]| {
        let caller = (path == "/change").then_some(&owner);
        let mut request = request(method, path, caller, form);
        for name in headers {
            let value = HeaderValue::from_static("1");
            request.headers_mut().insert(name, value);
        }
        let answered = server.answer(&request);
        assert_eq!(answered.response.status(), 200, "{path} {form}");
        let asks = answered
            .response
            .headers()
            .contains_key(internal::NEEDS_EXCLUSIVE);
        assert_eq!(asks, answered.response.body().is_empty(), "{path} {form}");
        asks
    };
    let (host, alone) = (internal::HOST, internal::NEEDS_EXCLUSIVE);
    let both = [host.clone(), alone];
    let host = [host];
    assert!(asks("POST", "/sign-in", "text=x", &host));
    assert!(!asks("POST", "/sign-in", "text=x", &both));
    assert!(!asks("POST", "/sign-in", "text=x", &[]), "beside Spin");
    assert!(asks("PATCH", "/change", "secret=x", &host));
    assert!(!asks("PATCH", "/change", "secret=&other=x", &host));
    assert!(!asks("PATCH", "/change", "other=x", &host));
    let mut stranger = request("PATCH", "/change", None, "secret=x");
    let value = HeaderValue::from_static("1");
    stranger.headers_mut().insert(internal::HOST, value);
    assert_eq!(server.answer(&stranger).response.status(), 401);
}

#[test]
fn the_first_failure_in_the_fixed_order_is_reported() {
    let server = Server::new();
    let member = server.add(Role::Member, false);
    let over = "limit=1;remaining=0;reset=1700000060;over=1;retry-after=2.5";
    let ask = |method: &str, target: &str, caller: Option<&(String, String)>, limited: bool| {
        let mut request = request(method, target, caller, "");
        if limited {
            let value = HeaderValue::from_static(over);
            request.headers_mut().insert(internal::RATE_LIMIT, value);
        }
        let response = server.answer(&request).response;
        (response.status().as_u16(), body(&response)["code"].clone())
    };
    let wrong = (member.0.clone(), "x".repeat(32));
    // Each request also fails all checks after the one that refuses it.
    assert_eq!(
        ask("PUT", "/nowhere", None, true),
        (404, "BAD_REQUEST".into())
    );
    assert_eq!(
        ask("PUT", "/admin", None, true),
        (405, "BAD_REQUEST".into())
    );
    assert_eq!(
        ask("POST", "/admin", None, true),
        (401, "UNAUTHORIZED".into())
    );
    assert_eq!(
        ask("POST", "/admin", Some(&wrong), false),
        (401, "UNAUTHORIZED".into())
    );
    // Above the limit, the answer does not say that the guess is wrong.
    assert_eq!(
        ask("POST", "/admin", Some(&wrong), true),
        (429, "RATE_LIMIT_HIT".into())
    );
    assert_eq!(
        ask("POST", "/admin", Some(&member), true),
        (429, "RATE_LIMIT_HIT".into())
    );
    let role = ask("POST", "/admin", Some(&member), false);
    assert_eq!(role, (400, "UNAUTHORIZED_PRINCIPAL".into()));
    let parameter = ask("POST", "/admin", Some(&server.owner), false);
    assert_eq!(parameter, (400, "REQUEST_VARIABLE_MISSING".into()));
}

#[test]
fn guards_look_at_role_and_kind() {
    let server = Server::new();
    let guest = server.add(Role::Guest, false);
    let bot = server.add(Role::Member, true);
    let status = |target: &str, caller| server.ask("GET", target, Some(caller)).0;
    assert_eq!(status("/members", &guest), 400);
    assert_eq!(status("/members", &bot), 200);
    assert_eq!(status("/things/5", &bot), 400);
    assert_eq!(status("/things/5", &guest), 200);
    assert_eq!(server.ask("GET", "/things/x", Some(&guest)).0, 404);
}

#[test]
fn credentials_are_optional_only_where_the_table_says_so() {
    let server = Server::new();
    let wrong = ("owner@example.org".to_owned(), "x".repeat(32));
    assert_eq!(server.ask("GET", "/open", Some(&wrong)).0, 200);
    assert_eq!(server.ask("GET", "/maybe", None).0, 200);
    assert_eq!(server.ask("GET", "/maybe", Some(&wrong)).0, 401);
    assert_eq!(server.ask("GET", "/thing", Some(&server.owner)).0, 200);
    let response = server.answer(&request("GET", "/thing", None, "")).response;
    assert_eq!(response.status(), 401);
    assert!(response.headers().contains_key("www-authenticate"));
}

#[test]
fn options_head_and_the_override_of_the_verb() {
    let server = Server::new();
    let owner = Some(&server.owner);
    let options = server
        .answer(&request("OPTIONS", "/thing", None, ""))
        .response;
    assert_eq!(options.status(), 204);
    assert_eq!(options.headers()[ALLOW], "GET, PATCH, POST");
    assert_eq!(server.ask("HEAD", "/thing", owner).0, 200);
    let (status, refused) = server.ask("DELETE", "/thing", owner);
    assert_eq!(status, 405);
    assert_eq!(
        refused["allowed_methods"],
        serde_json::json!(["GET", "PATCH", "POST"])
    );
    let patch = server
        .answer(&request("POST", "/thing", owner, "method=PATCH"))
        .response;
    assert_eq!(
        body(&patch),
        serde_json::json!({"result": "success", "msg": ""})
    );
    let delete = server
        .answer(&request("POST", "/thing", owner, "method=DELETE"))
        .response;
    assert_eq!(delete.status(), 405);
}

#[test]
fn unknown_parameters_are_reported_and_path_parameters_are_known() {
    let server = Server::new();
    let owner = Some(&server.owner);
    let form = "text=a&zeta=1&alpha=2";
    let echoed = server
        .answer(&request("POST", "/thing", owner, form))
        .response;
    assert_eq!(body(&echoed)["text"], "a");
    assert_eq!(
        body(&echoed)["ignored_parameters_unsupported"],
        serde_json::json!(["alpha", "zeta"])
    );
    let (_, known) = server.ask("GET", "/things/5?thing_id=5", owner);
    assert_eq!(known.get("ignored_parameters_unsupported"), None);
    let held = server.answer(&request("GET", "/hold?x=1", owner, ""));
    assert_eq!(held.ignored, ["x"]);
    assert!(held.response.headers().contains_key("cache-control"));
    assert!(held.response.body().is_empty());
    assert!(matches!(held.hand_off, Some(HandOff::Poll(_))));
}

#[test]
fn the_rate_limit_is_reported_where_it_counts() {
    let server = Server::new();
    let verdict = "limit=200;remaining=7;reset=1700000060;over=0;retry-after=0.0";
    let remaining = |target: &str| {
        let mut request = request("GET", target, None, "");
        let value = HeaderValue::from_static(verdict);
        request.headers_mut().insert(internal::RATE_LIMIT, value);
        let response = server.answer(&request).response;
        response.headers().get("x-ratelimit-remaining").cloned()
    };
    assert_eq!(remaining("/open").unwrap(), "7");
    // Refused, but counted.
    assert_eq!(remaining("/thing").unwrap(), "7");
    assert_eq!(remaining("/file"), None);
}

#[test]
fn internal_errors_tell_nothing() {
    let server = Server::new();
    let (status, answer) = server.ask("GET", "/broken", Some(&server.owner));
    assert_eq!(status, 500);
    assert_eq!(answer["code"], "INTERNAL_SERVER_ERROR");
    assert!(!answer.to_string().contains("fire"));
}

#[test]
fn text_that_cannot_be_parameters_is_refused_only_in_its_turn() {
    let server = Server::new();
    assert_eq!(server.ask("POST", "/thing?text=%ff", None).0, 401);
    assert_eq!(
        server.ask("POST", "/thing?text=%ff", Some(&server.owner)).0,
        400
    );
    assert_eq!(
        server.ask("POST", "/thing?text=%00", Some(&server.owner)).0,
        400
    );
}
