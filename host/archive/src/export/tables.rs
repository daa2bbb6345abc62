//! `realm.json`, `attachment.json` and `analytics.json` (docs/protocol/archive.md#tables).

use serde_json::{Map, Value, json};
use spindle_actions::Settings;
use spindle_domain::ChannelId;
use spindle_domain::settings::is_personal;
use spindle_store::archive::{self, ATTACHMENTS, ORGANIZATION, PEOPLE};
use spindle_store::user_settings;

use super::pack::{Pack, Tables};
use super::snapshot::Snapshot;
use super::{ExportError, people};

/// Tables without rows: their features do not exist here, or their data is never exported.
const EMPTY: &[&str] = &[
    "zerver_botconfigdata",
    "zerver_useractivity",
    "zerver_useractivityinterval",
];

/// The organization, its users, and all other data except messages.
pub(super) fn realm(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    pack.tables("realm.json", |tables| {
        tables.member("import_source", &json!("zulip"))?;
        for table in ORGANIZATION {
            if table.name == "zerver_realm" {
                settings(tables, snapshot, table)?;
            } else {
                tables.selected(snapshot, table)?;
            }
        }
        people::all(tables, snapshot)?;
        for table in PEOPLE {
            tables.selected(snapshot, table)?;
        }
        defaults(tables, snapshot)?;
        let realm_id = snapshot.realm_id;
        let method = json!({"id": 1, "realm": realm_id, "name": "Email"});
        tables.table("zerver_realmauthenticationmethod", |rows| {
            rows.row(&method.to_string())
        })?;
        EMPTY.iter().try_for_each(|name| tables.empty(name))
    })
}

/// The row of the organization, with every setting.
fn settings(
    tables: &mut Tables<'_>,
    snapshot: &Snapshot<'_>,
    table: &archive::Table,
) -> Result<(), ExportError> {
    let channels = archive::channels(snapshot.db)?;
    tables.table(table.name, |rows| {
        let (db, realm_id) = (snapshot.db, snapshot.realm_id);
        archive::each_row(db, realm_id.into(), table, |row| {
            let mut row: Map<String, Value> = serde_json::from_str(row)?;
            let stored = row.remove("settings").unwrap_or_default();
            let groups = row.remove("groups").unwrap_or_default();
            for (name, value) in Settings::of_realm(&stored.to_string()).all() {
                let (name, value) = column(name, value, &channels);
                row.entry(name).or_insert(value);
            }
            if let Value::Object(groups) = groups {
                row.extend(groups);
            }
            row.insert("uuid_owner_secret".to_owned(), Value::Null);
            rows.row(&Value::Object(row).to_string())
        })?;
        Ok(())
    })
}

/// A setting in the layout's format: a channel is a reference without `_id`, or null, also when the
/// channel is not exported.
fn column(name: &'static str, value: Value, channels: &[ChannelId]) -> (&'static str, Value) {
    let Some(column) = ["_stream_id", "_channel_id"]
        .iter()
        .find(|ending| name.ends_with(**ending))
        .and_then(|_| name.strip_suffix("_id"))
    else {
        return (name, value);
    };
    let leaves = value
        .as_i64()
        .is_some_and(|id| channels.contains(&ChannelId(id)));
    (column, if leaves { value } else { Value::Null })
}

/// The defaults for new users.
fn defaults(tables: &mut Tables<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let stored = user_settings::defaults(snapshot.db, snapshot.realm_id.into())?;
    let mut row: Map<String, Value> = Settings::of_user(&stored)
        .all()
        .filter(|(name, _)| !is_personal(name))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    row.insert("id".to_owned(), json!(1));
    row.insert("realm".to_owned(), json!(snapshot.realm_id));
    tables.table("zerver_realmuserdefault", |rows| {
        rows.row(&Value::Object(row).to_string())
    })
}

/// Rows of uploaded files.
pub(super) fn attachments(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    pack.tables("attachment.json", |tables| {
        tables.selected(snapshot, &ATTACHMENTS)
    })
}

/// Empty: this server counts nothing for which the layout has tables; importers expect the file.
pub(super) fn analytics(pack: &mut Pack<'_>) -> Result<(), ExportError> {
    pack.tables("analytics.json", |tables| {
        tables.empty("analytics_realmcount")?;
        tables.empty("analytics_usercount")?;
        tables.empty("analytics_streamcount")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_settings_leave_with_the_channel() {
        let of = |name, value: i64| column(name, json!(value), &[ChannelId(7)]);
        let name = "signup_announcements_stream_id";
        assert_eq!(of(name, 7), ("signup_announcements_stream", json!(7)));
        assert_eq!(of(name, 8), ("signup_announcements_stream", Value::Null));
        assert_eq!(of(name, -1), ("signup_announcements_stream", Value::Null));
        assert_eq!(of("org_type", 8), ("org_type", json!(8)));
    }
}
