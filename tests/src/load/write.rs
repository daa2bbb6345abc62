//! A writer: sends messages and changes them.
//!
//! Owns what is known of a change after its answer, or without one.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Own, Run, State};
use crate::{Call, Reply, User};

/// How a call has ended.
enum End {
    Done(Reply),
    /// Nothing was changed.
    Refused,
    /// It was committed or not, and both are right.
    Unknown,
}

/// Sends numbered texts, and edits, moves, stars and deletes some of them. A call without an answer
/// is not repeated.
pub(super) fn write(writer: &User, number: usize, channel: &str, run: &Run) {
    let mut count = 0_u64;
    while !run.stop.load(Ordering::SeqCst) {
        count += 1;
        let content = format!("writer {number} message {count}");
        run.attempted.lock().expect("lock").insert(content.clone());
        let pairs = [
            ("type", "channel"),
            ("to", channel),
            ("topic", "crash"),
            ("content", &content),
        ];
        match call(writer, "POST", "/messages", &pairs, run) {
            End::Done(reply) => {
                let id = reply.body["id"].as_i64().expect("id");
                let state = State {
                    content,
                    topic: "crash".to_owned(),
                    starred: false,
                };
                let own = Own {
                    user_id: writer.user_id,
                    states: vec![Some(state)],
                };
                let before = run.acknowledged.lock().expect("lock").insert(id, own);
                assert!(before.is_none(), "two messages have the id {id}");
                change(writer, id, count, run);
            }
            End::Refused => {
                run.refused.lock().expect("lock").insert(content);
                std::thread::sleep(Duration::from_millis(50));
            }
            End::Unknown => std::thread::sleep(Duration::from_millis(20)),
        }
        std::thread::sleep(Duration::from_millis(8));
    }
}

fn call(user: &User, method: &str, path: &str, pairs: &[(&str, &str)], run: &Run) -> End {
    let call = Call::new(method, path)
        .form(pairs)
        .timeout(Duration::from_secs(40));
    match user.try_send(&call) {
        Err(_) => End::Unknown,
        Ok(reply) if reply.status == 200 => {
            run.changes.fetch_add(1, Ordering::SeqCst);
            End::Done(reply)
        }
        Ok(reply) if run.errors.allow(&reply) => match reply.status {
            503 => End::Refused,
            _ => End::Unknown,
        },
        Ok(reply) => panic!("{}: {} {}", reply.call, reply.status, reply.body),
    }
}

/// Changes a message of the writer in a way that its number determines, and records the states that
/// it may have afterwards.
fn change(writer: &User, id: i64, count: u64, run: &Run) {
    let path = format!("/messages/{id}");
    let edited = format!("writer {} edit {count}", writer.user_id);
    let silent = ("send_notification_to_new_thread", "false");
    let ids = format!("[{id}]");
    let star = [
        ("messages", ids.as_str()),
        ("op", "add"),
        ("flag", "starred"),
    ];
    let (end, after): (_, fn(State, &str) -> Option<State>) = match count % 6 {
        0 => (
            call(writer, "PATCH", &path, &[("content", &edited)], run),
            |state, edited| {
                Some(State {
                    content: edited.to_owned(),
                    ..state
                })
            },
        ),
        1 => (
            call(writer, "PATCH", &path, &[("topic", "moved"), silent], run),
            |state, _| {
                Some(State {
                    topic: "moved".to_owned(),
                    ..state
                })
            },
        ),
        2 => (call(writer, "DELETE", &path, &[], run), |_, _| None),
        3 => (
            call(writer, "POST", "/messages/flags", &star, run),
            |state, _| {
                Some(State {
                    starred: true,
                    ..state
                })
            },
        ),
        _ => return,
    };
    let mut acknowledged = run.acknowledged.lock().expect("lock");
    let own = acknowledged.get_mut(&id).expect("it was sent");
    let changed: Vec<_> = own
        .states
        .iter()
        .map(|state| state.clone().and_then(|state| after(state, &edited)))
        .collect();
    match end {
        End::Done(_) => own.states = changed,
        End::Unknown => own.states.extend(changed),
        End::Refused => {}
    }
}
