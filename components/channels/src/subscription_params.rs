//! Parameters that the operations on subscriptions share (docs/protocol/subscriptions.md).

use serde::Deserialize;
use spindle_actions::channels::ChannelRequest;
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_wire::{ApiError, Params};

/// One channel to subscribe to.
#[derive(Debug, Deserialize)]
pub(crate) struct Wish {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    color: Option<String>,
}

impl From<Wish> for ChannelRequest {
    fn from(wish: Wish) -> Self {
        Self {
            name: wish.name,
            description: wish.description,
            color: wish.color,
        }
    }
}

/// Users, all by id or all by email.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of user ids or a list of emails"
)]
enum People {
    Ids(Vec<i64>),
    Emails(Vec<String>),
}

/// `principals`; empty when it is absent.
pub(crate) fn principals(params: &Params<'_>) -> Result<Vec<UserReference>, ApiError> {
    Ok(match params.optional::<People>("principals")? {
        None => Vec::new(),
        Some(People::Ids(ids)) => ids
            .into_iter()
            .map(|id| UserReference::Id(UserId(id)))
            .collect(),
        Some(People::Emails(emails)) => emails.into_iter().map(UserReference::Email).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T>(query: &str, parse: impl Fn(&Params<'_>) -> T) -> T {
        let query = query.replace('"', "%22");
        let request = http::Request::post(format!("/api/v1/users/me/subscriptions?{query}"))
            .body(Default::default())
            .unwrap();
        parse(&Params::from_request(&request).unwrap())
    }

    #[test]
    fn people_are_ids_or_emails() {
        let people = |text: &str| read(&format!("principals={text}"), principals).ok();
        let id = UserReference::Id(UserId(7));
        assert_eq!(people("[7]"), Some(vec![id]));
        let email = UserReference::Email("a@b".to_owned());
        assert_eq!(people("[\"a@b\"]"), Some(vec![email]));
        assert_eq!(people("[]"), Some(vec![]));
        for text in ["[7,\"a@b\"]", "7", "\"a@b\"", "[true]", "{}"] {
            assert_eq!(people(text), None, "{text}");
        }
    }
}
