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
    /// The number of links that linkifiers may still create.
    #[cfg(feature = "linkifiers")]
    pub(crate) links_left: usize,
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
            links_left: crate::linkifier::MAX_LINKS,
        }
    }
}
