//! The meaning of a service's answer, as a pure function.

use serde_json::Value;

use super::payload::SLACK;

/// Attempts at one call.
pub(super) const MAX_ATTEMPTS: i64 = 4;

/// The outcome of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The bot sends this.
    Reply(String),
    /// The service answers nothing.
    Nothing,
    /// The call failed for this reason and is repeated after this many seconds.
    Again(i64, String),
    /// It has failed for good; why, for the owner.
    Failed(String),
}

/// Reads an answer: `status` 0 means that there is none, and `body` then says why. `attempt` counts
/// from 1.
pub(super) fn outcome(interface: i64, attempt: i64, status: i64, body: &str) -> Outcome {
    match status {
        200..=299 => read(interface, body),
        0 | 408 | 425 | 429 | 500.. => {
            let why = if status == 0 {
                body.to_owned()
            } else {
                format!("the service answered with status {status}")
            };
            if attempt >= MAX_ATTEMPTS {
                Outcome::Failed(why)
            } else {
                Outcome::Again(pause(attempt), why)
            }
        }
        _ => Outcome::Failed(format!("the service answered with status {status}")),
    }
}

/// Seconds before the next attempt: 5, 30, 180.
fn pause(attempt: i64) -> i64 {
    match attempt {
        ..=1 => 5,
        2 => 30,
        _ => 180,
    }
}

fn read(interface: i64, body: &str) -> Outcome {
    if body.trim().is_empty() {
        return Outcome::Nothing;
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(body) else {
        return Outcome::Failed("the service did not answer with a JSON object".to_owned());
    };
    if interface != SLACK && answer.get("response_not_required") == Some(&Value::Bool(true)) {
        return Outcome::Nothing;
    }
    let names: &[&str] = if interface == SLACK {
        &["text"]
    } else {
        &["content", "response_string"]
    };
    let text = names.iter().find_map(|name| answer.get(*name)?.as_str());
    match text.map(str::trim) {
        None | Some("") => Outcome::Nothing,
        Some(text) => Outcome::Reply(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_their_interface() {
        let reply = |text: &str| Outcome::Reply(text.to_owned());
        let cases = [
            (1, "", Outcome::Nothing),
            (1, "{}", Outcome::Nothing),
            (1, r#"{"content": " hi "}"#, reply("hi")),
            (1, r#"{"response_string": "old"}"#, reply("old")),
            (
                1,
                r#"{"content": "x", "response_not_required": true}"#,
                Outcome::Nothing,
            ),
            (1, r#"{"text": "x"}"#, Outcome::Nothing),
            (2, r#"{"text": "x"}"#, reply("x")),
            (2, r#"{"content": "x"}"#, Outcome::Nothing),
        ];
        for (interface, body, expected) in cases {
            assert_eq!(outcome(interface, 1, 200, body), expected, "{body}");
        }
        for body in ["[]", "hello", "7"] {
            assert!(
                matches!(outcome(1, 1, 200, body), Outcome::Failed(_)),
                "{body}"
            );
        }
    }

    #[test]
    fn what_may_pass_is_tried_again_within_bounds() {
        for status in [0, 429, 500, 503] {
            let pauses = (1..4).map(|n| match outcome(1, n, status, "why") {
                Outcome::Again(pause, why) if why.contains(&status.to_string()) || why == "why" => {
                    pause
                }
                other => panic!("{other:?}"),
            });
            assert_eq!(pauses.collect::<Vec<_>>(), [5, 30, 180], "{status}");
            assert!(matches!(outcome(1, 4, status, "why"), Outcome::Failed(_)));
        }
        for status in [302, 400, 404] {
            assert!(
                matches!(outcome(1, 1, status, ""), Outcome::Failed(_)),
                "{status}"
            );
        }
    }
}
