//! A client that sends too much. Its requests use sockets of their own and another address than the
//! bystander's, as many as the default rate limits admit.
//!
//! Servers of these tests have no rate limits, so that the bystander need not pause. An attacker
//! applies the default limit to itself: a full minute's requests in a burst, then one whenever the
//! limit allows it. This module knows no operation of the API.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use spindle_tests::client::basic;
use spindle_tests::{Server, User};

use crate::attack::{is_set, pause};

/// Requests per minute of an account, by default.
const OF_ACCOUNT: f64 = 200.0;
/// Requests per minute of an address without an account, by default.
const OF_ADDRESS: f64 = 100.0;
/// How long a socket blocks before its thread checks whether the attack is over.
const STEP: Duration = Duration::from_millis(100);

/// An attacker at one address; a clone is another connection of the same attacker.
pub struct Attacker {
    address: SocketAddr,
    /// Header lines sent with every request.
    headers: String,
    course: Arc<Course>,
    socket: Option<TcpStream>,
}

/// State that all connections of an attacker share during one attack.
struct Course {
    /// Requests per minute; `None` means no limit.
    limit: Option<f64>,
    left: Mutex<(f64, Instant)>,
    accepted: AtomicUsize,
    /// The reason of the first refusal.
    refusal: Mutex<Option<String>>,
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Attacker {
    fn new(server: &Server, headers: String, limit: Option<f64>) -> Self {
        Self {
            address: server.address().parse().expect("an address"),
            headers,
            course: Course::new(limit),
            socket: None,
        }
    }

    pub fn anonymous(server: &Server) -> Self {
        Self::new(server, String::new(), Some(OF_ADDRESS))
    }

    pub fn of(server: &Server, user: &User) -> Self {
        let authorization = basic(&user.email, &user.api_key);
        let headers = format!("authorization: {authorization}\r\n");
        Self::new(server, headers, Some(OF_ACCOUNT))
    }

    /// As many attackers as `count`, with accounts of this role.
    pub fn several(server: &Server, role: &str, count: usize) -> Vec<Self> {
        let one = |_| Self::of(server, &server.user(role));
        (0..count).map(one).collect()
    }

    /// Sends as fast as it can, for attacks on the rate limit itself.
    pub fn without_limit(self) -> Self {
        let course = Course::new(None);
        Self { course, ..self }
    }

    /// Sends what the page sends with each request.
    pub fn in_page(mut self) -> Self {
        self.headers.push_str("spindle-client: web\r\n");
        self
    }

    pub fn authorize(&mut self, authorization: &str) {
        self.headers = format!("authorization: {authorization}\r\n");
    }

    /// Calls an operation with parameters; `None` when there was no answer.
    pub fn call(
        &mut self,
        is_over: &AtomicBool,
        method: &str,
        path: &str,
        pairs: &[(&str, &str)],
    ) -> Option<Answer> {
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        if method == "GET" {
            return self.send(is_over, method, &format!("{path}?{form}"), "", &[]);
        }
        let content_type = "application/x-www-form-urlencoded";
        self.send(is_over, method, path, content_type, form.as_bytes())
    }

    /// Uploads one file.
    pub fn upload(
        &mut self,
        is_over: &AtomicBool,
        path: &str,
        name: &str,
        content: &[u8],
    ) -> Option<Answer> {
        let mut body = format!(
            "--b\r\nContent-Disposition: form-data; name=\"filename\"; filename=\"{name}\"\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--b--\r\n");
        let content_type = "multipart/form-data; boundary=b";
        self.send(is_over, "POST", path, content_type, &body)
    }

    /// Sends a request, and reads its answer unless the attack ends before.
    pub fn send(
        &mut self,
        is_over: &AtomicBool,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Option<Answer> {
        if !self.course.wait(is_over) {
            return None;
        }
        let mut request = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nhost: x\r\n{}content-length: {}\r\n",
            self.headers,
            body.len()
        );
        if !content_type.is_empty() {
            request.push_str(&format!("content-type: {content_type}\r\n"));
        }
        request.push_str("\r\n");
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        let answer = self.exchange(is_over, &bytes);
        match &answer {
            Some(answer) => self.course.note(method, path, answer),
            // The connection's unread bytes must not become part of the next answer.
            None => self.socket = None,
        }
        answer
    }

    fn exchange(&mut self, is_over: &AtomicBool, bytes: &[u8]) -> Option<Answer> {
        if self.socket.is_none() {
            self.socket = connect(self.address);
        }
        let Some(socket) = &mut self.socket else {
            pause(is_over, STEP);
            return None;
        };
        write(socket, is_over, bytes)?;
        read(socket, is_over)
    }
}

impl Clone for Attacker {
    fn clone(&self) -> Self {
        Self {
            address: self.address,
            headers: self.headers.clone(),
            course: Arc::clone(&self.course),
            socket: None,
        }
    }
}

impl Course {
    fn new(limit: Option<f64>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            left: Mutex::new((limit.unwrap_or(0.0), Instant::now())),
            accepted: AtomicUsize::new(0),
            refusal: Mutex::new(None),
        })
    }

    /// Waits until the limit admits one more request; false when the attack is over.
    fn wait(&self, is_over: &AtomicBool) -> bool {
        while !is_set(is_over) {
            let Some(limit) = self.limit else {
                return true;
            };
            {
                let mut left = self.left.lock().expect("lock");
                let back = left.1.elapsed().as_secs_f64() * limit / 60.0;
                *left = ((left.0 + back).min(limit), Instant::now());
                if left.0 >= 1.0 {
                    left.0 -= 1.0;
                    return true;
                }
            }
            pause(is_over, STEP);
        }
        false
    }

    /// The server may refuse, also because of overload. It must not fail.
    #[track_caller]
    fn note(&self, method: &str, path: &str, answer: &Answer) {
        if answer.status < 300 {
            self.accepted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let text = String::from_utf8_lossy(&answer.body);
        let path = path.split('?').next().unwrap_or(path);
        let text = format!("{method} {path}: {} {text}", answer.status);
        assert!(matches!(answer.status, 400..=499 | 503 | 504), "{text}");
        self.refusal.lock().expect("lock").get_or_insert(text);
    }
}

