//! Objects of one user, which no other user may read or change.

pub(crate) mod alert_words;
mod drafts;
mod muted_users;
mod navigation_views;
mod push;
mod saved_snippets;
mod unsubscribe;
pub(crate) mod user_settings;
pub(crate) mod user_topics;

pub use alert_words::*;
pub use drafts::*;
pub use muted_users::*;
pub(crate) use navigation_views::check_view;
pub use navigation_views::*;
pub use push::*;
pub use saved_snippets::*;
pub use unsubscribe::unsubscribe;
pub(crate) use unsubscribe::unsubscription_key;
pub use user_settings::*;
pub use user_topics::*;
