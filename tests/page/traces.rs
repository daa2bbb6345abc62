//! Traces: what a collector receives, and that a slow or missing collector delays nothing.
//!
//! The collector is a socket that stores posted data. The tested fields of its format are decoded
//! here by hand.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use spindle_tests::{Call, Options, PATIENCE, Server, until};

/// A span as it arrived.
#[derive(Clone, Debug, Default)]
struct Span {
    trace_id: String,
    span_id: String,
    parent_id: String,
    name: String,
    kind: u64,
    start: u64,
    end: u64,
    attributes: BTreeMap<String, String>,
    is_error: bool,
}

/// Head and body of a posted request.
type Posted = (String, Vec<u8>);

/// Stores posted requests.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Posted>>>);

impl Collector {
    fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let bodies = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                bodies.take(stream);
            }
        });
        format!("http://{address}")
    }

    fn take(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        self.0.lock().expect("lock").push((head, body));
        let mut stream = stream;
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .ok()
    }

    fn received(&self) -> Vec<Posted> {
        self.0.lock().expect("lock").clone()
    }

    fn spans(&self) -> Vec<Span> {
        self.received()
            .iter()
            .flat_map(|(_, body)| spans(body))
            .collect()
    }

    /// The server span of this name, once it has arrived.
    fn wait_for(&self, name: &str) -> Span {
        until(&format!("the span {name}"), || {
            self.spans().into_iter().find(|span| span.name == name)
        })
    }
}

/// Number of a field, and its value: an integer or bytes.
type Field<'b> = (u64, u64, &'b [u8]);

/// The fields of a message of protocol buffers.
fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (mut number, mut content) = (0, &bytes[..0]);
        match key & 7 {
            0 => number = varint(&mut bytes),
            1 => number = u64::from_le_bytes(split(&mut bytes, 8).try_into().expect("8 bytes")),
            2 => {
                let length = varint(&mut bytes);
                content = split(&mut bytes, usize::try_from(length).expect("a length"));
            }
            5 => drop(split(&mut bytes, 4)),
            other => panic!("wire type {other}"),
        }
        found.push((key >> 3, number, content));
    }
    found
}

fn split<'b>(bytes: &mut &'b [u8], at: usize) -> &'b [u8] {
    let (head, rest) = bytes.split_at(at);
    *bytes = rest;
    head
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = split(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Messages in the field of this number.
fn inside(bytes: &[u8], number: u64) -> Vec<&[u8]> {
    let all = fields(bytes).into_iter();
    all.filter(|(found, _, _)| *found == number)
        .map(|(_, _, content)| content)
        .collect()
}

/// Key and value of an attribute; numbers as text.
fn attribute(bytes: &[u8]) -> (String, String) {
    let text = |content: &[u8]| String::from_utf8_lossy(content).into_owned();
    let key = inside(bytes, 1)
        .first()
        .map(|key| text(key))
        .unwrap_or_default();
    let value = inside(bytes, 2)
        .first()
        .map(|value| fields(value))
        .unwrap_or_default();
    let value = value.first().map(|(field, number, content)| match field {
        1 => text(content),
        _ => number.to_string(),
    });
    (key, value.unwrap_or_default())
}

/// All spans of a posted body, with the attributes of their resource.
fn spans(body: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    for of_resource in inside(body, 1) {
        let resource = inside(of_resource, 1)
            .into_iter()
            .flat_map(|resource| inside(resource, 1));
        let resource: BTreeMap<String, String> = resource.map(attribute).collect();
        for of_scope in inside(of_resource, 2) {
            for bytes in inside(of_scope, 2) {
                found.push(span(bytes, resource.clone()));
            }
        }
    }
    found
}

fn span(bytes: &[u8], attributes: BTreeMap<String, String>) -> Span {
    let hex = |content: &[u8]| content.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut span = Span {
        attributes,
        ..Span::default()
    };
    for (field, number, content) in fields(bytes) {
        match field {
            1 => span.trace_id = hex(content),
            2 => span.span_id = hex(content),
            4 => span.parent_id = hex(content),
            5 => span.name = String::from_utf8_lossy(content).into_owned(),
            6 => span.kind = number,
            7 => span.start = number,
            8 => span.end = number,
            9 => {
                let (key, value) = attribute(content);
                span.attributes.insert(key, value);
            }
            15 => {
                span.is_error = fields(content)
                    .iter()
                    .any(|(field, code, _)| (*field, *code) == (3, 2))
            }
            _ => {}
        }
    }
    span
}

fn traced(endpoint: &str) -> Server {
    Server::spawn(Options {
        environment: vec![
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(),
                endpoint.to_owned(),
            ),
            (
                "OTEL_EXPORTER_OTLP_HEADERS".to_owned(),
                "x-collector-key=k1".to_owned(),
            ),
            ("OTEL_BSP_SCHEDULE_DELAY".to_owned(), "100".to_owned()),
        ],
        ..Options::default()
    })
}

