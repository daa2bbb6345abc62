//! Which revision of the protocol is announced, and under which names.
//!
//! Clients gate their behaviour on these values; every client reads the `zulip_*` names,
//! the specification names `service_feature_level`. Both are sent wherever one is.

/// The announced feature level (docs/protocol/conventions.md#feature-levels). Announcing a level
/// promises every change of the protocol up to it.
pub const FEATURE_LEVEL: i64 = 496;

/// `zulip_version`: the release of the protocol, and who implements it. Clients take the
/// number before the dot and insist on its presence.
pub const ZULIP_VERSION: &str = "12.0+spindle";

/// `zulip_merge_base`: for clients that insist on it; there is no other branch to name.
pub const ZULIP_MERGE_BASE: &str = "12.0+spindle";
