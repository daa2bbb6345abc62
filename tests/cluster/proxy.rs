//! What stands between a node and its database: a relay of bytes that can stop passing them on, or break off.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// What becomes of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// They pass.
    Open,
    /// They wait; connections are made all the same, and nothing says that anything is wrong.
    Silent,
    /// Connections are closed, old and new ones.
    Broken,
}

struct Shared {
    path: Mutex<Path>,
    changed: Condvar,
    /// Both ends of each connection.
    ends: Mutex<Vec<TcpStream>>,
    /// What a client says, and what the server gets instead: of the same length.
    instead: Option<(Vec<u8>, Vec<u8>)>,
}

/// A relay to one address.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Stands before the database with this URL; returns the URL through it.
    pub(crate) fn before(url: &str) -> (Self, String) {
        Self::with(url, None)
    }

    /// The same, where the server gets another text of the same length instead of one that clients send.
    pub(crate) fn rewriting(url: &str, from: &str, to: &str) -> (Self, String) {
        assert_eq!(from.len(), to.len(), "messages have lengths");
        Self::with(url, Some((from.into(), to.into())))
    }

    fn with(url: &str, instead: Option<(Vec<u8>, Vec<u8>)>) -> (Self, String) {
        let (rest, database) = url.rsplit_once('/').expect("a path");
        let (account, port) = rest.rsplit_once(':').expect("a port");
        let proxy = Self::to(port.parse().expect("a port"), instead);
        let through = format!("{account}:{}/{database}", proxy.port);
        (proxy, through)
    }

    fn to(port: u16, instead: Option<(Vec<u8>, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            path: Mutex::new(Path::Open),
            changed: Condvar::new(),
            ends: Mutex::default(),
            instead,
        });
        let relay = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let relay = Arc::clone(&relay);
                thread::spawn(move || relay.connect(client, port));
            }
        });
        Self { port: own, shared }
    }

    pub(crate) fn set(&self, path: Path) {
        *self.shared.path.lock().expect("lock") = path;
        self.shared.changed.notify_all();
        if path == Path::Broken {
            for end in self.shared.ends.lock().expect("lock").drain(..) {
                let _ = end.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Shared {
    /// Waits until bytes pass; false when they never will.
    fn is_open(&self) -> bool {
        let mut path = self.path.lock().expect("lock");
        while *path == Path::Silent {
            path = self.changed.wait(path).expect("lock");
        }
        *path == Path::Open
    }

    fn connect(self: Arc<Self>, client: TcpStream, port: u16) {
        if !self.is_open() {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
            return;
        };
        let (from, to) = (client.try_clone(), server.try_clone());
        let (Ok(from), Ok(to)) = (from, to) else {
            return;
        };
        let kept = [client.try_clone(), server.try_clone()];
        self.ends
            .lock()
            .expect("lock")
            .extend(kept.into_iter().flatten());
        let other = Arc::clone(&self);
        thread::spawn(move || other.pass(from, to, other.instead.as_ref()));
        self.pass(server, client, None);
    }

    fn pass(&self, mut from: TcpStream, mut to: TcpStream, instead: Option<&(Vec<u8>, Vec<u8>)>) {
        let mut bytes = [0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if let Some((said, instead)) = instead {
                replace(&mut bytes[..count], said, instead);
            }
            if !self.is_open() || to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

fn replace(bytes: &mut [u8], said: &[u8], instead: &[u8]) {
    let mut begin = 0;
    while let Some(step) = bytes[begin..]
        .windows(said.len())
        .position(|part| part == said)
    {
        begin += step;
        bytes[begin..begin + said.len()].copy_from_slice(instead);
    }
}
