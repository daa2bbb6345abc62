//! The address of a webhook: the integration, the bot, and the selected events.

use spindle_actions::account::note_key_use;
use spindle_actions::bots::authenticate_webhook;
use spindle_actions::{ActionError, Actor};
use spindle_guest::{Call, Failure};
use spindle_integrations::{Integration, integration};
use spindle_wire::{ApiError, ClientError};

/// The largest body, in bytes: GitHub's own limit.
pub(crate) const MAX_BODY: usize = 25 << 20;
/// The path of an integration.
pub(crate) const PATH: &str = "/api/v1/external/{integration}";

/// The integration in the path.
pub(crate) fn named(call: &Call<'_>) -> Result<&'static Integration, ApiError> {
    integration(call.path_text("integration")?).ok_or_else(ApiError::no_such_route)
}

/// The bot whose key is in the address; the call counts for it.
pub(crate) fn bot(call: &Call<'_>) -> Result<Actor, Failure> {
    let key = call.params.required_text("api_key")?;
    let found = authenticate_webhook(call.db()?, key, call.now()).map_err(|error| match error {
        // A wrong key has another error code when the key is a parameter.
        ActionError::WrongCredentials => ClientError::InvalidApiKey.into(),
        other => Failure::from(other),
    })?;
    call.count_for(&found.actor);
    if found.is_renewal_due {
        // If this fails, a later call records the use.
        let _ = note_key_use(call.db()?, &found.actor, call.now());
    }
    Ok(found.actor)
}

/// The kinds of events that the address selects.
pub(crate) struct Filter {
    only: Vec<String>,
    exclude: Vec<String>,
}

impl Filter {
    /// Reads `only_events` and `exclude_events`.
    pub(crate) fn of(call: &Call<'_>) -> Result<Self, ApiError> {
        Ok(Self {
            only: call.params.optional("only_events")?.unwrap_or_default(),
            exclude: call.params.optional("exclude_events")?.unwrap_or_default(),
        })
    }

    /// Whether a message of this kind is wanted.
    pub(crate) fn wants(&self, event: &str) -> bool {
        let fits = |patterns: &[String]| patterns.iter().any(|one| matches(one, event));
        event.is_empty() || ((self.only.is_empty() || fits(&self.only)) && !fits(&self.exclude))
    }
}

/// Whether a pattern, in which `*` stands for any text, matches the whole text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_events() {
        for (pattern, text, expected) in [
            ("push", "push", true),
            ("push", "pushed", false),
            ("*", "push", true),
            ("pull*", "pull_request", true),
            ("*request", "pull_request", true),
            ("p*l*q*t", "pull_request", true),
            ("p*x*t", "pull_request", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        let filter = |only: &[&str], exclude: &[&str]| {
            let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let filter = Filter {
                only: list(only),
                exclude: list(exclude),
            };
            filter.wants("push")
        };
        assert!(filter(&[], &[]) && filter(&["p*"], &["issues"]));
        assert!(!filter(&["issues"], &[]) && !filter(&[], &["*"]));
    }
}
