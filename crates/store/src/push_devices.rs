//! Devices of users and their registrations for push notifications, in the three forms that the
//! API has had: bare tokens, registrations by account id, registered devices.
//!
//! Every statement names the user, so that another user's device is not found.

use spindle_domain::{DeviceId, PushAccountId, UserId};

use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

/// Stores a token; nothing changes when the user has registered it before. `kind` is `apns`
/// or `fcm`.
pub fn insert_token(
    tx: &WriteTx<'_>,
    user_id: UserId,
    kind: &str,
    token: &str,
    app_id: Option<&str>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO push_tokens (user_id, kind, token, app_id, created) \
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING"
        ),
        &params![user_id, kind, token, app_id, now],
    )?;
    Ok(())
}

/// Deletes a token; false when the user has not registered it.
pub fn delete_token(
    tx: &WriteTx<'_>,
    user_id: UserId,
    kind: &str,
    token: &str,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM push_tokens WHERE user_id = ?1 AND kind = ?2 AND token = ?3 RETURNING 1"
        ),
        &params![user_id, kind, token],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Deletes a user's oldest tokens until `keep` are left.
pub fn delete_oldest_tokens(tx: &WriteTx<'_>, user_id: UserId, keep: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            // As for `among!`, for two columns.
            "WITH oldest AS MATERIALIZED (SELECT kind, token FROM push_tokens WHERE user_id = ?1 \
                 ORDER BY created DESC, kind, token LIMIT -1 OFFSET ?2) \
             DELETE FROM push_tokens WHERE user_id = ?1 \
             AND (kind, token) IN (SELECT kind, token FROM oldest)"
        ),
        &params![user_id, keep],
    )?;
    Ok(())
}

/// A registration by account id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushAccount<'a> {
    /// Chosen by the client.
    pub push_account_id: PushAccountId,
    /// `apns` or `fcm`.
    pub token_kind: &'a str,
    /// Base64, as sent.
    pub push_key: &'a str,
    /// `active`, `pending` or `failed`.
    pub status: &'a str,
    /// Why it failed.
    pub error_code: Option<&'a str>,
}

/// Stores a registration, in place of an earlier one of the same id.
pub fn set_account(
    tx: &WriteTx<'_>,
    user_id: UserId,
    account: &PushAccount<'_>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO push_accounts (user_id, push_account_id, token_kind, push_key, status, \
             error_code, updated) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT (user_id, push_account_id) DO UPDATE SET token_kind = ?3, push_key = ?4, \
             status = ?5, error_code = ?6, updated = ?7, service_device_id = NULL"
        ),
        &params![
            user_id,
            account.push_account_id,
            account.token_kind,
            account.push_key,
            account.status,
            account.error_code,
            now
        ],
    )?;
    Ok(())
}

/// Deletes a user's oldest registrations until `keep` are left; returns their ids.
pub fn delete_oldest_accounts(
    tx: &WriteTx<'_>,
    user_id: UserId,
    keep: i64,
) -> Result<Vec<PushAccountId>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM push_accounts WHERE user_id = ?1 AND push_account_id ",
            among!(
                "SELECT push_account_id FROM push_accounts WHERE user_id = ?1 \
                 ORDER BY updated DESC, push_account_id LIMIT -1 OFFSET ?2"
            ),
            " RETURNING push_account_id"
        ),
        &params![user_id, keep],
    )?
    .values()
}

