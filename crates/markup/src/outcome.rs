//! The findings of parsing besides the HTML: mentions and linked files.
//!
//! Owns the collector for blocks, inline markup and previews; it decides nothing.

use std::collections::BTreeSet;

/// The findings of parsing.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) mentioned_user_ids: BTreeSet<i64>,
    pub(crate) mentioned_group_ids: BTreeSet<i64>,
    pub(crate) channel_wildcard: bool,
    pub(crate) topic_wildcard: bool,
    pub(crate) has_image: bool,
    pub(crate) attachments: BTreeSet<String>,
    /// What linkifiers may still do.
    #[cfg(feature = "linkifiers")]
    pub(crate) searches: crate::linkifier::SearchBudget,
}
