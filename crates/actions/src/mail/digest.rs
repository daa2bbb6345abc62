//! The content of a digest.

use serde_json::{Value, json};
use spindle_domain::user_setting;
use spindle_store::mails::MailRow;
use spindle_store::{Db, digests, keys};

use super::content::{Content, Origin, shows_texts, values};
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME};

/// Seconds that a digest is about.
const WEEK: i64 = 7 * 86_400;
/// Topics that a digest names.
const TOPICS: i64 = 8;
/// Messages that are looked at: enough for a week of most people, and few enough to count quickly.
const WINDOW: i64 = 5000;

/// The topics of the last week in which a person has unread messages; none without any, or for a person who does not want
/// digests any more.
pub(super) fn digest(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &MailRow,
) -> Result<Option<Content>, ActionError> {
    let caller = match row.user_id {
        Some(user_id) => keys::caller_by_id(db, user_id)?.map(Actor::from_row),
        None => None,
    };
    let wants = |actor: &Actor| {
        actor
            .settings()
            .is_on(user_setting!("enable_digest_emails"))
    };
    let Some(actor) = caller.filter(wants) else {
        return Ok(None);
    };
    let found = digests::topics(db, actor.user_id, row.created - WEEK, WINDOW, TOPICS)?;
    if found.is_empty() {
        return Ok(None);
    }
    let is_shown = shows_texts(&actor);
    let site = origin.links.site;
    let topics: Vec<Value> = found
        .iter()
        .filter(|_| is_shown)
        .map(|row| {
            let topic = match row.topic.as_str() {
                "" => EMPTY_TOPIC_DISPLAY_NAME,
                topic => topic,
            };
            json!({
                "place": format!("#{} > {topic}", row.channel),
                "messages": row.messages,
                "people": row.people,
                "link": format!("{site}/#narrow/near/{}", row.latest),
            })
        })
        .collect();
    Ok(Some(Content {
        thread: None,
        to: None,
        values: values(&json!({
            "number": found.iter().map(|row| row.messages).sum::<i64>(),
            "topics": topics,
        })),
    }))
}
