//! A hostile provider: what it signs, answers and announces, and what may be believed of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

mod answers;
mod discovery;
mod keys;
mod people;
mod provider;
mod tokens;
