//! The meaning of the push service's answers, as pure functions.

use serde::Deserialize;
use serde_json::Value;

use super::{ACCOUNT, EXPIRED};

/// Seconds for which a registration is passed on again.
pub(super) const REGISTRATION_SECS: i64 = 24 * 3600;
/// Seconds for which a notification is sent again.
pub(super) const NOTIFICATION_SECS: i64 = 6 * 3600;

/// Refusals whose cause is not the request, but something that the operator can correct.
const OF_THE_SERVER: [&str; 3] = [
    "INVALID_ZULIP_SERVER",
    "MISSING_REMOTE_REALM",
    "PUSH_NOTIFICATIONS_DISALLOWED",
];

/// An answer, and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer<'a> {
    /// HTTP status; 0: there was no answer.
    pub(super) status: i64,
    pub(super) body: &'a str,
    /// The number of the attempt, from 1.
    pub(super) attempt: i64,
    /// Seconds since the call was noted.
    pub(super) age: i64,
}

/// The outcome of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Registration {
    /// The phone is registered; its id at the service, where it has one.
    Active(Option<i64>),
    /// It has failed for good, with this code.
    Failed(String),
    /// Seconds after which it is passed on again.
    Again(i64),
}

/// The outcome of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Notification {
    /// It was taken.
    Sent(Box<Taken>),
    /// It is given up.
    Lost,
    /// It is given up, and the service sends nothing for this organization.
    Disallowed,
    /// Seconds after which it is sent again.
    Again(i64),
}

/// The service's report on a notification that it took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Taken {
    /// Tokens that are no longer valid.
    #[serde(default)]
    pub(super) delete_token_ids: Vec<String>,
    /// Phones that no longer exist, in the form with account ids.
    #[serde(default)]
    pub(super) delete_device_ids: Vec<i64>,
    /// The standing of this organization.
    #[serde(default)]
    pub(super) realm_push_status: Option<Standing>,
}

/// The standing of an organization with the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct Standing {
    /// Whether it sends for it.
    pub(super) can_push: bool,
    /// UNIX seconds at which it will stop.
    #[serde(default)]
    pub(super) expected_end_timestamp: Option<i64>,
}

/// Reads the answer to a registration in this form.
pub(super) fn registration(form: &str, answer: &Answer<'_>) -> Registration {
    match (answer.status, code(answer)) {
        (200..=299, _) => {
            let fields: Option<Value> = serde_json::from_str(answer.body).ok();
            let Some(fields) = fields.filter(Value::is_object) else {
                return again(answer);
            };
            let device_id = fields.get("device_id").and_then(Value::as_i64);
            if form == ACCOUNT && device_id.is_none() {
                return again(answer);
            }
            Registration::Active(device_id)
        }
        (_, Some(code)) if !OF_THE_SERVER.contains(&code.as_str()) => Registration::Failed(code),
        _ => again(answer),
    }
}

fn again(answer: &Answer<'_>) -> Registration {
    let pause = pause(answer.attempt);
    if answer.age + pause > REGISTRATION_SECS {
        return Registration::Failed(EXPIRED.to_owned());
    }
    Registration::Again(pause)
}

/// Reads the answer to a notification.
pub(super) fn notification(answer: &Answer<'_>) -> Notification {
    match (answer.status, code(answer).as_deref()) {
        (200..=299, _) => match serde_json::from_str(answer.body) {
            Ok(taken) => Notification::Sent(Box::new(taken)),
            // It was accepted nevertheless; sending it again would show it twice.
            Err(_) => Notification::Sent(Box::default()),
        },
        (_, Some("MISSING_REMOTE_REALM" | "PUSH_NOTIFICATIONS_DISALLOWED")) => {
            Notification::Disallowed
        }
        (_, Some(code)) if !OF_THE_SERVER.contains(&code) => Notification::Lost,
        _ => {
            let pause = pause(answer.attempt);
            if answer.age + pause > NOTIFICATION_SECS {
                return Notification::Lost;
            }
            Notification::Again(pause)
        }
    }
}

/// The code of a refusal that the service itself has decided; `None` for anything that may be
/// passed on.
fn code(answer: &Answer<'_>) -> Option<String> {
    match answer.status {
        408 | 425 | 429 => None,
        400..=499 => {
            let fields: Value = serde_json::from_str(answer.body).ok()?;
            Some(fields.get("code")?.as_str()?.to_owned())
        }
        _ => None,
    }
}

