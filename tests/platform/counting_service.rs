//! A service over HTTP that counts the calls of servers under test.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A service that answers every call alike and keeps what it was sent. While it is silent, calls wait.
#[derive(Clone, Default)]
pub struct Service(Arc<State>);

#[derive(Default)]
struct State {
    is_silent: AtomicBool,
    /// Head and body of each call.
    calls: Mutex<Vec<(String, String)>>,
    waiting: Mutex<Vec<TcpStream>>,
}

impl Service {
    /// Starts it; returns its address, too.
    pub fn start(answer: &'static str) -> (Self, String) {
        let service = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::clone(&service.0);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let Some(call) = read_call(&mut stream) else {
                    continue;
                };
                state.calls.lock().expect("lock").push(call);
                if state.is_silent.load(Ordering::SeqCst) {
                    state.waiting.lock().expect("lock").push(stream);
                    continue;
                }
                let length = answer.len();
                let head =
                    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}");
                let _ = stream.write_all(format!("{head}\r\n\r\n{answer}").as_bytes());
            }
        });
        (service, url)
    }

    pub fn be_silent(&self, is_silent: bool) {
        self.0.is_silent.store(is_silent, Ordering::SeqCst);
    }

    pub fn calls(&self) -> Vec<(String, String)> {
        self.0.calls.lock().expect("lock").clone()
    }

    /// Whether the caller of the only call that waits has ended.
    pub fn caller_is_gone(&self) -> bool {
        let mut waiting = self.0.waiting.lock().expect("lock");
        let [stream] = waiting.as_mut_slice() else {
            panic!("{} calls wait", waiting.len());
        };
        let patience = Some(Duration::from_secs(1));
        stream.set_read_timeout(patience).expect("a timeout");
        match stream.read(&mut [0]) {
            Ok(0) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
            Ok(_) => panic!("the call goes on"),
        }
    }
}

/// Head and body of a request.
fn read_call(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    loop {
        let length = stream.read(&mut part).ok().filter(|length| *length > 0)?;
        seen.extend_from_slice(&part[..length]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let expected = head.split("content-length: ").nth(1)?;
        let expected: usize = expected.split("\r\n").next()?.parse().ok()?;
        if body.len() >= expected {
            return Some((head, body.to_owned()));
        }
    }
}
