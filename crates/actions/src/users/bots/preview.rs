//! Shows what templates would make of a delivery (docs/protocol/bots.md#preview_template).

use spindle_domain::limits::MAX_TEMPLATE_SAMPLE_LENGTH;
use spindle_integrations::template::{self, Delivery, Templates};
use spindle_store::Db;

use super::check_permission;
use crate::bots::check_templates;
use crate::messages::render_message;
use crate::{ActionError, Actor};

/// `bot_type` of the bots that have templates.
const INCOMING_WEBHOOK: i64 = 2;

/// A sample of what a service sends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample<'a> {
    pub body: &'a str,
    /// Names and values.
    pub headers: Vec<(String, String)>,
}

/// The message that it would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Empty where the message would have the name of the bot as its topic.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// HTML.
    pub rendered: String,
}

/// Renders templates with a sample, at `now` (UNIX seconds); `realm_url` has no slash at its end. Nothing is stored.
///
/// # Errors
/// [`ActionError::Denied`] for callers who may not create incoming webhooks; [`ActionError::BadRequest`] for a sample
/// that is too long, and for templates that make no message, with the template, the line and the reason.
pub fn preview_template(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    templates: Templates<'_>,
    sample: &Sample<'_>,
    realm_url: &str,
) -> Result<Preview, ActionError> {
    check_permission(db, actor, INCOMING_WEBHOOK)?;
    if sample.body.chars().count() > MAX_TEMPLATE_SAMPLE_LENGTH {
        return Err(ActionError::BadRequest(format!(
            "body has more than {MAX_TEMPLATE_SAMPLE_LENGTH} characters"
        )));
    }
    check_templates(templates)?;
    let content_type = sample
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map_or("", |(_, value)| value.as_str());
    let body = spindle_integrations::body(content_type, sample.body.as_bytes());
    let delivery = Delivery {
        headers: &sample.headers,
        body: &body,
        now,
    };
    let message = template::render(templates, delivery)
        .map_err(|problem| ActionError::BadRequest(problem.to_string()))?;
    Ok(Preview {
        rendered: render_message(db, actor, &message.content, realm_url)?,
        topic: message.topic,
        content: message.content,
    })
}
