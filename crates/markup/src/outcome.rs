//! The findings of parsing besides the HTML: mentions and linked files.
//!
//! Owns the collector for blocks, inline markup and previews; it decides nothing.

use std::collections::BTreeSet;

/// The findings of parsing.
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

impl Default for Outcome {
    fn default() -> Self {
        Self {
            mentioned_user_ids: BTreeSet::new(),
            mentioned_group_ids: BTreeSet::new(),
            channel_wildcard: false,
            topic_wildcard: false,
            has_image: false,
            attachments: BTreeSet::new(),
            #[cfg(feature = "linkifiers")]
            searches: crate::linkifier::SearchBudget::default(),
        }
    }
}
