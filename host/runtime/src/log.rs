//! Standard output and error of guests as structured log records.
//!
//! One record for each line, bounded in length, with component, instance, and request; while an
//! instance serves several requests, the request is unknown.

use http::HeaderValue;
use spindle_admission::Ticket;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Longest line kept, in bytes; the rest of a longer one is dropped.
const MAX_LINE: usize = 4096;

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuestLog {
    /// Logged at level INFO.
    Stdout,
    /// Logged at level WARN.
    Stderr,
}

/// The id of a request, cheap to clone and ready for a header, with its ticket.
#[derive(Clone)]
pub struct RequestId {
    value: HeaderValue,
    ticket: Option<Arc<Ticket>>,
}

impl RequestId {
    /// `epoch` distinguishes ids of this process from those of others.
    pub fn new(epoch: u32, number: u64, ticket: Option<Arc<Ticket>>) -> Self {
        let text = format!("{epoch:08x}-{number:x}");
        let value = HeaderValue::from_maybe_shared(bytes::Bytes::from(text));
        Self {
            value: value.unwrap_or_else(|_| HeaderValue::from_static("-")),
            ticket,
        }
    }

    /// The ticket of the request; requests of the server itself have none.
    pub(crate) fn ticket(&self) -> Option<&Arc<Ticket>> {
        self.ticket.as_ref()
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        self.value.to_str().unwrap_or("-")
    }

    pub fn header(&self) -> HeaderValue {
        self.value.clone()
    }
}

/// The instance that writes, and the requests that it serves.
pub(super) struct LogContext {
    component: Arc<str>,
    instance: u64,
    requests: Mutex<VecDeque<RequestId>>,
}

impl LogContext {
    pub(super) fn new(component: Arc<str>, instance: u64) -> Self {
        Self {
            component,
            instance,
            requests: Mutex::default(),
        }
    }

    fn requests(&self) -> MutexGuard<'_, VecDeque<RequestId>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the instance serves `request`, until the returned guard is dropped.
    pub(super) fn serve(self: &Arc<Self>, request: RequestId) -> Serving {
        self.requests().push_back(request.clone());
        Serving {
            context: Arc::clone(self),
            request,
        }
    }

    /// The request being served, if it is the only one.
    pub(super) fn only_request(&self) -> Option<RequestId> {
        let requests = self.requests();
        match (requests.front(), requests.len()) {
            (Some(request), 1) => Some(request.clone()),
            _ => None,
        }
    }

    /// All requests being served, for the record of a trap.
    pub(super) fn all_requests(&self) -> String {
        let requests = self.requests();
        let ids: Vec<&str> = requests.iter().map(RequestId::as_str).collect();
        ids.join(" ")
    }
}

/// Guard that keeps a request recorded in its [`LogContext`].
pub(super) struct Serving {
    context: Arc<LogContext>,
    request: RequestId,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let mut requests = self.context.requests();
        if let Some(index) = requests.iter().position(|r| r.value == self.request.value) {
            requests.remove(index);
        }
    }
}

/// One stream of one instance. Clones share the line being written.
#[derive(Clone)]
pub(super) struct LogStream {
    context: Arc<LogContext>,
    kind: GuestLog,
    line: Arc<Mutex<Vec<u8>>>,
}

impl LogStream {
    pub(super) fn new(context: &Arc<LogContext>, kind: GuestLog) -> Self {
        Self {
            context: Arc::clone(context),
            kind,
            line: Arc::default(),
        }
    }

    fn write_bytes(&self, bytes: &[u8]) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = bytes.split(|byte| *byte == b'\n');
        if let Some(first) = parts.next() {
            append(&mut line, first);
        }
        for part in parts {
            self.emit(&line);
            line.clear();
            append(&mut line, part);
        }
    }

    fn emit(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let LogContext {
            component,
            instance,
            ..
        } = &*self.context;
        let request = self.context.only_request();
        let request_id = request.as_ref().map_or("", RequestId::as_str);
        match self.kind {
            GuestLog::Stdout => {
                tracing::info!(target: "guest", %component, instance, request_id, "{text}");
            }
            GuestLog::Stderr => {
                tracing::warn!(target: "guest", %component, instance, request_id, "{text}");
            }
        }
    }
}

fn append(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_LINE.saturating_sub(line.len());
    line.extend(bytes.iter().take(room));
}

impl IsTerminal for LogStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogStream {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait::async_trait]
impl Pollable for LogStream {
    async fn ready(&mut self) {}
}

impl OutputStream for LogStream {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        self.write_bytes(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}

impl AsyncWrite for LogStream {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.write_bytes(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_named_only_while_it_is_alone() {
        let context = Arc::new(LogContext::new("test".into(), 1));
        let only = || context.only_request().map(|id| id.as_str().to_owned());
        assert_eq!(only(), None);
        let first = context.serve(RequestId::new(0, 1, None));
        assert_eq!(only().as_deref(), Some("00000000-1"));
        let second = context.serve(RequestId::new(0, 2, None));
        assert_eq!(only(), None);
        assert_eq!(context.all_requests(), "00000000-1 00000000-2");
        drop(first);
        assert_eq!(only().as_deref(), Some("00000000-2"));
        drop(second);
    }

    #[test]
    fn lines_are_bounded() {
        let context = Arc::new(LogContext::new("test".into(), 1));
        let stream = LogStream::new(&context, GuestLog::Stdout);
        stream.write_bytes(&vec![b'x'; 3 * MAX_LINE]);
        assert_eq!(stream.line.lock().unwrap().len(), MAX_LINE);
        stream.write_bytes(b"\nrest");
        assert_eq!(stream.line.lock().unwrap().as_slice(), b"rest");
    }
}