/// A connection from another address than the bystander's.
fn connect(address: SocketAddr) -> Option<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
    let own = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0));
    socket.bind(&own.into()).ok()?;
    socket.connect(&address.into()).ok()?;
    let socket = TcpStream::from(socket);
    socket.set_nodelay(true).ok()?;
    socket.set_read_timeout(Some(STEP)).ok()?;
    socket.set_write_timeout(Some(STEP)).ok()?;
    Some(socket)
}

fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn write(socket: &mut TcpStream, is_over: &AtomicBool, bytes: &[u8]) -> Option<()> {
    let mut written = 0;
    while written < bytes.len() {
        if is_set(is_over) {
            return None;
        }
        match socket.write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if is_late(&error) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn read(socket: &mut TcpStream, is_over: &AtomicBool) -> Option<Answer> {
    let (mut received, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
    let mut head: Option<(u16, usize, usize)> = None;
    loop {
        if let Some((status, start, length)) = head
            && received.len() >= start + length
        {
            let body = received.split_off(start);
            return Some(Answer { status, body });
        }
        if is_set(is_over) {
            return None;
        }
        match socket.read(&mut chunk) {
            Ok(0) => return None,
            Ok(count) => received.extend_from_slice(&chunk[..count]),
            Err(error) if is_late(&error) => {}
            Err(_) => return None,
        }
        if head.is_none() {
            head = head_of(&received);
        }
    }
}

/// The status, the offset of the body, and its length; `None` while the head is incomplete.
fn head_of(received: &[u8]) -> Option<(u16, usize, usize)> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |length| length.trim().parse().expect("a length"));
    Some((status, end + 4, length))
}

/// Repeats `deed` on several connections of each attacker, with a counter per connection, until the
/// attack is over. At least one request must be accepted: otherwise the attack tests nothing.
pub fn at_once(
    attackers: &[Attacker],
    connections: usize,
    is_over: &AtomicBool,
    deed: impl Fn(&mut Attacker, usize) + Sync,
) {
    let courses = run(attackers, connections, is_over, deed);
    for course in courses {
        let accepted = course.accepted.load(Ordering::Relaxed);
        let refusal = course.refusal.lock().expect("lock").take();
        println!("{accepted} accepted; refused: {refusal:?}");
        assert!(accepted > 0 || refusal.is_none(), "{refusal:?}");
    }
}

/// As [`at_once`], for requests that the server should refuse.
pub fn refused_at_once(
    attackers: &[Attacker],
    connections: usize,
    is_over: &AtomicBool,
    deed: impl Fn(&mut Attacker, usize) + Sync,
) {
    run(attackers, connections, is_over, deed);
}

fn run(
    attackers: &[Attacker],
    connections: usize,
    is_over: &AtomicBool,
    deed: impl Fn(&mut Attacker, usize) + Sync,
) -> Vec<Arc<Course>> {
    let mut courses = Vec::new();
    std::thread::scope(|scope| {
        for (place, attacker) in attackers.iter().enumerate() {
            // Each attack starts with a full minute's requests.
            let course = Course::new(attacker.course.limit);
            for number in 0..connections {
                let (mut own, deed) = (attacker.clone(), &deed);
                own.course = Arc::clone(&course);
                scope.spawn(move || {
                    let all = attackers.len() * connections;
                    let mut number = place * connections + number;
                    while !is_set(is_over) {
                        deed(&mut own, number);
                        number += all;
                    }
                });
            }
            courses.push(course);
        }
    });
    courses
}