/// Marks a registration as succeeded; `service_device_id`: the phone's id at the push service.
/// False when the user no longer has such a registration.
pub fn activate_account(
    tx: &WriteTx<'_>,
    user_id: UserId,
    push_account_id: PushAccountId,
    service_device_id: Option<i64>,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE push_accounts SET status = 'active', error_code = NULL, service_device_id = ?3 \
         WHERE user_id = ?1 AND push_account_id = ?2 RETURNING 1"
        ),
        &params![user_id, push_account_id, service_device_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Marks a registration as failed; false when the user no longer has such a registration.
pub fn fail_account(
    tx: &WriteTx<'_>,
    user_id: UserId,
    push_account_id: PushAccountId,
    error_code: &str,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE push_accounts SET status = 'failed', error_code = ?3 \
         WHERE user_id = ?1 AND push_account_id = ?2 RETURNING 1"
        ),
        &params![user_id, push_account_id, error_code],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Whether a registration with this key is active.
pub fn is_account_active(
    db: &dyn Db,
    user_id: UserId,
    push_account_id: PushAccountId,
    push_key: &str,
) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM push_accounts WHERE user_id = ?1 AND push_account_id = ?2 \
             AND push_key = ?3 AND status = 'active')"),
        &params![user_id, push_account_id, push_key],
    )?
    .one_value()
}

/// The registrations of a user as a JSON object by account id (fetch type `push_device`).
macro_rules! push_accounts_query {
    () => {
        "SELECT coalesce(json_group_object(push_account_id, json(json_patch('{}', \
                 json_object('status', status, 'error_code', error_code)))), '{}') \
             FROM push_accounts WHERE user_id = ?1"
    };
}
pub(crate) use push_accounts_query;

/// Registers a device; returns its id.
pub fn insert_device(tx: &WriteTx<'_>, user_id: UserId, now: i64) -> Result<DeviceId, DbError> {
    tx.execute(
        statement!("INSERT INTO devices (user_id, created) VALUES (?1, ?2) RETURNING id"),
        &params![user_id, now],
    )?
    .one_value()
}

/// Deletes a user's oldest devices until `keep` are left; returns their ids.
pub fn delete_oldest(
    tx: &WriteTx<'_>,
    user_id: UserId,
    keep: i64,
) -> Result<Vec<DeviceId>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM devices WHERE user_id = ?1 AND id ",
            among!("SELECT id FROM devices WHERE user_id = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2"),
            " RETURNING id"
        ),
        &params![user_id, keep],
    )?
    .values()
}

/// Deletes a device; false when the user has no such device.
pub fn delete_device(
    tx: &WriteTx<'_>,
    user_id: UserId,
    device_id: DeviceId,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM devices WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, device_id],
    )?;
    Ok(!rows.rows.is_empty())
}

row_struct! {
    /// The registration of a device with the push service.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct DeviceRow {
        /// Base64.
        pub push_key: Option<String>,
        /// Chosen by the client with the key.
        pub push_key_id: Option<i64>,
        /// `apns` or `fcm`.
        pub token_kind: Option<String>,
        /// The token that notifications go to.
        pub push_token_id: Option<String>,
        /// The token that is to replace it.
        pub pending_push_token_id: Option<String>,
        /// UNIX seconds at which the pending token was set.
        pub push_token_last_updated_timestamp: Option<i64>,
        /// Why the last registration failed.
        pub push_registration_error_code: Option<String>,
    }
}

/// Finds a device of a user.
pub fn device(
    db: &dyn Db,
    user_id: UserId,
    device_id: DeviceId,
) -> Result<Option<DeviceRow>, DbError> {
    db.query(
        sql!(
            "SELECT push_key, push_key_id, token_kind, push_token_id, pending_push_token_id, \
             push_token_last_updated_timestamp, push_registration_error_code \
             FROM devices WHERE id = ?2 AND user_id = ?1"
        ),
        &params![user_id, device_id],
    )?
    .first()
}

/// Stores the registration of a device.
pub fn update_device(
    tx: &WriteTx<'_>,
    device_id: DeviceId,
    device: &DeviceRow,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE devices SET push_key = ?2, push_key_id = ?3, token_kind = ?4, push_token_id = ?5, \
         pending_push_token_id = ?6, push_token_last_updated_timestamp = ?7, \
         push_registration_error_code = ?8 WHERE id = ?1"),
        &params![
            device_id,
            device.push_key.as_deref(),
            device.push_key_id,
            device.token_kind.as_deref(),
            device.push_token_id.as_deref(),
            device.pending_push_token_id.as_deref(),
            device.push_token_last_updated_timestamp,
            device.push_registration_error_code.as_deref()
        ],
    )?;
    Ok(())
}

