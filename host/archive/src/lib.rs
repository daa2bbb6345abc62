//! A whole organization outside of its database: export, import, and the move to another database.

pub mod export;
pub mod import;
pub mod transfer;
