//! Who may read the channel, and how far back: `is_private`, `is_web_public` and
//! `history_public_to_subscribers`, which are one event.

use serde_json::json;
use spindle_domain::permission;
use spindle_domain::policy::{
    Privacy, PrivacyChange, PrivacyFacts, PrivacyProblem, may_change_privacy,
};
use spindle_domain::realm_setting;
use spindle_events::Record;
use spindle_store::channel_changes;

use super::Update;
use crate::ActionError;

impl Update<'_, '_> {
    pub(super) fn change_privacy(&mut self, change: &PrivacyChange) -> Result<(), ActionError> {
        let old = Privacy {
            invite_only: self.before.invite_only,
            is_web_public: self.before.is_web_public,
            history_public_to_subscribers: self.before.history_public_to_subscribers,
        };
        let new = old.changed(change).map_err(|problem| {
            ActionError::bad_request(match problem {
                PrivacyProblem::PrivateAndWebPublic => {
                    "A channel cannot be both private and web-public"
                }
                PrivacyProblem::HiddenHistory => {
                    "Only private channels can keep their history from new subscribers"
                }
            })
        })?;
        if new == old {
            return Ok(());
        }
        let facts = PrivacyFacts {
            channel: self.facts,
            privacy: new,
            holds_create_public: self
                .holds_realm(permission!(REALM, "can_create_public_channel_group")),
            holds_create_private: self
                .holds_realm(permission!(REALM, "can_create_private_channel_group")),
            holds_create_web_public: self
                .holds_realm(permission!(REALM, "can_create_web_public_channel_group")),
        };
        may_change_privacy(self.actor.role, &facts).check()?;
        let realm = self.actor.realm_settings();
        if new.is_web_public
            && !old.is_web_public
            && !realm.is_on(realm_setting!("enable_spectator_access"))
        {
            return Err(ActionError::bad_request(
                "This organization has no web-public channels",
            ));
        }
        let reports = realm.integer(realm_setting!("moderation_request_channel_id"));
        if !new.invite_only && reports == self.row.id.get() {
            return Err(ActionError::bad_request(
                "Reports of messages go to this channel, so it has to stay private",
            ));
        }
        channel_changes::set_privacy(
            self.tx,
            self.row.id,
            new.invite_only,
            new.is_web_public,
            new.history_public_to_subscribers,
        )?;
        let extra = Record::from_iter([
            (
                "history_public_to_subscribers".to_owned(),
                json!(new.history_public_to_subscribers),
            ),
            ("is_web_public".to_owned(), json!(new.is_web_public)),
        ]);
        self.note_with("invite_only", new.invite_only, extra);
        Ok(())
    }
}
