//! The layer between a socket and the HTTP parser.
//!
//! It adds what the parser lacks: a time limit for the head of a request, separate from the idle
//! limit and without a timer for each request; a time limit for clients that do not read their
//! answers; a record of whether the head gave a length, which the parser drops when the body is
//! chunked; and the protocol's error envelope in the parser's own answers to malformed input.

use super::transfer_pace::Transfer;
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

/// Most bytes of a head that are kept.
const MAX_HEAD: usize = 64 << 10;
/// Bytes per read while a head is expected.
const CHUNK: usize = 4 << 10;

/// State shared with the HTTP service: whether a request is being answered, and the bytes received
/// since the last one.
#[derive(Default)]
pub(super) struct Progress {
    answering: AtomicBool,
    /// Set with every answer, cleared by the next read.
    answered: AtomicBool,
    head: Mutex<Vec<u8>>,
}

impl Progress {
    /// Marks a request as being answered until the returned guard is dropped.
    pub(super) fn answer(self: &Arc<Self>) -> AnswerGuard {
        self.answering.store(true, Ordering::Relaxed);
        self.answered.store(true, Ordering::Relaxed);
        // Frees the memory too: an answer may be held for minutes.
        *self.head() = Vec::new();
        AnswerGuard(Arc::clone(self))
    }

    /// Whether the head that has just been read gives a length. Unknown, and therefore false, for
    /// a head that arrived together with an earlier request; the parser then ignores the length and
    /// closes the connection.
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

pub(super) struct AnswerGuard(Arc<Progress>);

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        self.0.answering.store(false, Ordering::Relaxed);
    }
}

/// Longest times that a client may take.
#[derive(Clone, Copy)]
pub(super) struct Timeouts {
    /// From the first byte of a head to its last.
    pub(super) head: Duration,
    /// Between requests.
    pub(super) idle: Duration,
    /// The window in which a client must read some of an answer that exceeds the socket's buffer.
    pub(super) answer: Duration,
}

/// The socket as the parser sees it.
pub(super) struct Connection<T> {
    socket: T,
    progress: Arc<Progress>,
    timeouts: Timeouts,
    /// When the head being read began.
    head_began: Option<Instant>,
    /// The last read or write.
    last_activity: Instant,
    /// Reset only when it fires, or for a head that arrives in several reads.
    timer: Pin<Box<Sleep>>,
    /// Bytes of a rewritten answer still to be sent.
    rewritten: Option<(Vec<u8>, usize)>,
    /// The socket's buffer is full.
    is_blocked: bool,
    /// The client's reading progress while the buffer is full. Boxed: few connections need it.
    stall: Option<Box<WriteStall>>,
}

/// An answer that waits for the client to read.
struct WriteStall {
    transfer: Transfer,
    timer: Pin<Box<Sleep>>,
}

impl WriteStall {
    fn new(window: Duration) -> Self {
        let transfer = Transfer::new(window, Instant::now());
        Self {
            timer: Box::pin(tokio::time::sleep_until(transfer.judged_at().into())),
            transfer,
        }
    }

    /// Ready when the client reads too slowly.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
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
    pub(super) fn new(socket: T, progress: &Arc<Progress>, timeouts: Timeouts) -> Self {
        Self {
            socket,
            progress: Arc::clone(progress),
            timeouts,
            head_began: None,
            last_activity: Instant::now(),
            timer: Box::pin(tokio::time::sleep(timeouts.idle)),
            rewritten: None,
            is_blocked: false,
            stall: None,
        }
    }

    /// Handles the outcome of a write; an error if the client has read too slowly.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let was_blocked = std::mem::replace(&mut self.is_blocked, outcome.is_pending());
        match &outcome {
            Poll::Ready(Ok(written)) => {
                self.last_activity = Instant::now();
                if let Some(stall) = &mut self.stall {
                    stall.transfer.moved(*written);
                }
                outcome
            }
            Poll::Ready(Err(_)) => outcome,
            Poll::Pending => {
                // Start a new window: the old one belongs to an earlier stall.
                let old = |stall: &WriteStall| stall.transfer.judged_at() <= Instant::now();
                if !was_blocked && self.stall.as_deref().is_some_and(old) {
                    self.stall = None;
                }
                let window = self.timeouts.answer;
                let stall = self
                    .stall
                    .get_or_insert_with(|| Box::new(WriteStall::new(window)));
                ready!(stall.poll_timeout(cx));
                Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
            }
        }
    }

    /// Ready when the client has exceeded a time limit.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = match self.head_began {
            Some(began) => began + self.timeouts.head,
            None => self.last_activity + self.timeouts.idle,
        };
        let deadline = deadline.into();
        // A timer that fires too early is harmless and cheaper than a reset for each request.
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
        // While the client still has to read, the idle limit does not apply.
        if this.is_blocked || this.progress.answering.load(Ordering::Relaxed) {
            return Pin::new(&mut this.socket).poll_read(cx, buffer);
        }
        if this.progress.answered.swap(false, Ordering::Relaxed) {
            this.head_began = None;
            this.last_activity = Instant::now();
        }
        match this.read_head(cx, buffer) {
            Poll::Ready(outcome) => {
                this.last_activity = Instant::now();
                this.head_began.get_or_insert(this.last_activity);
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                ready!(this.poll_timeout(cx));
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

/// The answer to send instead of `bytes`, if they are an answer of the parser itself: only those have
/// no body.
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

/// A complete HTTP answer, for connections that are refused before a request is read.
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
