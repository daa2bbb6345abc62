//! What parsing finds on the way to the HTML: who is mentioned, which files are linked.
//!
//! Owns the notebook that blocks, inline markup and previews write into; it decides nothing.

use std::collections::BTreeSet;

/// What parsing notes down.
pub(crate) struct Outcome {
    pub(crate) mentioned_user_ids: BTreeSet<i64>,
    pub(crate) mentioned_group_ids: BTreeSet<i64>,
    pub(crate) channel_wildcard: bool,
    pub(crate) topic_wildcard: bool,
    pub(crate) has_image: bool,
    pub(crate) attachments: BTreeSet<String>,
    /// How many links linkifiers may still make.
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
