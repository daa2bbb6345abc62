//! Parameters of channels that creation and change share (docs/protocol/channels.md).

use serde::Deserialize;
use spindle_actions::channels::{ChannelProperties, Retention};
use spindle_domain::ChannelFolderId;
use spindle_domain::permission::CHANNEL;
use spindle_wire::{ApiError, Params, permissions};

/// Words of `topics_policy`: raw text.
pub(crate) const TOPICS_POLICIES: &[(&str, &str)] = &[
    ("inherit", "inherit"),
    ("allow_empty_topic", "allow_empty_topic"),
    ("disable_empty_topic", "disable_empty_topic"),
    ("empty_topic_only", "empty_topic_only"),
];

/// `message_retention_days`: a number, or one of two words, with or without quotes.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number of days, \"realm_default\" or \"unlimited\""
)]
enum Days {
    Number(i64),
    Word(DaysWord),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum DaysWord {
    RealmDefault,
    Unlimited,
}

/// `message_retention_days`, if it was sent.
pub(crate) fn retention(params: &Params<'_>) -> Result<Option<Retention>, ApiError> {
    let name = "message_retention_days";
    let days = match params.optional_text(name) {
        None => return Ok(None),
        Some("realm_default") => Days::Word(DaysWord::RealmDefault),
        Some("unlimited") => Days::Word(DaysWord::Unlimited),
        Some(_) => params.required(name)?,
    };
    Ok(Some(match days {
        Days::Word(DaysWord::RealmDefault) => Retention::Inherited,
        Days::Word(DaysWord::Unlimited) | Days::Number(-1) => Retention::Unlimited,
        Days::Number(days) if days > 0 => Retention::Days(days),
        Days::Number(_) => return Err(ApiError::bad_parameter(name, "must be at least one day")),
    }))
}

/// The properties of a new channel besides its name and description, read in alphabetical order, the
/// permissions last.
pub(crate) fn properties(
    params: &Params<'_>,
    realm_url: String,
) -> Result<ChannelProperties, ApiError> {
    let flag = |name| params.optional::<bool>(name);
    Ok(ChannelProperties {
        folder_id: params
            .optional::<Option<ChannelFolderId>>("folder_id")?
            .flatten(),
        history_public_to_subscribers: flag("history_public_to_subscribers")?,
        invite_only: flag("invite_only")?.unwrap_or(false),
        is_default: flag("is_default_stream")?.unwrap_or(false),
        is_web_public: flag("is_web_public")?.unwrap_or(false),
        message_retention_days: retention(params)?.unwrap_or_default(),
        topics_policy: params.optional_enum("topics_policy", TOPICS_POLICIES)?,
        permissions: permissions::values(params, CHANNEL)?,
        realm_url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retention_is_a_number_or_a_word() {
        let days = |text: &str| {
            let query = format!("message_retention_days={text}");
            read(&query).ok().flatten()
        };
        assert_eq!(days("7"), Some(Retention::Days(7)));
        assert_eq!(days("-1"), Some(Retention::Unlimited));
        for text in ["unlimited", "\"unlimited\""] {
            assert_eq!(days(text), Some(Retention::Unlimited));
        }
        for text in ["realm_default", "\"realm_default\""] {
            assert_eq!(days(text), Some(Retention::Inherited));
        }
        for text in ["0", "-2", "1.5", "forever", "true", ""] {
            assert_eq!(days(text), None, "{text}");
        }
        assert_eq!(read("").unwrap(), None);
    }

    fn read(query: &str) -> Result<Option<Retention>, ApiError> {
        let query = query.replace('"', "%22");
        let request = http::Request::post(format!("/api/v1/channels/create?{query}"))
            .body(Default::default())
            .unwrap();
        retention(&Params::from_request(&request).unwrap())
    }
}
