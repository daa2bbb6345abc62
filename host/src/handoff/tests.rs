//! The internal interface and the hand-offs, on a service with one queue.

use base64::Engine as _;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use spindle_events::{Audience, Registration, kinds};
use spindle_wire::internal::headers::TOKEN;
use spindle_wire::internal::{Account, Counted, Poll, QueueDeleted, Route, Sender};

mod identity;
mod polls;

use super::*;
use spindle_admission::body::Body;
use spindle_admission::memory::Client;
use spindle_front::{COMPRESSED_FROM, Instruction, TokenBuckets, Uncompressed};
use spindle_identity::Providers;
use spindle_jobs::JobStore;
use spindle_queues::{EventOptions, PollOutcome, PollRequest};
use spindle_system::clock::Clock;

struct World {
    events: EventService,
    blobs: BlobStore,
    api: InternalApi,
    folder: tempfile::TempDir,
}

/// Queue `q` of user 1, holding one event.
async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let options = EventOptions::in_directory(folder.path());
    let mut writer = spindle_store::open(options.database.file().unwrap()).unwrap();
    spindle_store::migrate(&mut writer).unwrap();
    let events = EventService::start(options, Clock::new()).unwrap();
    let registration = Registration {
        queue_id: "q".into(),
        user_id: 1.into(),
        ..Registration::default()
    };
    let setup = "INSERT INTO realms (id, string_id, uuid, name, date_created)
            VALUES (1, '', 'u', 'R', 0);
         INSERT INTO users (id, realm_id, email, email_folded, delivery_email,
            delivery_email_folded, full_name, full_name_folded, role, date_joined)
            VALUES (1, 1, 'a', 'a', 'a', 'a', 'a', 'a', 400, 0);";
    writer.execute_batch(setup).unwrap();
    let queue = "INSERT INTO event_queues (id, realm_id, user_id, base_seq, created,
        idle_timeout_secs, registration) VALUES ('q', 1, 1, 0, 0, 600, ?1)";
    let registration = serde_json::to_string(&registration).unwrap();
    writer.execute(queue, [registration]).unwrap();
    log_event(&writer, "x");
    let blobs = BlobStore::open(&folder.path().join("blobs")).unwrap();
    let limiter = Arc::new(TokenBuckets::new(2, None, 2));
    let api = InternalApi::new("secret", events.clone(), blobs.clone(), Some(limiter));
    World {
        events,
        blobs,
        api,
        folder,
    }
}

impl World {
    fn hand_offs(&self) -> HashMap<String, Arc<dyn HandOff>> {
        hand_offs(&self.events, &self.blobs, figures(), self.sign_ins())
    }

    /// Those of a server without providers.
    fn sign_ins(&self) -> Arc<SignIns> {
        let clock = Clock::new();
        let store = JobStore::file(self.folder.path().join("spindle.db"), clock.clone());
        Arc::new(SignIns::new(Providers::default(), store, clock))
    }
}

/// Adds an event with this text to the log.
fn log_event(writer: &rusqlite::Connection, text: &str) {
    let row = kinds::realm_update("name", text.into(), Audience::realm()).into_row();
    let event = "INSERT INTO event_log (realm_id, time, type, body, audience)
        VALUES (1, 0, 'realm', ?1, ?2)";
    writer.execute(event, [row.body, row.audience]).unwrap();
}

/// The metrics of a recorder of its own.
fn figures() -> Figures {
    Figures::new(
        spindle_ops::Recorder::apart().unwrap(),
        spindle_ops::Scope::Server,
    )
}

fn at_once() -> PollRequest<'static> {
    PollRequest {
        queue_id: "q",
        user_id: 1.into(),
        client: Client::Account(1),
        last_event_id: -1,
        dont_block: true,
        credential: None,
    }
}

fn is_empty(outcome: PollOutcome) -> bool {
    matches!(outcome, PollOutcome::Events(answer) if answer.is_empty())
}

async fn read(answer: Response<Body>) -> (StatusCode, HeaderMap, Bytes) {
    let (head, body) = answer.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    (head.status, head.headers, bytes)
}

async fn json(answer: Response<Body>) -> (StatusCode, Value) {
    let (status, headers, bytes) = read(answer).await;
    let length = headers["content-length"].to_str().unwrap();
    assert_eq!(length, bytes.len().to_string());
    assert_eq!(headers["content-type"], "application/json");
    (status, serde_json::from_slice(&bytes).unwrap())
}

