//! What the organization is made of: ids, roles, group-setting values, the tables of
//! settings and permissions, and the rules that decide who may do what.
//!
//! Everything here is a pure function or a constant. This crate must not read a clock, a database
//! or a request, nor depend on HTTP: the same rules serve the components, the event service and the
//! administrator's command.

pub mod address;
pub mod apps;
pub mod audit;
pub mod disposable;
pub mod errors;
pub mod feature_level;
pub mod group_name;
pub mod group_setting;
pub mod id;
pub mod identity;
mod known;
pub mod limits;
pub mod mail;
pub mod media_type;
pub mod message_flag;
pub mod narrow;
pub mod numbers;
pub mod passkey;
pub mod password;
pub mod permission;
pub mod policy;
pub mod profile_field;
pub mod rates;
pub mod role;
pub mod settings;
pub mod system_bot;
pub mod system_group;
pub mod text;
pub mod thumbnails;
pub mod traffic;
pub mod visibility_policy;
pub mod widget;
pub mod words;

pub use group_setting::{GroupSettingValue, NamelessGroup};
pub use id::{
    ApiKeyId, AppEventId, AppFetchId, AppId, AttachmentId, AuditEntryId, BotCallId,
    ChannelFolderId, ChannelId, ConversationId, CustomEmojiId, DeviceId, DraftId, ErasureId,
    GroupId, IdentityId, InvitationId, LinkifierId, MailId, MessageId, MoveId, PasskeyId,
    PlaygroundId, ProfileFieldId, PushAccountId, PushCallId, RealmId, ReminderId, SavedSnippetId,
    ScheduledMessageId, SessionId, SubmessageId, UserId,
};
pub use known::{KnownSetting, Permission, RealmSetting, UserSetting};
pub use mail::MailKind;
pub use role::Role;
pub use system_bot::{SYSTEM_REALM, SystemBot};
pub use system_group::SystemGroup;
pub use visibility_policy::VisibilityPolicy;
