//! The nesting of a block: its depth, and whether it is directly in a list item.

/// Quotes, spoilers and lists nest at most this deep.
pub(super) const MAX_DEPTH: usize = 12;

/// The nesting at which blocks are parsed.
#[derive(Clone, Copy)]
pub(super) struct Nesting {
    /// Number of enclosing quotes, spoilers and list items.
    pub(super) depth: usize,
    /// Whether text is directly in a list item.
    pub(super) is_tight: bool,
}

impl Nesting {
    /// The top level.
    pub(super) const TOP: Self = Self {
        depth: 0,
        is_tight: false,
    };

    /// One level deeper.
    pub(super) fn inner(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// The same depth with another value of `is_tight`.
    pub(super) fn tight(self, is_tight: bool) -> Self {
        Self { is_tight, ..self }
    }
}
