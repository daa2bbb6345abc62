//! A draft as POST and PATCH /drafts take it (protocol-facts 5.4).
//!
//! Exactly these keys: a draft that says more was written for another server.

use serde::Deserialize;
use spindle_actions::{DraftInput, DraftKind};

/// One draft.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftParam {
    /// Clients send back what they were given; the path decides.
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