/// An instruction of a component along with its answer.
fn instruction(task: &Task, response: Response<Body>) -> Instruction {
    let mut headers = HeaderMap::new();
    assert!(task.write_to(&["ä".to_owned()], &mut headers));
    Instruction {
        headers,
        response,
        memory: Arc::default(),
    }
}

/// A poll of user 1.
fn poll(queue_id: &str, last_event_id: i64) -> Task {
    Task::Poll(Poll {
        queue_id: queue_id.to_owned(),
        account: Account::alone(1),
        last_event_id,
        dont_block: false,
        credential: String::new(),
    })
}

fn call(method: Method, uri: &str, body: &str) -> Request<Bytes> {
    Request::builder()
        .method(method)
        .uri(uri)
        .header(TOKEN, "secret")
        .body(Bytes::copy_from_slice(body.as_bytes()))
        .unwrap()
}

#[tokio::test]
async fn without_the_token_nothing_exists() {
    let world = world().await;
    let closed = InternalApi::new("", world.events.clone(), world.blobs.clone(), None);
    for uri in ["/internal/hint", "/internal/blobs/x", "/internal/nothing"] {
        for token in [None, Some(""), Some("secreu"), Some("secret2")] {
            let mut request = Request::post(uri);
            if let Some(token) = token {
                request = request.header(TOKEN, token);
            }
            let request = request.body(Bytes::new()).unwrap();
            // 403 means to a component that its token is wrong.
            let expected = match token {
                None | Some("") => StatusCode::NOT_FOUND,
                Some(_) => StatusCode::FORBIDDEN,
            };
            let (status, body) = json(world.api.handle(request.clone()).await).await;
            assert_eq!((status, &body["code"]), (expected, &"BAD_REQUEST".into()));
            let (status, _) = json(closed.handle(request).await).await;
            assert_eq!(status, expected);
        }
    }
    let health = Request::get("/health").body(Bytes::new()).unwrap();
    assert_eq!(json(closed.handle(health).await).await.0, StatusCode::OK);
    world.events.stop().await;
}

#[tokio::test]
async fn blobs_are_put_sent_in_parts_and_deleted() {
    let world = world().await;
    let uri = "/internal/blobs/a/b.txt";
    let absent = world.api.handle(call(Method::HEAD, uri, "")).await;
    assert_eq!(absent.status(), StatusCode::NOT_FOUND);
    let content: String = ('a'..='z').cycle().take(200_000).collect();
    let put = world.api.handle(call(Method::PUT, uri, &content)).await;
    assert_eq!(json(put).await.0, StatusCode::OK);
    let (status, headers, body) = read(world.api.handle(call(Method::GET, uri, "")).await).await;
    assert_eq!(
        (status, body.as_ref()),
        (StatusCode::OK, content.as_bytes())
    );
    assert_eq!(headers["content-length"], "200000");
    let etag = headers["etag"].clone();
    for (range, expected) in [("bytes=26-28", "abc"), ("bytes=-2", &content[199_998..])] {
        let mut request = call(Method::GET, uri, "");
        request
            .headers_mut()
            .insert("range", range.parse().unwrap());
        let (status, _, body) = read(world.api.handle(request).await).await;
        assert_eq!(
            (status, body.as_ref()),
            (StatusCode::PARTIAL_CONTENT, expected.as_bytes())
        );
    }
    let mut request = call(Method::GET, uri, "");
    request
        .headers_mut()
        .insert("range", "bytes=200000-".parse().unwrap());
    let answer = world.api.handle(request).await;
    assert_eq!(answer.headers()["content-range"], "bytes */200000");
    assert_eq!(json(answer).await.0, StatusCode::RANGE_NOT_SATISFIABLE);

    let (mut request, ()) = Request::get("/avatar/1").body(()).unwrap().into_parts();
    let hand_off = || {
        let response = Response::builder().header("content-type", "text/plain");
        let response = response.body(Body::empty()).unwrap();
        instruction(&Task::Blob("a/b.txt".to_owned()), response)
    };
    let services = world.hand_offs();
    let (status, headers, body) = read(
        services[Task::BLOB]
            .clone()
            .handle(request.clone(), hand_off())
            .await,
    )
    .await;
    assert_eq!((status, body.len()), (StatusCode::OK, 200_000));
    assert_eq!(headers["content-type"], "text/plain");
    request.headers.insert("if-none-match", etag);
    let (status, _, body) = read(
        services[Task::BLOB]
            .clone()
            .handle(request.clone(), hand_off())
            .await,
    )
    .await;
    assert_eq!((status, body.len()), (StatusCode::NOT_MODIFIED, 0));

    let deleted = world.api.handle(call(Method::DELETE, uri, "")).await;
    assert_eq!(json(deleted).await.0, StatusCode::OK);
    let again = world.api.handle(call(Method::DELETE, uri, "")).await;
    assert_eq!(json(again).await.0, StatusCode::NOT_FOUND);
    let bad = world
        .api
        .handle(call(Method::PUT, "/internal/blobs/../x", ""))
        .await;
    assert_eq!(json(bad).await.0, StatusCode::BAD_REQUEST);
    world.events.stop().await;
}

