//! A keep-alive HTTP/1.1 client of a few dozen lines.
//!
//! The load generator shares two cores with the server, so it must be cheap: requests are bytes prepared
//! once, answers are read up to their `content-length` and not parsed further. It is not a general client:
//! it refuses bodies without a length.

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One request, ready to be written any number of times.
#[derive(Clone)]
pub struct Prepared(pub Vec<u8>);

impl Prepared {
    /// Builds a request with form fields in the body (or in the query of a GET).
    pub fn new(
        method: &str,
        path: &str,
        credentials: Option<(&str, &str)>,
        form: &[(&str, &str)],
    ) -> Self {
        let encoded = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let (target, body) = match (method, encoded.is_empty()) {
            ("GET", false) => (format!("{path}?{encoded}"), String::new()),
            _ => (path.to_owned(), encoded),
        };
        let mut head = beginning(method, &target, credentials);
        if method != "GET" {
            head.push_str(&format!(
                "content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n",
                body.len()
            ));
        }
        head.push_str("\r\n");
        head.push_str(&body);
        Self(head.into_bytes())
    }

    /// Builds a POST with one file.
    pub fn upload(path: &str, credentials: Option<(&str, &str)>, content: &[u8]) -> Self {
        const BOUNDARY: &str = "----spindleBench7Kq3";
        let before = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"file\"\r\n\r\n"
        );
        let after = format!("\r\n--{BOUNDARY}--\r\n");
        let length = before.len() + content.len() + after.len();
        let mut head = beginning("POST", path, credentials);
        head.push_str(&format!(
            "content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {length}\r\n\r\n"
        ));
        Self(
            [
                head.as_bytes(),
                before.as_bytes(),
                content,
                after.as_bytes(),
            ]
            .concat(),
        )
    }
}

/// The first lines of a request.
fn beginning(method: &str, target: &str, credentials: Option<(&str, &str)>) -> String {
    let mut head = format!("{method} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    if let Some((user, key)) = credentials {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{key}"));
        head.push_str(&format!("authorization: Basic {pair}\r\n"));
    }
    head
}

/// The answer to a request.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON, refusing error answers.
    pub fn json(&self) -> Result<serde_json::Value> {
        let value: serde_json::Value = serde_json::from_slice(&self.body)
            .with_context(|| format!("not JSON: {}", String::from_utf8_lossy(&self.body)))?;
        if self.status != 200 {
            bail!("status {}: {value}", self.status);
        }
        Ok(value)
    }
}

/// A connection with at most one request in flight.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)
            .await
            .with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
        })
    }

    pub async fn send(&mut self, request: &Prepared) -> Result<Answer> {
        self.start(request).await?;
        self.finish().await
    }

    /// Writes the request without waiting for the answer: for polls that are held.
    pub async fn start(&mut self, request: &Prepared) -> Result<()> {
        self.stream.write_all(&request.0).await?;
        Ok(())
    }

    /// Reads one whole answer.
    pub async fn finish(&mut self) -> Result<Answer> {
        self.buffer.clear();
        let (status, head_end, length) = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.buffer[..end])?;
                break (status_of(head)?, end + 4, length_of(head)?);
            }
            self.fill().await?;
        };
        while self.buffer.len() < head_end + length {
            self.fill().await?;
        }
        Ok(Answer {
            status,
            body: self.buffer[head_end..head_end + length].to_vec(),
        })
    }

    async fn fill(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!(
                "the server closed the connection after {:?}",
                String::from_utf8_lossy(&self.buffer)
            );
        }
        Ok(())
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn status_of(head: &str) -> Result<u16> {
    head.get(9..12)
        .and_then(|digits| digits.parse().ok())
        .with_context(|| format!("no status in {head:?}"))
}

fn length_of(head: &str) -> Result<usize> {
    head.lines()
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse().ok())?
        })
        .with_context(|| format!("no content-length in {head:?}"))
}
