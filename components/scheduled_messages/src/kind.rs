//! The kind of a scheduled message's recipient; each has an older name
//! (docs/protocol/scheduled.md#scheduled-message).

/// Values of `type`, and whether each is a message to a channel.
pub(crate) const KINDS: &[(&str, bool)] = &[
    ("direct", false),
    ("private", false),
    ("channel", true),
    ("stream", true),
];
