//! The properties of a channel other than its name and description (docs/protocol/channels.md#channel-object).

use spindle_domain::permission::PermissionSetting;
use spindle_domain::{ChannelFolderId, GroupSettingValue};

/// How long a channel keeps its messages (`message_retention_days`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Retention {
    /// As the organization has it.
    #[default]
    Inherited,
    /// For ever.
    Unlimited,
    /// Days, at least one.
    Days(i64),
}

impl Retention {
    /// As stored: null inherits, -1 is for ever.
    pub(crate) const fn stored(self) -> Option<i64> {
        match self {
            Self::Inherited => None,
            Self::Unlimited => Some(-1),
            Self::Days(days) => Some(days),
        }
    }
}

/// The properties of a channel other than its name and description (docs/protocol/channels.md#channel-object).
#[derive(Debug, Clone, Default)]
pub struct ChannelProperties {
    /// Private channel.
    pub invite_only: bool,
    /// Whether clients without an account read it; not together with `invite_only`.
    pub is_web_public: bool,
    /// Whether subscribers read what was sent before they came. Private channels only: others
    /// always show their history. `None` means no.
    pub history_public_to_subscribers: Option<bool>,
    /// Whether new users join it. Private channels cannot be default channels.
    pub is_default: bool,
    /// An existing folder that is not archived.
    pub folder_id: Option<ChannelFolderId>,
    /// Only owners set another than the default.
    pub message_retention_days: Retention,
    /// `inherit` (none), `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
    pub topics_policy: Option<&'static str>,
    /// Permissions in creation form, as `spindle_wire::permissions::values` reads them from
    /// the table `CHANNEL`; the others get their defaults.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingValue)>,
    /// Address of the server without a slash at the end, for links in the description.
    pub realm_url: String,
}
