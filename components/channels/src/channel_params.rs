//! Parameters of channels that creation and change share (protocol-facts 5.7).

use serde::Deserialize;
use spindle_actions::{ChannelProperties, Retention};
use spindle_domain::permission::CHANNEL;
use spindle_wire::{ApiError, Params, permissions};

/// Words of `topics_policy`: raw text.
pub(crate) const TOPICS_POLICIES: &[(&str, &str)] = &[
    ("inherit", "inherit"),
    ("allow_empty_topic", "allow_empty_topic"),
    ("disable_empty_topic", "disable_empty_topic"),
    ("empty_topic_only", "empty_topic_only"),
];

/// `message_retention_days`: a number, or one of two words, quoted or not.
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

/// Everything that a new channel can be given besides its name and description, read in
/// alphabetical order, the permissions last.
pub(crate) fn properties(
    params: &Params<'_>,
    realm_url: String,
) -> Result<ChannelProperties, ApiError> {
    let flag = |name| params.optional::<bool>(name);
    Ok(ChannelProperties {
        folder_id: params.optional::<Option<i64>>("folder_id")?.flatten(),
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
