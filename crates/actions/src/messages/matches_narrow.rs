//! Which of some messages a narrow is about, with the hits of a search marked
//! (docs/protocol/narrow.md#matches_narrow).
//!
//! Clients ask it for messages that have just arrived, so only messages that were delivered to
//! the caller can match, whatever channel the narrow names.

use std::collections::BTreeMap;

use serde::Serialize;
use spindle_domain::MessageId;
use spindle_domain::narrow::NarrowTerm;
use spindle_store::messages::{self, MessageRow};
use spindle_store::{Connection, ReadTx, id_list};

use crate::messages::fetch_messages::check;
use crate::messages::narrow::History;
use crate::messages::search::SearchQuery;
use crate::{ActionError, Actor};

/// How a message matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NarrowMatch {
    /// Rendered content.
    pub match_content: String,
    /// Topic as HTML.
    pub match_subject: String,
}

/// Those of the messages that match, by id.
///
/// # Errors
/// `ClientError::BadNarrow`.
pub fn matches_narrow(
    db: &dyn Connection,
    actor: &Actor,
    ids: &[MessageId],
    narrow: &[NarrowTerm],
    empty_topic: &str,
) -> Result<BTreeMap<MessageId, NarrowMatch>, ActionError> {
    let tx = ReadTx::begin(db)?;
    let history = History::received(&tx, actor, narrow)?;
    let ids = history.among(&tx, ids.to_vec())?;
    check(&tx, &ids)?;
    let search = history.search.unwrap_or_default();
    let rows = messages::by_ids(&tx, actor.realm_id, actor.user_id, &id_list(ids))?;
    Ok(rows
        .iter()
        .map(|row| (row.id, match_fields(&search, row, empty_topic)))
        .collect())
}

/// The two fields as they stand in both answers.
pub(crate) fn match_fields(
    search: &SearchQuery,
    row: &MessageRow,
    empty_topic: &str,
) -> NarrowMatch {
    let topic = if row.channel_id.is_some() && row.topic.is_empty() {
        empty_topic
    } else {
        &row.topic
    };
    NarrowMatch {
        match_content: search.mark_html(&row.rendered_content),
        match_subject: search.mark_text(topic),
    }
}
