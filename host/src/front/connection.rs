//! What lies between a socket and the HTTP parser.
//!
//! Four things the parser does not do: a time limit from the first byte of a
//! request's head to its last, other than the one for silence between requests,
//! and without a timer for each; one for clients that do not read their answers; a
//! memory of whether the head gave a length, which the parser forgets when the body
//! is chunked; and the protocol's envelope in the parser's own answers to malformed
//! input.

use super::transfer::Transfer;
use http::StatusCode;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use spindle_wire::Code;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::time::Sleep;

/// Most bytes of a head that are remembered.
const MAX_HEAD: usize = 64 << 10;
/// Bytes read at once while a head is expected.
const CHUNK: usize = 4 << 10;

/// Shared with the service: whether a request is being answered, and the bytes
/// that came since the last one.
#[derive(Default)]
pub(super) struct Progress {
    answering: AtomicBool,
    /// Set with every answer, taken back by the next read.
    answered: AtomicBool,
    head: Mutex<Vec<u8>>,
}

impl Progress {
    /// Notes that a head is complete and being answered, until the guard drops.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.answering.store(true, Ordering::Relaxed);
        self.answered.store(true, Ordering::Relaxed);
        // Not only emptied: an answer may be held for long.
        *self.head() = Vec::new();
        Answering(Arc::clone(self))
    }

    /// Whether the head that has just been read gives a length. Not known, and
    /// therefore false, for a head that came together with an earlier request;
    /// the parser then ignores the length and ends the connection.
    pub(super) fn head_has_length(&self) -> bool {
        let head = self.head();
        let lines = head.split(|byte| *byte == b'\n');
        let names = lines
            .take_while(|line| !line.trim_ascii().is_empty())
            .filter_map(|line| line.split(|byte| *byte == b':').next());
        names
            .map(<[u8]>::trim_ascii)
            .any(|name| name.eq_ignore_ascii_case(b"content-length"))
    }

    fn head(&self) -> MutexGuard<'_, Vec<u8>> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, bytes: &[u8]) {
        let mut head = self.head();
        let room = MAX_HEAD.saturating_sub(head.len()).min(bytes.len());
        head.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }
}

pub(super) struct Answering(Arc<Progress>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.store(false, Ordering::Relaxed);
    }
}

/// Longest times that a client may take.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// From the first byte of a head to its last.
    pub(super) head: Duration,
    /// Between requests.
    pub(super) idle: Duration,
    /// In which a client must read some of an answer that does not fit into the socket.
    pub(super) answer: Duration,
}

/// The socket as the parser sees it.
pub(super) struct Connection<T> {
    socket: T,
    progress: Arc<Progress>,
    patience: Patience,
    /// When the head being read began.
    head_began: Option<Instant>,
    /// When something was read or written last.
    heard: Instant,
    /// Set anew only when it fires, or for a head that does not come at once.
    timer: Pin<Box<Sleep>>,
    /// Bytes of a rewritten answer still to be sent.
    rewritten: Option<(Vec<u8>, usize)>,
    /// The socket takes no more of an answer for now.
    is_blocked: bool,
    /// How the client has read while it did. Boxed: few clients come so far.
    unread: Option<Box<Unread>>,
}

/// An answer that waits for the client to read.
struct Unread {
    transfer: Transfer,
    timer: Pin<Box<Sleep>>,
}

impl Unread {
    fn new(window: Duration) -> Self {
        let transfer = Transfer::new(window, Instant::now());
        Self {
            timer: Box::pin(tokio::time::sleep_until(transfer.judged_at().into())),
            transfer,
        }
    }

    /// Ready when the client reads too little.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.timer.as_mut().poll(cx).is_ready() {
            if !self.transfer.judge(Instant::now()) {
                return Poll::Ready(());
            }
            let next = self.transfer.judged_at().into();
            self.timer.as_mut().reset(next);
        }
        Poll::Pending
    }
}

impl<T> Connection<T> {
    pub(super) fn new(socket: T, progress: &Arc<Progress>, patience: Patience) -> Self {
        Self {
            socket,
            progress: Arc::clone(progress),
            patience,
            head_began: None,
            heard: Instant::now(),
            timer: Box::pin(tokio::time::sleep(patience.idle)),
            rewritten: None,
            is_blocked: false,
            unread: None,
        }
    }

