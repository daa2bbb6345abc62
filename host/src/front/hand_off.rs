//! What the host does in a component's place.
//!
//! A component that has checked everything may answer with a task
//! (`spindle_wire::internal::Task`); the service registered for its kind then
//! answers the client, while no instance is held. The services themselves live
//! elsewhere.

use super::Body;
use http::request::Parts;
use http::{HeaderMap, Response};
use std::pin::Pin;
use std::sync::Arc;

/// An answer to come.
pub type Handling = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// A component's instruction to the host.
pub struct Instruction {
    /// All internal headers of the answer, those of the task included.
    pub headers: HeaderMap,
    /// The answer without them; the service may keep it, add to it, or replace it.
    pub response: Response<Body>,
}

impl Instruction {
    /// An instruction's header as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A service that can take over an answer.
pub trait HandOff: Send + Sync + 'static {
    /// Answers the client. `request` is the head as the component saw it. Answers may be held for
    /// long and by the thousand: what the future does not need is to be dropped before it is made.
    ///
    /// The future is dropped when the client goes away.
    fn handle(self: Arc<Self>, request: Parts, instruction: Instruction) -> Handling;

    /// Whether answers of this component are taken over.
    fn serves(&self, component: &str) -> bool;

    /// The server is stopping: answers held back should end now.
    fn stop(&self) {}
}
