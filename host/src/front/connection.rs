//! What lies between a socket and the HTTP parser.
//!
//! Two things the parser does not do: a time limit from the first byte of a
//! request's head to its last, other than the one for silence between requests;
//! and the protocol's envelope in the parser's own answers to malformed input.

use http::StatusCode;
use hyper::rt::{Read, ReadBufCursor, Write};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::Sleep;

/// Shared with the service: whether a request is being answered.
#[derive(Default)]
pub(super) struct Progress {
    answering: AtomicBool,
}

impl Progress {
    /// Notes that a head is complete and being answered, until the guard drops.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.answering.store(true, Ordering::Relaxed);
        Answering(Arc::clone(self))
    }
}

pub(super) struct Answering(Arc<Progress>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.store(false, Ordering::Relaxed);
    }
}

/// The socket as the parser sees it.
pub(super) struct Connection<T> {
    socket: T,
    progress: Arc<Progress>,
    limit: Duration,
    /// Runs while a head has begun and is not complete.
    head_deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes of a rewritten answer still to be sent.
    rewritten: Option<(Vec<u8>, usize)>,
}

impl<T> Connection<T> {
    pub(super) fn new(socket: T, progress: &Arc<Progress>, limit: Duration) -> Self {
        Self {
            socket,
            progress: Arc::clone(progress),
            limit,
            head_deadline: None,
            rewritten: None,
        }
    }
}

impl<T: Read + Unpin> Read for Connection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        let this = &mut *self;
        let outcome = Pin::new(&mut this.socket).poll_read(cx, buffer);
        if this.progress.answering.load(Ordering::Relaxed) {
            this.head_deadline = None;
            return outcome;
        }
        match (&outcome, &mut this.head_deadline) {
            // The first bytes of a head; usually they are all of it, and the
            // timer is dropped before it was ever polled.
            (Poll::Ready(Ok(())), None) => {
                this.head_deadline = Some(Box::pin(tokio::time::sleep(this.limit)));
            }
            (Poll::Pending, Some(deadline)) => {
                ready!(deadline.as_mut().poll(cx));
                return Poll::Ready(Err(Error::from(ErrorKind::TimedOut)));
            }
            _ => {}
        }
        outcome
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
                None => return Pin::new(&mut this.socket).poll_write(cx, bytes),
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
            _ => Pin::new(&mut self.socket).poll_write_vectored(cx, slices),
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
    let body =
        serde_json::json!({"result": "error", "msg": msg, "code": "BAD_REQUEST"}).to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    Some(answer.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
