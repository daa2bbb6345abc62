//! Channels for the tests of the rules: seen by a user without any relation to them.

use super::ChannelFacts;

/// A public channel of which the actor is no subscriber.
pub(crate) const PUBLIC: ChannelFacts = ChannelFacts {
    invite_only: false,
    history_public_to_subscribers: true,
    is_web_public: false,
    is_archived: false,
    is_subscribed: false,
    grants_content_access: false,
    administers: false,
};

/// A private channel of which the actor is no subscriber.
pub(crate) const PRIVATE: ChannelFacts = ChannelFacts {
    invite_only: true,
    ..PUBLIC
};
