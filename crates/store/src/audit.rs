//! The audit log: the user who made a change, what was changed, and when. Append only: positions and digests are added
//! later, see `audit_chain.rs`.

use spindle_domain::{AuditEntryId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Which entries are listed; the default is all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// Changes by this account.
    pub acting_user_id: Option<UserId>,
    /// Changes of this account.
    pub modified_user_id: Option<UserId>,
    /// Changes by or of this account.
    pub user_id: Option<UserId>,
    /// A JSON list of kinds.
    pub kinds: Option<String>,
    /// UNIX seconds; from this time on.
    pub since: i64,
    /// UNIX seconds; before this time.
    pub until: i64,
}

impl Default for AuditFilter {
    fn default() -> Self {
        Self {
            acting_user_id: None,
            modified_user_id: None,
            user_id: None,
            kinds: None,
            since: i64::MIN,
            until: i64::MAX,
        }
    }
}

row_struct! {
    /// An entry.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AuditRow {
        pub id: AuditEntryId,
        /// UNIX seconds.
        pub time: i64,
        /// None for the operator and the server itself.
        pub acting_user_id: Option<UserId>,
        pub modified_user_id: Option<UserId>,
        pub event_type: String,
        /// A JSON object.
        pub data: String,
        /// None until the entry is in the chain.
        pub position: Option<i64>,
        /// In hexadecimal.
        pub digest: Option<String>,
    }
}

macro_rules! columns {
    () => {
        "SELECT id, time, acting_user_id, modified_user_id, event_type, data, position, digest FROM audit_log "
    };
}
pub(crate) use columns;

/// The condition of an [`AuditFilter`], whose values are the first seven parameters with the organization. Entries are
/// read in the order of their ids, until there are enough.
macro_rules! filtered {
    () => {
        "WHERE +realm_id = ?1 AND (?2:bigint IS NULL OR acting_user_id = ?2) \
         AND (?3:bigint IS NULL OR modified_user_id = ?3) \
         AND (?4:bigint IS NULL OR acting_user_id = ?4 OR modified_user_id = ?4) \
         AND (?5:text IS NULL OR event_type IN (SELECT k.value FROM json_texts(?5) k)) \
         AND +time >= ?6 AND +time < ?7 "
    };
}

/// Entries with an id less than `before`, newest first.
pub fn list_before(
    db: &dyn Db,
    realm_id: RealmId,
    filter: &AuditFilter,
    before: AuditEntryId,
    limit: i64,
) -> Result<Vec<AuditRow>, DbError> {
    db.query(
        sql!(
            columns!(),
            filtered!(),
            "AND id < ?8 ORDER BY id DESC LIMIT ?9"
        ),
        &values(realm_id, filter, before, limit),
    )?
    .all()
}

/// Entries with an id greater than `after`, oldest first.
pub fn list_after(
    db: &dyn Db,
    realm_id: RealmId,
    filter: &AuditFilter,
    after: AuditEntryId,
    limit: i64,
) -> Result<Vec<AuditRow>, DbError> {
    db.query(
        sql!(columns!(), filtered!(), "AND id > ?8 ORDER BY id LIMIT ?9"),
        &values(realm_id, filter, after, limit),
    )?
    .all()
}

fn values(
    realm_id: RealmId,
    filter: &AuditFilter,
    id: AuditEntryId,
    limit: i64,
) -> [crate::Value; 9] {
    params![
        realm_id,
        filter.acting_user_id,
        filter.modified_user_id,
        filter.user_id,
        filter.kinds.as_ref(),
        filter.since,
        filter.until,
        id,
        limit
    ]
}

/// The data of refused sign-ins after `since` (UNIX seconds), newest first.
pub fn refused_sign_ins(db: &dyn Db, since: i64, limit: i64) -> Result<Vec<String>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT data FROM audit_log WHERE event_type = 'user_sign_in_refused' AND time > ?1 \
             ORDER BY time DESC LIMIT ?2"
        ),
        &params![since, limit],
    )?
    .values()
}

/// Times (UNIX seconds) after `since` at which the address of an account was changed, newest
/// first.
pub fn address_changes(db: &dyn Db, user_id: UserId, since: i64) -> Result<Vec<i64>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT time FROM audit_log WHERE modified_user_id = ?1 \
             AND event_type = 'user_email_changed' AND time > ?2 ORDER BY time DESC"
        ),
        &params![user_id, since],
    )?
    .values()
}

