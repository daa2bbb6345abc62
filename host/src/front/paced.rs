//! The socket of a client, which is read less often while the client sends in small pieces.
//!
//! A byte costs a client as little as a packet does, and the server a wake-up, a system call and a look at what has
//! come so far: a few hundred sockets that send byte by byte take a processor. After some such pieces in a row the
//! socket is left alone for a while after each. What comes meanwhile is in the kernel's buffer and is read at once, so
//! a client that sends much in small pieces loses nothing. Lies beneath TLS, since a record may come in pieces as well.
//! Must not know what the bytes mean.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// Fewer bytes at once are a small piece. A packet of a slow network has more.
const SMALL: usize = 1 << 10;
/// So many small pieces may come in a row before the first pause. A head and a body are two; the server's answer
/// begins a new row.
pub(crate) const FREE: u32 = 16;
/// With each further one the pause grows by this much.
const STEP: Duration = Duration::from_millis(25);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(1);

/// How a client has sent lately.
#[derive(Default)]
struct Pace {
    /// Small pieces in a row.
    small: u32,
}

impl Pace {
    /// Counts what was read at once, which was all that had come if `is_all`; returns how long to wait before the
    /// next read.
    fn read(&mut self, bytes: usize, is_all: bool) -> Option<Duration> {
        if bytes >= SMALL || !is_all {
            self.small = 0;
            return None;
        }
        self.small = self.small.saturating_add(1);
        let beyond = self.small.saturating_sub(FREE);
        (beyond > 0).then(|| STEP.saturating_mul(beyond).min(LONGEST))
    }

    /// The server has answered.
    fn written(&mut self) {
        self.small = 0;
    }
}

/// A socket with a pause after small pieces.
pub(super) struct Paced<T> {
    socket: T,
    pace: Pace,
    /// Boxed: few connections need it.
    pause: Option<Pin<Box<Sleep>>>,
}

impl<T> Paced<T> {
    pub(super) fn new(socket: T) -> Self {
        Self {
            socket,
            pace: Pace::default(),
            pause: None,
        }
    }

    fn pause(&mut self, length: Duration) {
        self.pause = Some(Box::pin(tokio::time::sleep(length)));
    }

    fn written(&mut self, outcome: &Poll<Result<usize>>) {
        if matches!(outcome, Poll::Ready(Ok(1..))) {
            self.pace.written();
            self.pause = None;
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Paced<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = &mut *self;
        if let Some(pause) = &mut this.pause {
            ready!(pause.as_mut().poll(cx));
            this.pause = None;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.socket).poll_read(cx, buffer))?;
        let bytes = buffer.filled().len().saturating_sub(before);
        if let Some(length) = this.pace.read(bytes, buffer.remaining() > 0) {
            this.pause(length);
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Paced<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.written(&outcome);
        outcome
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.written(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[test]
    fn pauses_grow_after_a_row_of_small_pieces() {
        let mut pace = Pace::default();
        for _ in 0..FREE {
            assert_eq!(pace.read(SMALL - 1, true), None);
        }
        assert_eq!(pace.read(1, true), Some(STEP));
        assert_eq!(pace.read(1, true), Some(2 * STEP));
        let last = (0..1000).filter_map(|_| pace.read(1, true)).last();
        assert_eq!(last, Some(LONGEST));
    }

    #[test]
    fn an_answer_or_a_large_piece_begins_a_new_row() {
        let breaks: [fn(&mut Pace); 3] = [
            Pace::written,
            |pace| assert_eq!(pace.read(SMALL, true), None),
            // The reader's buffer was full: more has come.
            |pace| assert_eq!(pace.read(1, false), None),
        ];
        for one in breaks {
            let mut pace = Pace::default();
            while pace.read(1, true).is_none() {}
            one(&mut pace);
            assert_eq!(pace.read(1, true), None);
        }
    }

    #[tokio::test]
    async fn what_comes_during_a_pause_is_read_at_once_and_nothing_is_lost() {
        const PIECES: usize = 300;
        let (mut client, server) = tokio::io::duplex(64 << 10);
        let mut server = Paced::new(server);
        let sending = tokio::spawn(async move {
            for _ in 0..PIECES {
                client.write_all(b"x").await.unwrap();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            client
        });
        let started = Instant::now();
        let (mut reads, mut bytes) = (0, 0);
        while bytes < PIECES {
            let mut buffer = [0; 4096];
            bytes += server.read(&mut buffer).await.unwrap();
            reads += 1;
        }
        // Each further read was at least a step after the one before.
        let pauses = started.elapsed().as_millis() / STEP.as_millis();
        assert!(reads <= u128::from(FREE) + pauses + 1, "{reads} reads");
        assert!(reads < PIECES as u128 / 2, "{reads} reads");
        let mut client = sending.await.unwrap();
        server.write_all(b"answer").await.unwrap();
        let mut answer = [0; 6];
        client.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"answer");
    }

    #[tokio::test]
    async fn an_answer_ends_the_pause() {
        let (mut client, server) = tokio::io::duplex(64 << 10);
        let mut server = Paced::new(server);
        // With room for more: what has come is all.
        let mut buffer = [0; 16];
        while server.pause.is_none() {
            client.write_all(b"x").await.unwrap();
            assert_eq!(server.read(&mut buffer).await.unwrap(), 1);
        }
        server.pause(Duration::from_secs(3600));
        server.write_all(b"answer").await.unwrap();
        client.write_all(b"y").await.unwrap();
        assert_eq!(server.read(&mut buffer).await.unwrap(), 1);
    }
}
