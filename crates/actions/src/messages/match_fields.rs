//! The fields that show how a message matches a narrow (docs/protocol/narrow.md#matches_narrow).

use serde::Serialize;
use spindle_store::messages::MessageRow;

use crate::messages::search::SearchQuery;

/// How a message matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NarrowMatch {
    /// Rendered content.
    pub match_content: String,
    /// Topic as HTML.
    pub match_subject: String,
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