/// The devices of a user as a JSON object by id (fetch type `device`).
macro_rules! devices_query {
    () => {
        "SELECT coalesce(json_group_object(id, json_object('push_key_id', push_key_id, \
                 'push_token_id', push_token_id, 'pending_push_token_id', pending_push_token_id, \
                 'push_token_last_updated_timestamp', push_token_last_updated_timestamp, \
                 'push_registration_error_code', push_registration_error_code)), '{}') \
             FROM devices WHERE user_id = ?1"
    };
}
pub(crate) use devices_query;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register_lists::of_user;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn tokens_are_registered_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        insert_token(&tx, ann, "fcm", "t", None, 1).unwrap();
        insert_token(&tx, ann, "fcm", "t", None, 2).unwrap();
        assert_eq!(delete_token(&tx, ann, "apns", "t"), Ok(false));
        assert_eq!(delete_token(&tx, ann, "fcm", "t"), Ok(true));
        assert_eq!(delete_token(&tx, ann, "fcm", "t"), Ok(false));
    }

    #[test]
    fn registrations_are_shown_by_id() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let mut account = PushAccount {
            push_account_id: PushAccountId(9),
            token_kind: "fcm",
            push_key: "a2V5",
            status: "failed",
            error_code: Some("X"),
        };
        set_account(&tx, ann, &account, 1).unwrap();
        assert_eq!(
            of_user(&tx, ann).unwrap().push_devices,
            r#"{"9":{"status":"failed","error_code":"X"}}"#
        );
        account.status = "active";
        account.error_code = None;
        set_account(&tx, ann, &account, 2).unwrap();
        assert_eq!(
            of_user(&tx, ann).unwrap().push_devices,
            r#"{"9":{"status":"active"}}"#
        );
        assert_eq!(
            is_account_active(&tx, ann, PushAccountId(9), "a2V5"),
            Ok(true)
        );
        assert_eq!(
            is_account_active(&tx, ann, PushAccountId(9), "other"),
            Ok(false)
        );
        assert_eq!(fail_account(&tx, ann, PushAccountId(9), "Y"), Ok(true));
        assert_eq!(
            is_account_active(&tx, ann, PushAccountId(9), "a2V5"),
            Ok(false)
        );
        assert_eq!(
            activate_account(&tx, ann, PushAccountId(9), Some(4)),
            Ok(true)
        );
        assert_eq!(
            activate_account(&tx, ann, PushAccountId(8), Some(4)),
            Ok(false)
        );
        assert_eq!(
            of_user(&tx, ann).unwrap().push_devices,
            r#"{"9":{"status":"active"}}"#
        );
    }

    #[test]
    fn devices_belong_to_one_user() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let id = insert_device(&tx, ann, 1).unwrap();
        assert_eq!(device(&tx, ann, id), Ok(Some(DeviceRow::default())));
        assert_eq!(device(&tx, UserId(ann.get() + 1), id), Ok(None));
        let changed = DeviceRow {
            push_key_id: Some(5),
            pending_push_token_id: Some("t".into()),
            ..DeviceRow::default()
        };
        update_device(&tx, id, &changed).unwrap();
        assert_eq!(device(&tx, ann, id), Ok(Some(changed)));
        let shown: serde_json::Value =
            serde_json::from_str(&of_user(&tx, ann).unwrap().devices).unwrap();
        assert_eq!(shown[id.to_string()]["push_key_id"], 5);
        assert_eq!(delete_device(&tx, UserId(ann.get() + 1), id), Ok(false));
        assert_eq!(delete_device(&tx, ann, id), Ok(true));
    }
}
