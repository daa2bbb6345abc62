//! What passes the front and what does not, through a real component.

use crate::common::{self, Answer, encode, request, start, start_with, until};
use bytes::Bytes;
use http::{HeaderValue, Response};
use spindle_admission::body::Body;
use spindle_front::{HandOff, Handling, Instruction, TokenBuckets};
use spindle_runtime::outbound_http::InternalService;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

async fn echo(server: &common::Server, headers: &str) -> Answer {
    let head = format!(
        "GET /misbehave/echo?a=%2F HTTP/1.1\r\nhost: test\r\n{headers}connection: close\r\n\r\n"
    );
    request(server.address, head).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_sees_the_request_and_what_the_host_adds() {
    let server = start().await;
    let answer = echo(&server, "x-own: 1\r\n").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let lines: Vec<&str> = answer.body.lines().collect();
    assert_eq!(lines[0], "GET http://test/misbehave/echo?a=%2F");
    assert!(lines.contains(&"x-own: 1"));
    assert!(lines.contains(&"body 0"));
    let id = lines
        .iter()
        .find_map(|line| line.strip_prefix("x-spindle-host: "))
        .unwrap();
    assert_eq!(answer.header("x-request-id"), id);
    assert_eq!(
        answer.header("content-length"),
        answer.body.len().to_string()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_the_host_are_not_believed_from_outside() {
    let server = start().await;
    let forged = "X-Spindle-Internal: token\r\nx-spindle-rate-limit: limit=1\r\nSpin-Client-Addr: 1.2.3.4\r\n\
                  x-spindle-client-address: 1.2.3.4\r\nx-request-id: mine\r\nproxy-authorization: x\r\n\
                  x-forwarded-for: 1.2.3.4\r\nte: trailers\r\n";
    let answer = echo(&server, forged).await;
    let lines: Vec<&str> = answer.body.lines().collect();
    for gone in [
        "x-spindle-internal",
        "x-spindle-rate-limit",
        "x-spindle-client-address",
        "x-request-id",
        "spin-",
        "proxy-authorization",
        "te:",
        "connection",
    ] {
        assert!(
            !lines.iter().any(|line| line.starts_with(gone)),
            "{gone}: {lines:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_arrive_whole_and_within_their_limit() {
    let server = start_with("max_body_bytes = 1000", |_| {}).await;
    let post = |length: usize| {
        let body = "x".repeat(length);
        format!(
            "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
    };
    let answer = request(server.address, post(1000)).await;
    assert!(answer.body.ends_with("body 1000"), "{answer:?}");
    request(server.address, post(1001))
        .await
        .is_error(413, "BAD_REQUEST");
    let chunked = |chunk: &str, count: usize| {
        let chunks = chunk.repeat(count);
        format!(
            "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"
        )
    };
    let answer = request(server.address, chunked("3\r\nabc\r\n", 3)).await;
    assert!(answer.body.ends_with("body 9"), "{answer:?}");
    assert!(answer.body.contains("content-length: 9"), "{answer:?}");
    request(server.address, chunked("64\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", 11))
        .await
        .is_error(413, "BAD_REQUEST");
    // One that sends everything before it reads sees the answer, too.
    let many = "x".repeat(16 << 10);
    request(
        server.address,
        chunked(&format!("4000\r\n{many}\r\n"), 1000),
    )
    .await
    .is_error(413, "BAD_REQUEST");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_routes_and_traps_have_the_envelope() {
    let server = start().await;
    server.get("/nowhere").await.is_error(404, "BAD_REQUEST");
    server
        .get("/misbehave/trap")
        .await
        .is_error(500, "INTERNAL_SERVER_ERROR");
    assert_eq!(server.get("/hello/").await.body.len(), 30);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keep_alive_and_pipelining_work() {
    let server = start().await;
    let one = "GET /hello HTTP/1.1\r\nhost: h\r\n\r\n";
    let last = "GET /hello HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
    let answer = request(server.address, format!("{one}{one}{last}")).await;
    let text = format!("{}\r\n\r\n{}", answer.head, answer.body);
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3, "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_heads_and_bodies_are_cut() {
    let server = start_with("", |options| {
        options.limits.header_timeout = Duration::from_millis(300);
        options.limits.body_timeout = Duration::from_millis(300);
    })
    .await;
    let started = Instant::now();
    let answer = request(server.address, "GET /hello HTTP/1.1\r\nhost: h\r\n").await;
    assert_eq!(answer.status, 0, "{answer:?}");
    let head = "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\n\r\nab";
    request(server.address, head)
        .await
        .is_error(408, "REQUEST_TIMEOUT");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_between_requests_is_allowed() {
    let server = start_with("", |options| {
        options.limits.header_timeout = Duration::from_millis(200)
    })
    .await;
    let mut socket = tokio::net::TcpStream::connect(server.address)
        .await
        .unwrap();
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    for _ in 0..2 {
        socket
            .write_all(b"GET /hello HTTP/1.1\r\nhost: h\r\n\r\n")
            .await
            .unwrap();
        let mut buffer = [0; 1024];
        let count = socket.read(&mut buffer).await.unwrap();
        assert_eq!(common::parse(&buffer[..count]).status, 200);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

struct Keeper {
    stopping: Notify,
    is_held: Arc<AtomicBool>,
}

impl HandOff for Keeper {
    fn handle(
        self: Arc<Self>,
        request: http::request::Parts,
        instruction: Instruction,
    ) -> Handling {
        Box::pin(async move { self.answer(&request, instruction).await })
    }

    fn serves(&self, component: &str) -> bool {
        component == "misbehave"
    }

    fn stop(&self) {
        self.stopping.notify_waiters();
    }
}

impl Keeper {
    async fn answer(
        &self,
        request: &http::request::Parts,
        instruction: Instruction,
    ) -> Response<Body> {
        let queue = instruction
            .text("x-spindle-queue-id")
            .unwrap_or("?")
            .to_owned();
        if queue == "held" {
            let stopping = self.stopping.notified();
            self.is_held.store(true, Ordering::Release);
            stopping.await;
        }
        let mut response = instruction.response;
        *response.body_mut() = Body::from(format!("{} {queue}", request.uri.path()));
        response
            .headers_mut()
            .insert("x-kept", HeaderValue::from_static("1"));
        response
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hand_off_answers_in_the_components_place_and_ends_with_the_server() {
    let is_held = Arc::new(AtomicBool::new(false));
    let mut server = start_with("", |options| {
        let keeper = Keeper {
            stopping: Notify::new(),
            is_held: Arc::clone(&is_held),
        };
        options
            .hand_offs
            .insert("keep".to_owned(), Arc::new(keeper));
    })
    .await;
    let answer = server
        .get("/misbehave/hand-off?kind=keep&queue_id=q1")
        .await;
    assert_eq!(answer.body, "/misbehave/hand-off q1");
    assert_eq!(answer.header("x-kept"), "1");
    assert!(!answer.head.contains("x-spindle"), "{answer:?}");
    server
        .get("/misbehave/hand-off?kind=other")
        .await
        .is_error(500, "INTERNAL_SERVER_ERROR");
    let address = server.address;
    let held = tokio::spawn(async move {
        request(
            address,
            "GET /misbehave/hand-off?kind=keep&queue_id=held HTTP/1.1\r\nhost: h\r\n\r\n",
        )
        .await
    });
    until("it is held", || is_held.load(Ordering::Acquire)).await;
    assert!(!held.is_finished());
    // A held answer takes no place of its component.
    assert_eq!(server.instances(), 1);
    server.stop().await;
    assert_eq!(held.await.unwrap().body, "/misbehave/hand-off held");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_end_before_the_server_does() {
    let mut server = start().await;
    let address = server.address;
    let slow = tokio::spawn(async move {
        request(
            address,
            "GET /misbehave/sleep?ms=400 HTTP/1.1\r\nhost: h\r\n\r\n",
        )
        .await
    });
    until("a component works", || server.instances() > 0).await;
    server.stop().await;
    assert_eq!(slow.await.unwrap().body, "slept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verdict_of_the_limiter_reaches_the_component() {
    let server = start_with("", |options| {
        options.rate_limiter = Some(Arc::new(TokenBuckets::new(10, None, 2)));
    })
    .await;
    let verdict = |answer: &Answer| {
        let line = answer
            .body
            .lines()
            .find(|line| line.starts_with("x-spindle-rate-limit"));
        line.unwrap_or_default().to_owned()
    };
    assert!(verdict(&echo(&server, "").await).contains("limit=2;remaining=1;"));
    assert!(verdict(&echo(&server, "").await).contains("remaining=0;"));
    assert!(verdict(&echo(&server, "").await).contains("over=1;"));
    let with_key = verdict(&echo(&server, "authorization: Basic abc\r\n").await);
    assert!(with_key.contains("limit=10;remaining=9;") && with_key.contains("over=0;"));
}

struct Service;

#[async_trait::async_trait]
impl InternalService for Service {
    async fn call(&self, request: http::Request<Bytes>) -> Response<Body> {
        Response::new(Body::from(format!("service {}", request.uri())))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outgoing_requests_go_where_the_manifest_allows() {
    let server = start_with("", |options| {
        options
            .services
            .insert("http://service.test:80".to_owned(), Arc::new(Service));
        options
            .services
            .insert("http://other.test:80".to_owned(), Arc::new(Service));
    })
    .await;
    let fetch = async |url: &str| {
        server
            .get(&format!("/misbehave/fetch?url={}", encode(url)))
            .await
    };
    let hello = r#"200 {"result":"success","msg":"!"}"#;
    assert_eq!(fetch("http://self/hello").await.body, hello);
    assert_eq!(
        fetch("http://hello.spin.internal/anything").await.body,
        hello
    );
    assert_eq!(
        fetch("http://service.test/x?y").await.body,
        "200 service http://service.test/x?y"
    );
    let listening = format!("http://{}/hello", server.address);
    for denied in [
        "http://other.test/",
        &listening,
        "https://self/hello",
        "http://misbehave.spin.internal/echo",
    ] {
        let answer = fetch(denied).await;
        assert_eq!(answer.status, 502, "{denied}: {answer:?}");
        assert!(
            answer.body.contains("HttpRequestDenied"),
            "{denied}: {answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_and_variables_are_those_of_the_manifest() {
    let server = start().await;
    let kv = async |query: &str| {
        server
            .get(&format!("/misbehave/key-value?store=default&{query}"))
            .await
            .body
    };
    assert_eq!(kv("do=get&key=a").await, "none");
    assert_eq!(kv("do=set&key=a&value=1").await, "set");
    assert_eq!(kv("do=set&key=b&value=2").await, "set");
    assert_eq!(kv("do=set&key=a&value=3").await, "set");
    assert_eq!(kv("do=get&key=a").await, "3");
    assert_eq!(kv("do=keys").await, "a,b");
    assert_eq!(kv("do=exists&key=b").await, "true");
    assert_eq!(kv("do=delete&key=b").await, "deleted");
    assert_eq!(kv("do=exists&key=b").await, "false");
    let other = server.get("/misbehave/key-value?store=other&do=keys").await;
    assert!(other.body.contains("AccessDenied"), "{other:?}");
    assert_eq!(
        server.get("/misbehave/variable?name=greeting").await.body,
        "hello there"
    );
    assert!(
        server
            .get("/misbehave/variable?name=secret")
            .await
            .body
            .contains("Undefined")
    );
    assert!(
        server
            .get("/misbehave/variable?name=Bad-Name")
            .await
            .body
            .contains("InvalidName")
    );
}
