//! The parameter form of a draft in POST and PATCH /drafts
//! (docs/protocol/personal.md#create_drafts).
//!
//! Unknown keys are refused.

use serde::Deserialize;
use spindle_actions::personal::{DraftInput, DraftKind};

/// One draft.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftParam {
    /// Ignored: clients send it back, but the path determines the draft.
    #[serde(rename = "id", default)]
    _id: Option<i64>,
    #[serde(rename = "type")]
    kind: KindParam,
    to: Vec<i64>,
    topic: String,
    content: String,
    #[serde(default)]
    timestamp: Option<i64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum KindParam {
    #[serde(rename = "")]
    None,
    #[serde(rename = "stream", alias = "channel")]
    Stream,
    #[serde(rename = "private", alias = "direct")]
    Private,
}

impl From<DraftParam> for DraftInput {
    fn from(param: DraftParam) -> Self {
        Self {
            kind: match param.kind {
                KindParam::None => DraftKind::None,
                KindParam::Stream => DraftKind::Stream,
                KindParam::Private => DraftKind::Private,
            },
            to: param.to,
            topic: param.topic,
            content: param.content,
            timestamp: param.timestamp,
        }
    }
}
