//! The parameter `type`: the kind of a message's recipient. Each kind has an older name.

/// The kind of a message's recipient.
#[derive(Clone, Copy)]
pub(crate) enum RecipientKind {
    /// A topic of a channel.
    Channel,
    /// Users, in a direct message.
    Direct,
}

/// The names on the wire.
pub(crate) const KINDS: &[(&str, RecipientKind)] = &[
    ("direct", RecipientKind::Direct),
    ("private", RecipientKind::Direct),
    ("channel", RecipientKind::Channel),
    ("stream", RecipientKind::Channel),
];
