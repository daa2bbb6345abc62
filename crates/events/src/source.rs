//! What a conversion is given: the stored body, and the form in which it is wanted.
//!
//! Owns these two values only. Which form a queue gets is decided in `accept`, what it looks
//! like in `kinds`.

use serde_json::Value;

use crate::event::Record;
use crate::traits::Traits;

/// The form of an event that a queue is given; equal variants of a row render equally.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    pub(crate) traits: Traits,
    /// Entry of the audience's flag table.
    pub(crate) flag_group: Option<usize>,
    /// The queue is the one that the message was sent through.
    pub(crate) local: bool,
}

/// What goes into a conversion.
pub(crate) struct Source<'a> {
    pub(crate) body: Record,
    pub(crate) facts: Record,
    pub(crate) variant: Variant,
    /// Message flags of the user.
    pub(crate) flags: &'a [String],
}

impl Source<'_> {
    /// Whether the queue has the property.
    pub(crate) fn has(&self, property: Traits) -> bool {
        self.variant.traits.contains(property)
    }

    pub(crate) fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }

    pub(crate) fn fact_is_true(&self, name: &str) -> bool {
        self.fact(name) == Some(&Value::Bool(true))
    }
}
