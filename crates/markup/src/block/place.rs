//! Where blocks are parsed: how deep, and whether directly in a list item.

/// Quotes, spoilers and lists nest at most this deep.
pub(super) const MAX_DEPTH: usize = 12;

/// Where blocks are parsed.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// How many quotes, spoilers and list items surround the place.
    pub(super) depth: usize,
    /// Whether text stands directly in a list item.
    pub(super) is_tight: bool,
}

impl Place {
    /// Outside of everything.
    pub(super) const TOP: Self = Self {
        depth: 0,
        is_tight: false,
    };

    /// Inside whatever stands here.
    pub(super) fn inner(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// The same with another answer to whether text stands directly in a list item.
    pub(super) fn tight(self, is_tight: bool) -> Self {
        Self { is_tight, ..self }
    }
}
