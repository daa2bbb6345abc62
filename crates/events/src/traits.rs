//! The properties of a queue that determine the form of its events.
//!
//! Each kind of event declares the properties it depends on, so that queues that agree in those share one
//! serialized payload.

bitflags::bitflags! {
    /// A set of such properties.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct Traits: u32 {
        const APPLY_MARKDOWN = 1;
        const CLIENT_GRAVATAR = 1 << 1;
        const SLIM_PRESENCE = 1 << 2;
        const SUBSCRIBERS = 1 << 3;
        const SIMPLIFIED_PRESENCE = 1 << 4;
        const NOTIFICATION_NULL = 1 << 5;
        const BULK_DELETION = 1 << 6;
        const STREAM_TYPING = 1 << 7;
        const LINKIFIER_TEMPLATE = 1 << 8;
        const DEACTIVATED_GROUPS = 1 << 9;
        const ARCHIVED_CHANNELS = 1 << 10;
        const EMPTY_TOPIC = 1 << 11;
        const INDIVIDUAL_EMOJI = 1 << 12;
        const USER_LIST_INCOMPLETE = 1 << 13;
        /// None of the capabilities was declared.
        const NO_CAPABILITIES = 1 << 14;
        const APP_ANSWERS = 1 << 15;
    }
}