#[test]
fn a_request_is_a_span_in_the_trace_of_its_client() {
    let collector = Collector::default();
    let mut server = traced(&collector.listen());
    let user = server.user("member");
    let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let with = |flags: &str| format!("00-{trace}-{parent}-{flags}");
    // A request whose client does not record is not recorded.
    user.send(Call::new("GET", "/users").header("traceparent", &with("00")))
        .ok();
    let reply = user.send(Call::new("GET", "/users/me").header("traceparent", &with("01")));
    let request_id = reply.header("x-request-id").expect("an id").to_owned();
    reply.ok();
    user.send(Call::new("GET", "/nowhere").undocumented());

    let span = collector.wait_for("get-own-user");
    assert_eq!(
        (span.trace_id.as_str(), span.parent_id.as_str(), span.kind),
        (trace, parent, 2)
    );
    for (key, value) in [
        ("http.request.method", "GET"),
        ("http.response.status_code", "200"),
        ("spindle.component", "users"),
        ("spindle.operation", "get-own-user"),
        ("spindle.request_id", request_id.as_str()),
        ("service.name", "spindle"),
        ("service.version", env!("CARGO_PKG_VERSION")),
    ] {
        assert_eq!(
            span.attributes.get(key).map(String::as_str),
            Some(value),
            "{key}"
        );
    }
    assert!(!span.is_error);
    let part = collector.wait_for("component users");
    assert_eq!(
        (&part.trace_id, &part.parent_id),
        (&span.trace_id, &span.span_id)
    );
    assert!(
        span.start <= part.start && part.start < part.end && part.end <= span.end,
        "{part:?} in {span:?}"
    );

    // Without an operation the span is named after the method, and without a parent it starts a
    // trace.
    let unknown = collector.wait_for("GET");
    assert_eq!(unknown.attributes["http.response.status_code"], "404");
    assert_ne!(unknown.trace_id, trace);
    assert!(unknown.parent_id.is_empty());
    assert!(
        collector
            .spans()
            .iter()
            .all(|span| span.name != "get-users")
    );

    // A poll is one span, from its beginning until its answer.
    let queue = spindle_tests::Queue::of(&user, &["user_status"]);
    std::thread::scope(|scope| {
        scope.spawn(|| queue.fetch(-1, false).ok());
        server.until_polls_wait(1);
        user.post("/users/me/status", &[("status_text", "x")]).ok();
    });
    // Remaining spans are sent when the server stops.
    server.terminate();
    let poll = collector.wait_for("get-events");
    let change = collector.wait_for("update-status");
    assert!(
        poll.start < change.start && change.start < poll.end,
        "{poll:?} and {change:?}"
    );
    assert!(
        poll.attributes
            .values()
            .all(|value| !value.contains(&user.api_key))
    );
    for (head, body) in collector.received() {
        assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
        assert!(
            head.to_lowercase().contains("x-collector-key: k1"),
            "{head}"
        );
        let key = user.api_key.as_bytes();
        assert!(
            !body.windows(key.len()).any(|window| window == key),
            "a key was sent"
        );
        let path = b"/users/me";
        assert!(
            !body.windows(path.len()).any(|window| window == path),
            "a path was sent"
        );
    }
}

/// A missing collector costs spans and nothing else; the server stops in time.
#[test]
fn a_missing_collector_delays_nothing() {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", gone.local_addr().expect("its address"));
    drop(gone);
    let mut server = traced(&endpoint);
    let user = server.user("member");
    for _ in 0..20 {
        user.get("/users/me", &[]).ok();
    }
    let started = Instant::now();
    assert!(server.terminate().success());
    assert!(started.elapsed() < PATIENCE);
}
