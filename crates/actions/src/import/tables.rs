//! The tables of the layout (docs/protocol/archive.md#tables): which are read, in which order, and the
//! function for a row of each.

use super::row::Row;
use super::{Import, ImportError};

/// Tables that are read, in the order in which they must be passed. `avatars` holds the rows of `avatars/records.json`.
pub const IMPORT_TABLES: &[&str] = &[
    "zerver_realm",
    "zerver_userprofile",
    "zerver_userprofile_mirrordummy",
    "zerver_userprofile_crossrealm",
    "zerver_client",
    "zerver_channelfolder",
    "zerver_stream",
    "zerver_recipient",
    "zerver_subscription",
    "zerver_usergroup",
    "zerver_namedusergroup",
    "zerver_groupgroupmembership",
    "zerver_usergroupmembership",
    "zerver_defaultstream",
    "zerver_realmuserdefault",
    "zerver_customprofilefield",
    "zerver_customprofilefieldvalue",
    "zerver_realmfilter",
    "zerver_realmdomain",
    "zerver_realmplayground",
    "zerver_realmemoji",
    "zerver_usertopic",
    "zerver_muteduser",
    "zerver_alertword",
    "zerver_userstatus",
    "zerver_userpresence",
    "zerver_savedsnippet",
    "zerver_navigationview",
    "zerver_scheduledmessage",
    "zerver_service",
    "zerver_botstoragedata",
    "zerver_realmauditlog",
    "zerver_attachment",
    "avatars",
    "zerver_message",
    "zerver_usermessage",
    "zerver_reaction",
    "spindle_buttons",
];

/// Tables of what texts name.
const NAMED_BY_TEXTS: &[&str] = &[
    "zerver_userprofile_mirrordummy",
    "zerver_stream",
    "zerver_namedusergroup",
    "zerver_realmemoji",
];

/// Tables that are skipped silently, because their subject does not exist here.
pub const IMPORT_SILENT: &[&str] = &[
    "zerver_huddle",
    "zerver_realmauthenticationmethod",
    "zerver_botconfigdata",
    "zerver_useractivity",
    "zerver_useractivityinterval",
    "zerver_realmexport",
    "import_source",
];

/// Data that is never imported, each with the reason.
pub const IMPORT_LEAVES_OUT: &[(&str, &str)] = &[
    (
        "passwords, API keys and tokens",
        "an archive must not open accounts; issue new ones",
    ),
    (
        "special permissions, the quota, whether the organization is deactivated",
        "the operator of each server decides on them",
    ),
    (
        "ways to sign in, statistics of use, earlier exports",
        "they belong to the other server; this one has its own",
    ),
    (
        "secrets and webhook addresses of apps, their logs and waiting events",
        "an archive holds no secrets; apps are paused until an administrator resumes them",
    ),
    (
        "drafts, polls, reminders, invitations, devices for notifications",
        "the layout of archives has no place for them; a backup holds them",
    ),
];

impl Import<'_> {
    pub(super) fn take(&mut self, table: &str, row: &Row<'_>) -> Result<(), ImportError> {
        match table {
            "zerver_realm" => self.realm(row),
            "zerver_userprofile" => self.account(row, false),
            "zerver_userprofile_mirrordummy" => self.account(row, true),
            "zerver_userprofile_crossrealm" => self.system_bot(row),
            "zerver_client" => self.client(row),
            "zerver_channelfolder" => self.folder(row),
            "zerver_stream" => self.channel(row),
            "zerver_recipient" => self.recipient(row),
            "zerver_subscription" => self.subscription(row),
            "zerver_usergroup" => self.group_id(row),
            "zerver_namedusergroup" => self.named_group(row),
            "zerver_groupgroupmembership" => self.subgroup(row),
            "zerver_usergroupmembership" => self.group_member(row),
            "zerver_defaultstream" => self.default_channel(row),
            "zerver_realmuserdefault" => self.user_defaults(row),
            "zerver_customprofilefield" => self.profile_field(row),
            "zerver_customprofilefieldvalue" => self.profile_value(row),
            "zerver_realmfilter" => self.linkifier(row),
            "zerver_realmdomain" => self.domain(row),
            "zerver_realmplayground" => self.playground(row),
            "zerver_realmemoji" => self.custom_emoji(row),
            "zerver_usertopic" => self.user_topic(row),
            "zerver_muteduser" => self.muted_user(row),
            "zerver_alertword" => self.alert_word(row),
            "zerver_userstatus" => self.status(row),
            "zerver_userpresence" => self.presence(row),
            "zerver_savedsnippet" => self.snippet(row),
            "zerver_navigationview" => self.view(row),
            "zerver_scheduledmessage" => self.scheduled_message(row),
            "zerver_service" => self.service(row),
            "zerver_botstoragedata" => self.bot_storage(row),
            "zerver_realmauditlog" => self.audit_entry(row),
            "zerver_attachment" => self.attachment(row),
            "avatars" => self.avatar_record(row),
            "zerver_message" => self.message(row),
            "zerver_usermessage" => self.receipt(row),
            "zerver_reaction" => self.reaction(row),
            "spindle_buttons" => self.buttons(row),
            _ => Err(ImportError::text("this table is not read")),
        }
    }

    /// Ends a table; called for each of [`IMPORT_TABLES`], whether it has rows or not.
    ///
    /// # Errors
    /// [`ImportError::Refused`] when what was read cannot be an organization.
    pub fn end_table(&mut self, table: &'static str) -> Result<(), ImportError> {
        // What texts name may have come with this table.
        if NAMED_BY_TEXTS.contains(&table) {
            self.rendering.forget_names();
        }
        match table {
            "zerver_realm" if self.realm.is_none() => Err(ImportError::Refused(
                "the archive holds no organization".to_owned(),
            )),
            "zerver_userprofile_mirrordummy" => self.end_of_accounts(),
            "zerver_stream" => self.channel_settings(),
            "zerver_namedusergroup" => self.make_groups(),
            "zerver_groupgroupmembership" => self.end_of_nesting(),
            "zerver_usergroupmembership" => self.permissions(),
            "zerver_realmfilter" => self.end_of_linkifiers(),
            "zerver_realmemoji" => self.end_of_names(),
            "zerver_alertword" => self.end_of_alert_words(),
            "zerver_service" => self.end_of_bots(),
            "zerver_usermessage" => self.end_of_receipts(),
            _ => Ok(()),
        }
        .map_err(|error: ImportError| error.at(table, None))
    }
}
