//! `type`: what a message is sent to. Each kind has an older name.

/// What a message is sent to.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A topic of a channel.
    Channel,
    /// People.
    Direct,
}

/// The names on the wire.
pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("direct", Kind::Direct),
    ("private", Kind::Direct),
    ("channel", Kind::Channel),
    ("stream", Kind::Channel),
];