    /// What has become of an attempt to write, unless the client has read too little meanwhile.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let was_blocked = std::mem::replace(&mut self.is_blocked, outcome.is_pending());
        match &outcome {
            Poll::Ready(Ok(written)) => {
                self.heard = Instant::now();
                if let Some(unread) = &mut self.unread {
                    unread.transfer.moved(*written);
                }
                outcome
            }
            Poll::Ready(Err(_)) => outcome,
            Poll::Pending => {
                // The window of an earlier time is over, of an earlier answer perhaps.
                let old = |unread: &Unread| unread.transfer.judged_at() <= Instant::now();
                if !was_blocked && self.unread.as_deref().is_some_and(old) {
                    self.unread = None;
                }
                let window = self.patience.answer;
                let unread = self
                    .unread
                    .get_or_insert_with(|| Box::new(Unread::new(window)));
                ready!(unread.poll_patience(cx));
                Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
            }
        }
    }

    /// Ready when the client has taken too long.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = match self.head_began {
            Some(began) => began + self.patience.head,
            None => self.heard + self.patience.idle,
        };
        let deadline = deadline.into();
        // A timer that fires too early is harmless, and cheaper than setting it
        // for each request.
        if self.timer.deadline() > deadline {
            self.timer.as_mut().reset(deadline);
        }
        while self.timer.as_mut().poll(cx).is_ready() {
            if self.timer.deadline() >= deadline {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl<T: Read + Unpin> Read for Connection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        let this = &mut *self;
        // While the client has to read, its own silence is no fault.
        if this.is_blocked || this.progress.answering.load(Ordering::Relaxed) {
            return Pin::new(&mut this.socket).poll_read(cx, buffer);
        }
        if this.progress.answered.swap(false, Ordering::Relaxed) {
            this.head_began = None;
            this.heard = Instant::now();
        }
        match this.read_head(cx, buffer) {
            Poll::Ready(outcome) => {
                this.heard = Instant::now();
                this.head_began.get_or_insert(this.heard);
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                ready!(this.poll_patience(cx));
                Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
            }
        }
    }
}

impl<T: Read + Unpin> Connection<T> {
    fn read_head(&mut self, cx: &mut Context<'_>, mut to: ReadBufCursor<'_>) -> Poll<Result<()>> {
        let mut chunk = [const { MaybeUninit::uninit() }; CHUNK];
        let length = to.remaining().min(CHUNK);
        let mut read = ReadBuf::uninit(chunk.get_mut(..length).unwrap_or_default());
        ready!(Pin::new(&mut self.socket).poll_read(cx, read.unfilled()))?;
        self.progress.remember(read.filled());
        to.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin> Write for Connection<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let this = &mut *self;
        if this.rewritten.is_none() {
            match rewrite(bytes) {
                Some(answer) => this.rewritten = Some((answer, 0)),
                None => {
                    let outcome = Pin::new(&mut this.socket).poll_write(cx, bytes);
                    return this.written(cx, outcome);
                }
            }
        }
        while let Some((answer, sent)) = &mut this.rewritten {
            let rest = answer.get(*sent..).unwrap_or_default();
            if rest.is_empty() {
                this.rewritten = None;
                break;
            }
            *sent += ready!(Pin::new(&mut this.socket).poll_write(cx, rest))?;
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        let rewriting =
            self.rewritten.is_some() || first.is_some_and(|slice| rewrite(slice).is_some());
        match first {
            Some(first) if rewriting => self.poll_write(cx, first),
            _ => {
                let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
                self.written(cx, outcome)
            }
        }
    }
}

/// The parser's own answers have no body, which none of ours lacks: the answer
/// to send in the place of `bytes`, if they are such a one.
fn rewrite(bytes: &[u8]) -> Option<Vec<u8>> {
    let status = bytes.strip_prefix(b"HTTP/1.1 4")?;
    let status = match status.get(..2)? {
        b"00" => StatusCode::BAD_REQUEST,
        b"14" => StatusCode::URI_TOO_LONG,
        b"31" => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let empty = head
        .lines()
        .any(|line| line.eq_ignore_ascii_case("content-length: 0"));
    let typed = head
        .lines()
        .any(|line| line.to_ascii_lowercase().starts_with("content-type:"));
    if !empty || typed || !body.is_empty() {
        return None;
    }
    let msg = match status {
        StatusCode::BAD_REQUEST => "The request is not readable as HTTP",
        StatusCode::URI_TOO_LONG => "The address of the request is too long",
        _ => "The headers of the request are too large",
    };
    Some(bare_error(status, msg))
}

/// A whole answer as bytes, for what is refused before there is a request.
pub(super) fn bare_error(status: StatusCode, msg: &str) -> Vec<u8> {
    let code = Code::BadRequest.name();
    let body = serde_json::json!({"result": "error", "msg": msg, "code": code}).to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    answer.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_counts_only_in_the_head() {
        let cases = [
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nx: content-length: 5\r\n\r\n", false),
            (
                "POST / HTTP/1.1\r\nx: y\r\n\r\ncontent-length: 5\r\n",
                false,
            ),
        ];
        for (head, expected) in cases {
            let progress = Progress::default();
            progress.remember(head.as_bytes());
            assert_eq!(progress.head_has_length(), expected, "{head}");
        }
    }

    #[test]
    fn only_the_parsers_own_answers_are_rewritten() {
        let own = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        let answer = String::from_utf8(rewrite(own).unwrap()).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
        assert!(answer.ends_with("\"result\":\"error\"}"), "{answer}");
        let others: [&[u8]; 4] = [
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 4",
        ];
        for bytes in others {
            assert_eq!(rewrite(bytes), None);
        }
    }
}
