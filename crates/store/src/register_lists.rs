//! The parts of a snapshot from small tables, most of which are empty for most accounts: one statement for
//! the lists of the caller, and one for those of the organization.
//!
//! Lists that may be long are read elsewhere; these statements only say whether each has an element.

use spindle_domain::{RealmId, UserId};

use crate::alert_words::alert_words_query;
use crate::muted_users::muted_users_query;
use crate::navigation_views::navigation_views_query;
use crate::push_devices::{devices_query, push_accounts_query};
use crate::realm_domains::realm_domains_query;
use crate::realm_playgrounds::realm_playgrounds_query;
use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// Lists of one account, as JSON.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OwnLists {
        /// As [`crate::alert_words::records`].
        pub alert_words: String,
        /// As [`crate::muted_users::records`].
        pub muted_users: String,
        /// As [`crate::navigation_views::records`].
        pub navigation_views: String,
        /// An object of the account's devices by id.
        pub devices: String,
        /// An object of its registrations for push notifications by id.
        pub push_devices: String,
        /// Whether it has drafts.
        pub has_drafts: bool,
        /// Whether it has reminders.
        pub has_reminders: bool,
        /// Whether it has scheduled messages.
        pub has_scheduled: bool,
        /// Whether it has saved snippets.
        pub has_snippets: bool,
        /// Whether it has starred messages.
        pub has_starred: bool,
    }

    /// Lists of the organization, as JSON, and what else is short.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RealmLists {
        /// As [`crate::realm_domains::records`].
        pub domains: String,
        /// As [`crate::realm_playgrounds::records`].
        pub playgrounds: String,
        /// Whether there are custom emoji.
        pub has_emoji: bool,
        /// As [`crate::user_settings::defaults`].
        pub user_settings_defaults: String,
        /// As [`crate::push_service::state`]; `None` without a push service.
        pub can_push: Option<bool>,
        /// When the push service will stop, if it does.
        pub end_timestamp: Option<i64>,
        /// Whether mail is configured.
        pub sends_mail: bool,
    }
}

/// The lists of `user_id`.
pub fn of_user(db: &dyn Db, user_id: UserId) -> Result<OwnLists, DbError> {
    db.query(
        sql!(
            "SELECT (",
            alert_words_query!(),
            ") AS alert_words, (",
            muted_users_query!(),
            ") AS muted_users, (",
            navigation_views_query!(),
            ") AS navigation_views, (",
            devices_query!(),
            ") AS devices, (",
            push_accounts_query!(),
            ") AS push_devices, \
             EXISTS (SELECT 1 FROM drafts WHERE user_id = ?1) AS has_drafts, \
             EXISTS (SELECT 1 FROM reminders WHERE user_id = ?1) AS has_reminders, \
             EXISTS (SELECT 1 FROM scheduled_messages WHERE user_id = ?1) AS has_scheduled, \
             EXISTS (SELECT 1 FROM saved_snippets WHERE user_id = ?1) AS has_snippets, \
             EXISTS (SELECT 1 FROM user_messages INDEXED BY user_messages_starred \
                 WHERE user_id = ?1 AND flags & 2 <> 0) AS has_starred"
        ),
        &params![user_id],
    )?
    .one()
}

/// The lists of the organization.
pub fn of_realm(db: &dyn Db, realm_id: RealmId) -> Result<RealmLists, DbError> {
    db.query(
        sql!(
            "SELECT (",
            realm_domains_query!(),
            ") AS domains, (",
            realm_playgrounds_query!(),
            ") AS playgrounds, \
             EXISTS (SELECT 1 FROM realm_emoji WHERE realm_id = ?1) AS has_emoji, \
             r.user_settings_defaults, p.can_push, p.end_timestamp, \
             EXISTS (SELECT 1 FROM mail_service WHERE realm_id = ?1) AS sends_mail \
             FROM realms r LEFT JOIN push_service p ON p.realm_id = r.id WHERE r.id = ?1"
        ),
        &params![realm_id],
    )?
    .one()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{alert_words, drafts, muted_users, push_devices, push_service, realm_domains};

    #[test]
    fn lists_are_those_of_their_own_statements() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let empty = of_user(&tx, ann).unwrap();
        assert_eq!((&*empty.alert_words, &*empty.devices), ("[]", "{}"));
        assert!(!empty.has_drafts && !empty.has_starred && !empty.has_snippets);
        alert_words::insert(&tx, ann, r#"[["tea", "Tea"]]"#).unwrap();
        let bob = testing::user(&tx, "bob@x.org");
        muted_users::insert(&tx, ann, bob, 5).unwrap();
        let device = push_devices::insert_device(&tx, ann, 1).unwrap();
        let draft = drafts::DraftRow {
            kind: "",
            recipients: "[]",
            topic: "",
            content: "x",
            last_edit_time: 1,
        };
        drafts::insert(&tx, ann, &draft).unwrap();
        let lists = of_user(&tx, ann).unwrap();
        assert_eq!(
            Ok(&lists.alert_words),
            alert_words::records(&tx, ann).as_ref()
        );
        assert_eq!(
            Ok(&lists.muted_users),
            muted_users::records(&tx, ann).as_ref()
        );
        assert_eq!(lists.alert_words, r#"["Tea"]"#);
        assert!(lists.devices.starts_with(&format!("{{\"{device}\":{{")));
        assert!(lists.has_drafts && !lists.has_reminders && !lists.has_scheduled);
        let realm = RealmId::ONLY;
        let lists = of_realm(&tx, realm).unwrap();
        assert_eq!((lists.can_push, lists.has_emoji), (None, false));
        push_service::configure(&tx, realm, 3).unwrap();
        let lists = of_realm(&tx, realm).unwrap();
        assert_eq!((lists.can_push, lists.end_timestamp), (Some(true), None));
        assert_eq!(Ok(lists.domains), realm_domains::records(&tx, realm));
        assert_eq!(lists.user_settings_defaults, "{}");
    }
}
