//! The users for whom a new message is marked, because it holds one of their alert words.

use serde_json::json;
use spindle_domain::UserId;
use spindle_markup::{AlertText, continuation};
use spindle_store::{Db, alert_words};

use crate::ActionError;

/// Ids of the active users one of whose words the content holds, ascending. Costs one statement
/// when no word begins like a word of the content, and never more than the content is long.
pub(super) fn alerted_users(db: &dyn Db, content: &str) -> Result<Vec<UserId>, ActionError> {
    let text = AlertText::new(content);
    let heads = text.heads();
    let heads: Vec<_> = heads
        .iter()
        .map(|head| [head, continuation(head)])
        .collect();
    let begun = alert_words::begun(db, &json!(heads).to_string())?;
    if begun.is_empty() {
        return Ok(Vec::new());
    }
    let begun = begun.iter().map(String::as_str).collect();
    let words = text.matching(&begun, |candidates| {
        alert_words::nearest(db, &json!(candidates).to_string())
    })?;
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let users = alert_words::users_of(db, &json!(words).to_string())?;
    Ok(users.into_iter().collect())
}
