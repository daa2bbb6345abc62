//! What host and components say to each other, beside the requests of clients.
//!
//! This is the one home of that protocol: names of headers, paths of the event-queue service, the bytes of a
//! direct call, and for each thing that is said one type with its writer and its reader, which both sides
//! use. Three ways carry it: headers on a request that the native host passes to a component; headers on the
//! component's answer; and calls of a component to the event-queue service, over HTTP beside Spin. What is
//! said is the same on all of them. Clients never see any of it: the native host drops these headers in both
//! directions, and the service answers nothing without the token. Which component may say what is decided by
//! the host.

pub mod direct;
mod hand_off;
pub mod headers;
mod rate_limit;
mod route;
mod sender;

pub use hand_off::{Poll, QueueDeleted, Task, ignored};
pub use rate_limit::{Counted, Verdict};
pub use route::Route;
pub use sender::Sender;
