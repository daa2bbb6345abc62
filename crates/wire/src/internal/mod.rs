//! The protocol between host and components, apart from the requests of clients.
//!
//! It is defined here only: names of headers, paths of the event-queue service, the bytes of a direct call, and for
//! each message one type with its writer and its reader, which both sides use. There are three transports: headers on a
//! request that the native host passes to a component; headers on the component's answer; and calls of a component to
//! the event-queue service, over HTTP under Spin. The messages are the same on all of them. Clients never see them: the
//! native host drops these headers in both directions, and the service answers nothing without the token. The host
//! decides which component may send which message.

mod account;
pub mod direct;
mod hand_off;
pub mod headers;
mod rate_limit;
mod route;
mod sender;
mod webhook;

pub use account::Account;
pub use hand_off::{Poll, QueueDeleted, Task, ignored};
pub use rate_limit::{Counted, Verdict};
pub use route::Route;
pub use sender::Sender;
pub use webhook::webhook_key;
