//! Bounds on what a client can make the server store or do: docs/LIMITS.md.

mod above;
mod full;
mod parameters;
mod queues;
mod quotas;
mod texts;

use spindle_tests::Reply;

/// Expects a refusal that names the limit.
#[track_caller]
fn refused(reply: Reply, limit: i64) {
    let body = reply.bad_request();
    let text = body.to_string();
    assert!(text.contains(&limit.to_string()), "{limit}: {text}");
}
