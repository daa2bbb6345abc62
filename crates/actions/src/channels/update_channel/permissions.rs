//! The permissions of a channel, in the order of the table, and the deprecated fields that
//! follow from who may send.

use serde_json::json;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::permission;
use spindle_domain::permission::PermissionSetting;
use spindle_domain::policy::may_change_channel_permission;
use spindle_store::channel_changes;
use spindle_store::group_settings::Owner;

use super::Update;
use crate::ActionError;
use crate::permissions::group_setting::GroupSettings;

/// `stream_post_policy` that `is_announcement_only` means.
const ADMINISTRATORS_ONLY: i64 = 2;

impl Update<'_, '_> {
    pub(super) fn change_permissions(
        &mut self,
        sent: &[(&'static PermissionSetting, GroupSettingUpdate)],
    ) -> Result<(), ActionError> {
        if sent.is_empty() {
            return Ok(());
        }
        let sets_delete_policy =
            self.holds_realm(permission!(REALM, "can_set_delete_message_policy_group"));
        let settings = GroupSettings::new(self.tx, self.actor)?;
        for (setting, update) in sent {
            let owner = Owner::Channel(self.row.id);
            may_change_channel_permission(
                self.actor.role,
                &self.facts,
                setting.name,
                sets_delete_policy,
            )
            .check()?;
            let before = settings.current(owner, setting)?;
            if let Some(value) = settings.apply_update(owner, setting, update)? {
                self.note(setting.name, json!(value));
                if setting.name == permission!(CHANNEL, "can_send_message_group").row().name {
                    self.posting = Some([before, value]);
                }
            }
        }
        settings.check_growth()?;
        self.note_post_policy()
    }

    fn note_post_policy(&mut self) -> Result<(), ActionError> {
        let policy = channel_changes::state(self.tx, self.row.id)?.post_policy;
        if policy == self.before.post_policy {
            return Ok(());
        }
        let was_announcement_only = self.before.post_policy == ADMINISTRATORS_ONLY;
        let is_announcement_only = policy == ADMINISTRATORS_ONLY;
        self.note("stream_post_policy", policy);
        if was_announcement_only != is_announcement_only {
            self.note("is_announcement_only", is_announcement_only);
        }
        Ok(())
    }
}
