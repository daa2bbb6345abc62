//! Which of some messages a narrow is about, with the hits of a search marked
//! (docs/protocol/narrow.md#matches_narrow).
//!
//! Clients ask it for messages that have just arrived, so only messages that were delivered to
//! the caller can match, whatever channel the narrow names.

use std::collections::BTreeMap;

use spindle_domain::MessageId;
use spindle_domain::limits::MAX_BYTES_PER_FETCH;
use spindle_domain::narrow::NarrowTerm;
use spindle_store::message_pages::{self, Texts};
use spindle_store::{Connection, ReadTx, id_list};

use crate::json_list::written_length;
use crate::messages::fetch_messages::{parts, too_large};
use crate::messages::match_fields::{NarrowMatch, match_fields};
use crate::messages::narrow::History;
use crate::{ActionError, Actor};

/// Those of the messages that match, by id.
///
/// # Errors
/// `ClientError::BadNarrow`; [`ActionError::BadRequest`] when they have no room in one answer.
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
    let search = history.search.unwrap_or_default();
    let most = usize::try_from(MAX_BYTES_PER_FETCH).unwrap_or(usize::MAX);
    let mut found = BTreeMap::new();
    let mut bytes = 0;
    // Marks around the hits can make a message many times as long, and the answer has no edit history, so the answer is
    // measured after it was written.
    for ids in parts(&tx, ids)? {
        let ids = id_list(ids);
        for row in message_pages::by_ids(&tx, actor.realm_id, actor.user_id, &ids, HTML, None)? {
            let fields = match_fields(&search, &row, empty_topic);
            bytes += written_length(&fields.match_content) + written_length(&fields.match_subject);
            if bytes > most && !found.is_empty() {
                return Err(too_large());
            }
            found.insert(row.id, fields);
        }
    }
    Ok(found)
}

/// What the answer shows of a message.
const HTML: Texts = Texts {
    markdown: false,
    html: true,
};
