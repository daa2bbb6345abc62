//! The kinds of entries of the audit log, and who acts in entries without an account (docs/AUDIT.md).

/// Every kind, in alphabetical order.
pub const KINDS: &[&str] = &[
    "app_changed",
    "app_installed",
    "app_paused",
    "app_removed",
    "app_updated",
    "audit_pruned",
    "avatar_changed",
    "bot_call_failed",
    "bot_changed",
    "bot_owner_changed",
    "bot_rate_changed",
    "channel_archived",
    "channel_created",
    "channel_folder_created",
    "channel_folder_updated",
    "channel_folders_reordered",
    "channel_updated",
    "default_channel_set",
    "emoji_added",
    "emoji_deactivated",
    "file_deleted",
    "file_expired",
    "file_uploaded",
    "full_members_changed",
    "hidden_name_tried",
    "invitation_renewed",
    "invitation_revoked",
    "invitations_created",
    "invitations_revoked",
    "largest_file_set",
    "linkifier_added",
    "linkifier_changed",
    "linkifier_removed",
    "linkifiers_left_out",
    "linkifiers_reordered",
    "message_changed",
    "message_deleted",
    "message_reported",
    "messages_expired",
    "messages_mended",
    "playground_added",
    "playground_removed",
    "profile_field_changed",
    "profile_field_created",
    "profile_field_deleted",
    "profile_fields_reordered",
    "realm_created",
    "realm_deactivated",
    "realm_domain_added",
    "realm_domain_changed",
    "realm_domain_removed",
    "realm_export_deleted",
    "realm_exported",
    "realm_imported",
    "realm_picture_changed",
    "realm_reactivated",
    "realm_settings_changed",
    "realm_user_settings_default_changed",
    "subscribed",
    "texts_mended",
    "topic_deleted",
    "unsubscribed",
    "upload_quota_set",
    "user_address_mended",
    "user_api_key_created",
    "user_api_key_ended",
    "user_api_key_expired",
    "user_api_key_fetched",
    "user_api_key_issued",
    "user_api_keys_revoked",
    "user_created",
    "user_deactivated",
    "user_email_changed",
    "user_first_login",
    "user_full_name_changed",
    "user_group_created",
    "user_group_deactivated",
    "user_group_lists_changed",
    "user_group_updated",
    "user_identity_connected",
    "user_identity_disconnected",
    "user_joined",
    "user_messages_deleted",
    "user_passkey_added",
    "user_passkey_removed",
    "user_password_changed",
    "user_password_link_made",
    "user_password_set_by_link",
    "user_permission_changed",
    "user_profile_changed",
    "user_profile_deleted",
    "user_reactivated",
    "user_recovery_code_used",
    "user_recovery_codes_made",
    "user_role_changed",
    "user_second_factor_removed",
    "user_second_factor_reset",
    "user_second_factor_set",
    "user_session_ended",
    "user_sessions_ended",
    "user_settings_changed",
    "user_sign_in_link_made",
    "user_sign_in_refused",
    "user_signed_in",
    "user_status_set",
    "user_unproven_keys_ended",
    "welcome_message_tested",
];

/// The kinds that the server writes by itself. Every other entry without an account is the operator's.
const BY_SERVER: &[&str] = &[
    "bot_call_failed",
    "file_expired",
    "full_members_changed",
    "linkifiers_left_out",
    "messages_expired",
    "messages_mended",
    "texts_mended",
    "user_address_mended",
    "user_api_key_expired",
    "user_sign_in_refused",
    "user_unproven_keys_ended",
];

/// Who has caused an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acting {
    /// An account.
    User,
    /// The operator of the server, with a command.
    Operator,
    /// The server itself, or a client that is not signed in.
    Server,
}

impl Acting {
    /// Who has caused an entry of this kind.
    #[must_use]
    pub fn of(has_account: bool, kind: &str) -> Self {
        match has_account {
            true => Self::User,
            false if BY_SERVER.contains(&kind) => Self::Server,
            false => Self::Operator,
        }
    }

    /// The name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Operator => "operator",
            Self::Server => "server",
        }
    }
}

/// The kind of this name, if there is one.
#[must_use]
pub fn kind(name: &str) -> Option<&'static str> {
    let found = KINDS.binary_search(&name).ok()?;
    KINDS.get(found).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_found() {
        assert!(KINDS.is_sorted());
        for name in KINDS.iter().chain(BY_SERVER) {
            assert_eq!(kind(name), Some(*name));
        }
        assert_eq!(kind("user_signed"), None);
    }

    #[test]
    fn the_operators_document_lists_every_kind() {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let path = std::path::Path::new(&folder).join("../../docs/AUDIT.md");
        let document = std::fs::read_to_string(path).unwrap();
        for name in KINDS {
            assert!(document.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn entries_without_an_account() {
        assert_eq!(Acting::of(true, "messages_expired"), Acting::User);
        assert_eq!(Acting::of(false, "messages_expired"), Acting::Server);
        assert_eq!(Acting::of(false, "user_created"), Acting::Operator);
    }
}
