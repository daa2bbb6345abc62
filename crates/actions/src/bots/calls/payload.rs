//! The request to a service: in the server's own form (interface 1) or Slack's (2).

use serde_json::json;
use spindle_store::Db;

use super::Subject;
use crate::messages::{MessageForm, message_object};
use crate::organization::linkifiers::TopicLinks;
use crate::{ActionError, Actor};

/// The interface in the form of Slack.
pub(super) const SLACK: i64 = 2;

/// Type and text of the body. `reason` is why the bot is called: `direct_message` or `mention`.
pub(super) fn of(
    db: &dyn Db,
    subject: &Subject,
    reason: &str,
    interface: i64,
    token: &str,
) -> Result<(&'static str, String), ActionError> {
    if interface == SLACK {
        let body = slack(subject, reason, token);
        return Ok(("application/x-www-form-urlencoded", body));
    }
    Ok(("application/json", own(db, subject, reason, token)?))
}

fn own(db: &dyn Db, subject: &Subject, reason: &str, token: &str) -> Result<String, ActionError> {
    let (bot, row) = (&subject.bot, &subject.message);
    let form = MessageForm {
        apply_markdown: false,
        client_gravatar: false,
        empty_topic: "",
    };
    let mut message = message_object(row, &form, &TopicLinks::new(db, bot)?)?;
    // Flags are the bot's own, not the message's.
    message.remove("flags");
    message.insert(
        "rendered_content".into(),
        row.rendered_content.as_str().into(),
    );
    let body = json!({
        "data": row.content,
        "message": message,
        "bot_email": bot.email,
        "bot_full_name": bot.full_name,
        "token": token,
        "trigger": reason,
    });
    Ok(body.to_string())
}

fn slack(subject: &Subject, reason: &str, token: &str) -> String {
    let (bot, row) = (&subject.bot, &subject.message);
    let channel_name = match row.channel_id {
        Some(_) => serde_json::from_str(&row.display_recipient).unwrap_or_default(),
        None => "directmessage".to_owned(),
    };
    let trigger = match reason {
        "mention" => format!("@**{}**", bot.full_name),
        _ => String::new(),
    };
    form_urlencoded::Serializer::new(String::new())
        .append_pair("token", token)
        .append_pair("team_id", &format!("T{}", bot.realm_id))
        .append_pair("team_domain", domain(bot))
        .append_pair("channel_id", &format!("C{}", row.conversation_id))
        .append_pair("channel_name", &channel_name)
        .append_pair("thread_ts", &row.date_sent.to_string())
        .append_pair("timestamp", &row.date_sent.to_string())
        .append_pair("user_id", &format!("U{}", row.sender_id))
        .append_pair("user_name", &row.sender_full_name)
        .append_pair("text", &row.content)
        .append_pair("trigger_word", &trigger)
        .append_pair("service_id", &bot.user_id.to_string())
        .finish()
}

/// The domain of the server, as the addresses of bots have it.
fn domain(bot: &Actor) -> &str {
    bot.email.split_once('@').map_or("", |(_, domain)| domain)
}
