//! A relay between a browser and a server, which holds requests and answers back: a test decides what arrives first.
//!
//! It passes bytes on and knows of HTTP only that a browser sends one request after the other on a connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use spindle_tests::Server;

/// How long a request is held at most, so that a failed test ends.
const MOST: Duration = Duration::from_secs(30);

/// Bytes of its body that an answer which is halted has passed: Firefox takes note of a head when there is a byte of the body.
const BEGIN: usize = 16;

/// Requests that are held.
#[derive(Clone)]
struct Hold {
    /// A part of their first line.
    part: &'static str,
    /// They go on when a request with this in its first line has arrived.
    until: Option<&'static str>,
}

#[derive(Default)]
struct State {
    hold: Option<Hold>,
    /// A part of the first line of requests whose answers stop after their beginning.
    halt: Option<&'static str>,
    /// How many answers have stopped there.
    halted: usize,
    /// First lines, in the order of their arrival.
    arrived: Vec<String>,
    /// How many requests have been held.
    held: usize,
    has_expired: bool,
}

impl State {
    fn is_held(&self, line: &str) -> bool {
        self.hold.as_ref().is_some_and(|hold| {
            let is_over = hold
                .until
                .is_some_and(|until| self.arrived.iter().any(|one| one.contains(until)));
            line.contains(hold.part) && !is_over
        })
    }
}

#[derive(Clone)]
pub(super) struct Relay {
    pub(super) address: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Relay {
    pub(super) fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let relay = Self {
            address: format!("http://{}", listener.local_addr().expect("its address")),
            state: Arc::default(),
        };
        let target = server.base_url().trim_start_matches("http://").to_owned();
        let own = relay.clone();
        std::thread::spawn(move || {
            for browser in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&target) else {
                    continue;
                };
                own.connect(browser, server);
            }
        });
        relay
    }

    /// Holds requests with `part` in their first line: until one with `until` has arrived, or else
    /// until `release`.
    pub(super) fn hold(&self, part: &'static str, until: Option<&'static str>) {
        self.state.0.lock().expect("lock").hold = Some(Hold { part, until });
    }

    /// Answers to requests with `part` in their first line stop after their beginning, until `release`.
    pub(super) fn halt(&self, part: &'static str) {
        self.state.0.lock().expect("lock").halt = Some(part);
    }

    pub(super) fn release(&self) {
        let mut state = self.state.0.lock().expect("lock");
        state.hold = None;
        state.halt = None;
        self.state.1.notify_all();
    }

    /// How many answers have stopped after their beginning until now: the server has written them.
    pub(super) fn halted(&self) -> usize {
        self.state.0.lock().expect("lock").halted
    }

    /// How many requests have been held until now.
    pub(super) fn held(&self) -> usize {
        self.state.0.lock().expect("lock").held
    }

    /// Whether a request with `part` in its first line has come.
    pub(super) fn has_arrived(&self, part: &str) -> bool {
        self.arrived(part) > 0
    }

    /// How many requests with `part` in their first line have come.
    pub(super) fn arrived(&self, part: &str) -> usize {
        let state = self.state.0.lock().expect("lock");
        let lines = state.arrived.iter();
        lines.filter(|line| line.contains(part)).count()
    }

    /// Whether a request was held for too long.
    pub(super) fn has_expired(&self) -> bool {
        self.state.0.lock().expect("lock").has_expired
    }

    fn connect(&self, browser: TcpStream, server: TcpStream) {
        let (answers, back) = (
            server.try_clone().expect("a copy"),
            browser.try_clone().expect("a copy"),
        );
        let asked = Arc::new(Mutex::new(String::new()));
        let (own, line) = (self.clone(), Arc::clone(&asked));
        std::thread::spawn(move || own.pass_back(answers, back, &line));
        let own = self.clone();
        std::thread::spawn(move || own.pass(browser, server, &asked));
    }

    /// Passes answers on; `asked` is the first line of the request that is being answered.
    fn pass_back(&self, mut server: TcpStream, mut browser: TcpStream, asked: &Mutex<String>) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length) = server.read(&mut buffer) {
            let bytes = &buffer[..length];
            if length == 0 {
                break;
            }
            let line = asked.lock().expect("lock").clone();
            let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
            let begin = end.map_or(0, |end| (end + 4 + BEGIN).min(length));
            let (head, body) = bytes.split_at(begin);
            if browser.write_all(head).is_err() {
                break;
            }
            self.wait_in_answer(&line, !head.is_empty());
            if browser.write_all(body).is_err() {
                break;
            }
        }
        let _ = browser.shutdown(Shutdown::Both);
    }

    fn wait_in_answer(&self, line: &str, is_begin: bool) {
        let is_halted = |state: &State| state.halt.is_some_and(|part| line.contains(part));
        let (state, changed) = &*self.state;
        let mut state = state.lock().expect("lock");
        if !is_halted(&state) {
            return;
        }
        state.halted += usize::from(is_begin);
        let (mut state, timeout) = changed
            .wait_timeout_while(state, MOST, |state| is_halted(state))
            .expect("lock");
        state.has_expired |= timeout.timed_out();
    }

    fn pass(&self, mut browser: TcpStream, mut server: TcpStream, asked: &Mutex<String>) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length) = browser.read(&mut buffer) {
            let bytes = &buffer[..length];
            if length == 0 {
                break;
            }
            if let Some(line) = first_line(bytes) {
                asked.lock().expect("lock").clone_from(&line);
                self.wait(line);
            }
            if server.write_all(bytes).is_err() {
                break;
            }
        }
        let _ = server.shutdown(Shutdown::Both);
    }

    fn wait(&self, line: String) {
        let (state, changed) = &*self.state;
        let mut state = state.lock().expect("lock");
        state.arrived.push(line.clone());
        changed.notify_all();
        if !state.is_held(&line) {
            return;
        }
        state.held += 1;
        let (mut state, timeout) = changed
            .wait_timeout_while(state, MOST, |state| state.is_held(&line))
            .expect("lock");
        state.has_expired |= timeout.timed_out();
    }
}

/// The first line of a request that begins here.
fn first_line(bytes: &[u8]) -> Option<String> {
    let line = bytes.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    line.ends_with(" HTTP/1.1").then(|| line.to_owned())
}
