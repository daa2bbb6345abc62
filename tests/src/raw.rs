//! Raw sockets, for requests that no HTTP library would send: two lengths, NUL bytes, forged
//! headers. Sends bytes, returns what the server sent before it closed or fell silent.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer, parsed loosely.
#[derive(Debug)]
pub struct RawReply {
    /// Status of the first answer; 0 when the server closed without one.
    pub status: u16,
    /// Everything received.
    pub text: String,
}

impl RawReply {
    /// Number of HTTP answers in the received bytes.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.text.matches("HTTP/1.1 ").count()
    }

    /// Body of the first answer as JSON, if it is JSON.
    #[must_use]
    pub fn json(&self) -> Option<serde_json::Value> {
        let (_, body) = self.text.split_once("\r\n\r\n")?;
        let mut values = serde_json::Deserializer::from_str(body).into_iter();
        values.next()?.ok()
    }
}

/// Sends bytes and reads until the server closes, or is silent for a second.
#[must_use]
pub fn exchange(address: &str, bytes: &[u8]) -> RawReply {
    let mut socket = TcpStream::connect(address).expect("connect");
    socket
        .set_read_timeout(Some(Duration::from_millis(1000)))
        .expect("timeout");
    // The server may refuse early and close, so a failed write is not a failure of the test.
    let _ = socket.write_all(bytes);
    let mut received = Vec::new();
    let mut chunk = [0_u8; 8192];
    while let Ok(count) = socket.read(&mut chunk) {
        if count == 0 {
            break;
        }
        received.extend_from_slice(&chunk[..count]);
    }
    let text = String::from_utf8_lossy(&received).into_owned();
    let status = text
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3))
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    RawReply { status, text }
}
