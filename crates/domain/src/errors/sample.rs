//! A value of each type that a row of the table is given, so that tests have one of every error.

use serde_json::{Value, json};

use crate::narrow::ChannelReference;
use crate::policy::Scope;

/// A type of which a test needs any value.
pub(super) trait Sample {
    /// The value; fields made of it keep to their schemas.
    fn sample() -> Self;
}

impl Sample for String {
    fn sample() -> Self {
        "x".to_owned()
    }
}

impl Sample for &'static str {
    fn sample() -> Self {
        "x"
    }
}

impl Sample for i64 {
    fn sample() -> Self {
        7
    }
}

impl Sample for f64 {
    fn sample() -> Self {
        0.5
    }
}

impl Sample for bool {
    fn sample() -> Self {
        true
    }
}

impl Sample for Value {
    fn sample() -> Self {
        json!([])
    }
}

impl Sample for Scope {
    fn sample() -> Self {
        Self::Send
    }
}

impl Sample for ChannelReference {
    fn sample() -> Self {
        Self::Name("x".to_owned())
    }
}