#[tokio::test]
async fn rate_limits_are_counted_by_caller() {
    let world = world().await;
    let ask = |form: &str| {
        world
            .api
            .handle(call(Method::POST, &Route::RateLimit.path(), form))
    };
    let unproven = Sender {
        authorization: Some("Basic abc".to_owned()),
        ..Sender::default()
    };
    for expected in [(1, false), (1, false), (0, true)] {
        let answer = ask(&unproven.form()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let verdict = Counted::from_headers(answer.headers()).verdict.unwrap();
        assert_eq!((verdict.remaining, verdict.over), expected);
    }
    let anonymous = Sender {
        address: Sender::address_in("127.0.0.1:999"),
        ..Sender::default()
    };
    let answer = ask(&anonymous.form()).await;
    let verdict = Counted::from_headers(answer.headers()).verdict.unwrap();
    assert_eq!((verdict.limit, verdict.remaining), (2, 1));
    assert_eq!(ask("nonsense").await.status(), StatusCode::NOT_FOUND);
    world.events.stop().await;
}

/// Under Spin as in the native host, unproven credentials count against the address that they come
/// from.
#[tokio::test]
async fn unproven_credentials_are_counted_by_address() {
    let world = world().await;
    let call = |route: Route<'_>, sender: &Sender| {
        world
            .api
            .handle(call(Method::POST, &route.path(), &sender.form()))
    };
    let sender = |letter: &str| {
        let pair = format!("a@example.com:{}", letter.repeat(32));
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        Sender {
            address: Sender::address_in("192.0.2.1:999"),
            authorization: Some(format!("Basic {encoded}")),
            ..Sender::default()
        }
    };
    let count = async |letter: &str| {
        let answer = call(Route::RateLimit, &sender(letter)).await;
        Counted::from_headers(answer.headers())
    };
    assert!(count("g").await.unproven);
    let proof = Sender {
        account: Some(Account::alone(10)),
        ..sender("g")
    };
    let told = call(Route::RateLimitAnswered, &proof).await;
    assert_eq!(told.status(), StatusCode::OK);
    assert!(!count("g").await.unproven);
    for guess in ["a", "b"] {
        let verdict = count(guess).await.verdict.unwrap();
        assert_eq!((verdict.limit, verdict.remaining), (2, 1), "{guess}");
    }
    assert!(count("c").await.verdict.unwrap().over);
    world.events.stop().await;
}

#[tokio::test]
async fn the_socket_serves_and_releases_polls_when_it_stops() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let world = world().await;
    let server = InternalServer::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = server.address().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(serve(server, world.api.clone(), async {
        let _ = stopped.await;
    }));
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let poll = format!(
        "GET {} HTTP/1.1\r\nhost: x\r\n{TOKEN}: secret\r\n\r\n",
        Route::target_of(&poll("q", 0), &[])
    );
    world.events.on_commit();
    while is_empty(world.events.poll_with(at_once()).await) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    stream.write_all(poll.as_bytes()).await.unwrap();
    while world.events.waiting_polls() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    stop.send(()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(
        answer.contains(r#"{"id":1,"type":"heartbeat"}"#),
        "{answer}"
    );
    serving.await.unwrap();
    world.events.stop().await;
}