/// Seconds before the next attempt: soon at first, then every quarter of an hour.
fn pause(attempt: i64) -> i64 {
    match attempt {
        ..=1 => 5,
        2 => 30,
        3 => 180,
        _ => 900,
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEVICE;
    use super::*;

    fn answer(status: i64, body: &str) -> Answer<'_> {
        Answer {
            status,
            body,
            attempt: 1,
            age: 1,
        }
    }

    fn refused(code: &str) -> String {
        format!("{{\"result\": \"error\", \"msg\": \"no\", \"code\": \"{code}\"}}")
    }

    #[test]
    fn registrations_succeed_fail_or_are_passed_on_again() {
        let failed = |code: &str| Registration::Failed(code.to_owned());
        let again = Registration::Again(5);
        for (status, body, expected) in [
            (
                200,
                r#"{"result": "success"}"#.to_owned(),
                Registration::Active(None),
            ),
            (
                200,
                r#"{"device_id": 7}"#.to_owned(),
                Registration::Active(Some(7)),
            ),
            (200, "a proxy's page".to_owned(), again.clone()),
            (400, refused("BAD_REQUEST"), failed("BAD_REQUEST")),
            (
                400,
                refused("INVALID_BOUNCER_PUBLIC_KEY"),
                failed("INVALID_BOUNCER_PUBLIC_KEY"),
            ),
            (400, refused("REQUEST_EXPIRED"), failed("REQUEST_EXPIRED")),
            (401, refused("INVALID_ZULIP_SERVER"), again.clone()),
            (403, refused("MISSING_REMOTE_REALM"), again.clone()),
            (400, refused("PUSH_NOTIFICATIONS_DISALLOWED"), again.clone()),
            (404, "a proxy's page".to_owned(), again.clone()),
            (429, refused("RATE_LIMIT_HIT"), again.clone()),
            (502, refused("BAD_REQUEST"), again.clone()),
            (0, "refused".to_owned(), again.clone()),
        ] {
            let found = registration(DEVICE, &answer(status, &body));
            assert_eq!(found, expected, "{status} {body}");
        }
        let nameless = registration(ACCOUNT, &answer(200, "{}"));
        assert_eq!(nameless, again, "an account id needs the phone's name");
    }

    #[test]
    fn notifications_are_taken_lost_or_sent_again() {
        let body = r#"{"delete_token_ids": ["a"], "delete_device_ids": [7],
            "realm_push_status": {"can_push": true, "expected_end_timestamp": null}}"#;
        let taken = Taken {
            delete_token_ids: vec!["a".to_owned()],
            delete_device_ids: vec![7],
            realm_push_status: Some(Standing {
                can_push: true,
                expected_end_timestamp: None,
            }),
        };
        let sent = |taken| Notification::Sent(Box::new(taken));
        for (status, body, expected) in [
            (200, body.to_owned(), sent(taken)),
            (200, "{}".to_owned(), sent(Taken::default())),
            (200, "ok".to_owned(), sent(Taken::default())),
            (400, refused("BAD_REQUEST"), Notification::Lost),
            (
                403,
                refused("MISSING_REMOTE_REALM"),
                Notification::Disallowed,
            ),
            (
                400,
                refused("PUSH_NOTIFICATIONS_DISALLOWED"),
                Notification::Disallowed,
            ),
            (401, refused("INVALID_ZULIP_SERVER"), Notification::Again(5)),
            (404, String::new(), Notification::Again(5)),
            (503, String::new(), Notification::Again(5)),
            (0, "refused".to_owned(), Notification::Again(5)),
        ] {
            assert_eq!(
                notification(&answer(status, &body)),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn there_is_an_end_to_trying() {
        let late = |attempt, age| Answer {
            status: 0,
            body: "",
            attempt,
            age,
        };
        let pauses: Vec<_> = (1..6)
            .map(|attempt| notification(&late(attempt, 0)))
            .collect();
        assert_eq!(pauses, [5, 30, 180, 900, 900].map(Notification::Again));
        assert_eq!(
            notification(&late(30, NOTIFICATION_SECS)),
            Notification::Lost
        );
        assert_eq!(
            registration(DEVICE, &late(30, NOTIFICATION_SECS)),
            Registration::Again(900)
        );
        let expired = registration(DEVICE, &late(99, REGISTRATION_SECS));
        assert_eq!(expired, Registration::Failed(EXPIRED.to_owned()));
    }
}
