//! The input of a conversion: the stored body, and the requested form.
//!
//! Owns these two types only. `accept` decides the form for a queue, `kinds` builds it.

use serde_json::Value;

use crate::event::Record;
use crate::traits::Traits;

/// The form of an event for a queue; equal variants of a row render equally.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    pub(crate) traits: Traits,
    /// Entry of the audience's flag table.
    pub(crate) flag_group: Option<usize>,
    /// Whether the queue belongs to the client that sent the message.
    pub(crate) local: bool,
}

/// The input of a conversion.
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
