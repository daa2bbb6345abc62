//! The fuzz targets: one function a parser, fed with arbitrary bytes.
//!
//! Each checks properties that hold for any input, so that a run finds wrong answers and not
//! only panics. `src/bin/` gives them to libFuzzer, `tests/corpus.rs` runs the committed corpus
//! through them on any machine.

// The router names the crate of the manifest; this one has what it needs of it.
extern crate self as spindle_manifest;

mod manifest;
pub mod route;
#[path = "../../host/front/src/router.rs"]
mod router;

pub use manifest::Route;
pub use route::check_route;
pub use spindle_markup::fuzz::check as check_markdown;
pub use spindle_markup::fuzz::check_linkifier;
pub use spindle_wire::fuzz::{check_narrow, check_params};

/// A target: its name, which is also its folder in `corpus/`, and what it checks.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 5] = [
    ("params", check_params),
    ("narrow", check_narrow),
    ("route", check_route),
    ("markdown", check_markdown),
    ("linkifier", check_linkifier),
];
