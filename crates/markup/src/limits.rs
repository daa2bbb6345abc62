//! The limit of the output. The domain owns the limits of texts.
//! (docs/protocol/markdown.md#rendering-limits)

/// Longest HTML a message may render to, in code points.
pub const MAX_RENDERED_LENGTH: usize = 1_000_000;
