//! Hand-offs: answers that a service of the host completes for a component.
//!
//! A component that has checked a request may answer with a task (`spindle_wire::internal::Task`); the
//! service registered for its kind then answers the client, without occupying an instance. The services
//! are in `handoff`.

use http::request::Parts;
use http::{HeaderMap, Response};
use spindle_admission::body::Body;
use spindle_admission::memory::Memory;
use std::pin::Pin;
use std::sync::Arc;

/// The future response of a hand-off.
pub type Handling = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// A component's instruction to the host.
pub struct Instruction {
    /// All internal headers of the answer, those of the task included.
    pub headers: HeaderMap,
    /// The answer without them; the service may keep it, add to it, or replace it.
    pub response: Response<Body>,
    /// Memory for what the service answers.
    pub memory: Arc<Memory>,
}

impl Instruction {
    /// A header of the instruction as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A service that completes answers.
pub trait HandOff: Send + Sync + 'static {
    /// Answers the client. `request` is the head as the component saw it. Thousands of answers may be
    /// held for minutes: drop everything that the future does not need before it is created.
    ///
    /// The future is dropped when the client disconnects.
    fn handle(self: Arc<Self>, request: Parts, instruction: Instruction) -> Handling;

    /// Whether this component may hand off to the service.
    fn serves(&self, component: &str) -> bool;

    /// Called when the server stops: held answers should be sent now.
    fn stop(&self) {}
}