/// Whether the owners have been notified that linkifiers are skipped.
pub fn has_skipped_linkifiers_report(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    // The type is spelled out: the index holds nothing else.
    let found = db.query(
        sql!("SELECT id FROM audit_log WHERE realm_id = ?1 AND event_type = 'linkifiers_left_out' LIMIT 1"),
        &params![realm_id],
    )?;
    Ok(!found.rows.is_empty())
}

/// Times (UNIX seconds) after `since` at which an account found out about a hidden name, newest first.
pub fn hidden_names_tried(db: &dyn Db, user_id: UserId, since: i64) -> Result<Vec<i64>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT time FROM audit_log WHERE acting_user_id = ?1 \
             AND event_type = 'hidden_name_tried' AND time > ?2 ORDER BY time DESC"
        ),
        &params![user_id, since],
    )?
    .values()
}

/// Appends an entry. `acting_user_id` is none for the operator and the server itself; `data`
/// is a JSON object that holds no secret.
pub fn append(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    acting_user_id: Option<UserId>,
    modified_user_id: Option<UserId>,
    event_type: &'static str,
    data: &str,
) -> Result<(), DbError> {
    debug_assert!(
        spindle_domain::audit::kind(event_type).is_some(),
        "{event_type} is missing in spindle_domain::audit"
    );
    tx.execute(
        statement!("INSERT INTO audit_log (realm_id, time, acting_user_id, modified_user_id, event_type, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
        &params![realm_id, now, acting_user_id, modified_user_id, event_type, data],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connection;
    use crate::testing::{self, TestDatabase, TestPostgres};

    fn entries(db: &dyn Db, filter: &AuditFilter) -> Vec<i64> {
        let last = AuditEntryId(i64::MAX);
        let rows = list_before(db, RealmId::ONLY, filter, last, 100).unwrap();
        let mut times: Vec<i64> = rows.iter().map(|row| row.time).collect();
        let ascending = list_after(db, RealmId::ONLY, filter, AuditEntryId(0), 100).unwrap();
        let ascending: Vec<i64> = ascending.iter().map(|row| row.time).collect();
        times.reverse();
        assert_eq!(times, ascending);
        times
    }

    fn filters(connection: &dyn Connection) {
        let (ann, bob) = testing::write(connection, |tx| {
            let people = (
                testing::user(tx, "ann@x.org"),
                testing::user(tx, "bob@x.org"),
            );
            let (ann, bob) = (Some(people.0), Some(people.1));
            let append = |now, acting, modified, kind, data| {
                append(tx, RealmId::ONLY, now, acting, modified, kind, data).unwrap();
            };
            append(10, ann, bob, "user_role_changed", "{}");
            append(20, bob, bob, "user_signed_in", "{}");
            append(30, None, ann, "user_created", "{}");
            append(40, None, None, "user_sign_in_refused", r#"{"a":1}"#);
            people
        });
        let all = AuditFilter::default();
        let of = |change: &dyn Fn(&mut AuditFilter)| {
            let mut filter = all.clone();
            change(&mut filter);
            entries(connection, &filter)
        };
        assert_eq!(of(&|_| ()), [10, 20, 30, 40]);
        assert_eq!(of(&|filter| filter.acting_user_id = Some(ann)), [10]);
        assert_eq!(of(&|filter| filter.modified_user_id = Some(bob)), [10, 20]);
        assert_eq!(of(&|filter| filter.user_id = Some(ann)), [10, 30]);
        assert_eq!(
            of(&|filter| (filter.since, filter.until) = (20, 40)),
            [20, 30]
        );
        let kinds = |list: &str| {
            let list = Some(list.to_owned());
            of(&|filter| filter.kinds.clone_from(&list))
        };
        assert_eq!(kinds(r#"["user_created","user_signed_in"]"#), [20, 30]);
        assert_eq!(kinds("[]"), [0_i64; 0]);
        assert_eq!(kinds(r#"["x') OR ('1' = '1"]"#), [0_i64; 0]);
        let page = list_before(connection, RealmId::ONLY, &all, AuditEntryId(4), 2).unwrap();
        assert_eq!(page.iter().map(|row| row.id.0).collect::<Vec<_>>(), [3, 2]);
        let refused = |since| refused_sign_ins(connection, since, 10).unwrap();
        assert_eq!(refused(39), [r#"{"a":1}"#]);
        assert_eq!(refused(40), [""; 0]);
    }

    #[test]
    fn entries_are_filtered_on_both_databases() {
        filters(&TestDatabase::with_realm().db());
        if let Some(database) = TestPostgres::with_realm() {
            filters(&database.open());
        }
    }
}
