//! Mends texts and addresses that were stored before the server refused such ones: invisible
//! characters in names and descriptions, and what belongs to the server (docs/UPGRADING.md).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spindle_domain::RealmId;
use spindle_domain::text::is_reserved_name;
use spindle_store::stored_texts::{self, TextColumn, TextRow};
use spindle_store::{Connection, Unseen, WriteTx, audit, users};

use crate::account::hidden_email::free_replaced_email;
use crate::stored_text::{BLOCK, LINE, NAME, Stored, free_name};
use crate::text::{email_address, fold_name};
use crate::{ActionError, change};

/// How many rows were mended, by table and column.
pub type MendedTexts = BTreeMap<String, u64>;

/// Mends what is stored of the organization, once in its life; returns what was mended. Clients
/// read everything again after the restart of an upgraded server, so there are no events.
///
/// # Errors
/// [`ActionError::Store`].
pub fn mend_texts(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<MendedTexts, ActionError> {
    if stored_texts::are_mended(db, realm_id)? {
        return Ok(MendedTexts::new());
    }
    change::silently(db, Unseen::Housekeeping, |tx| {
        let mut mended = MendedTexts::new();
        for column in stored_texts::columns() {
            let count = mend_column(tx, &column)?;
            if count > 0 {
                mended.insert(format!("{}.{}", column.table, column.column), count);
            }
        }
        let count = mend_addresses(tx, realm_id, now)?;
        if count > 0 {
            mended.insert("users.delivery_email".to_owned(), count);
        }
        stored_texts::note_mended(tx, realm_id)?;
        if !mended.is_empty() {
            let data = json!(mended).to_string();
            audit::append(tx, realm_id, now, None, None, "texts_mended", &data)?;
        }
        Ok(mended)
    })
}

/// How a column is stored.
fn stored_as(column: &TextColumn) -> Stored {
    match (column.table, column.column) {
        (_, "name" | "full_name" | "status_text") => NAME,
        (_, "rendered_description" | "rendered_value") => Stored::Content,
        (_, "field_data") => Stored::Json(&NAME),
        (_, "hint") | ("channels", "description") => LINE,
        _ => BLOCK,
    }
}

/// Whether no two rows of a column have the same text.
fn is_unique(column: &TextColumn) -> bool {
    let is_of_many = matches!(column.table, "users" | "realms" | "user_statuses");
    !is_of_many && column.column == "name"
}

fn mend_column(tx: &WriteTx<'_>, column: &TextColumn) -> Result<u64, ActionError> {
    let key = |text: &str| match column.is_folded {
        true => fold_name(text),
        false => text.to_owned(),
    };
    let kind = stored_as(column);
    let rows = column.all(tx)?;
    let mended = |row: &TextRow| {
        let (text, _) = kind.mend(&row.text);
        let is_taken = column.table == "users" && is_reserved_name(&text);
        if is_taken {
            format!("{text} (renamed)")
        } else {
            text.into_owned()
        }
    };
    let (right, wrong): (Vec<TextRow>, Vec<TextRow>) =
        rows.into_iter().partition(|row| mended(row) == row.text);
    let mut names: BTreeSet<String> = right.iter().map(|row| key(&row.text)).collect();
    let mut count = 0;
    for row in wrong {
        let text = match is_unique(column) {
            true => free_name(&mended(&row), |name| names.insert(key(name))),
            false => mended(&row),
        };
        column.set(tx, &row, &text, &fold_name(&text))?;
        count += 1;
    }
    Ok(count)
}

/// Accounts whose address is the server's, or looks like another, get one that no person can have.
fn mend_addresses(tx: &WriteTx<'_>, realm_id: RealmId, now: i64) -> Result<u64, ActionError> {
    let mut count = 0;
    for user in users::list(tx, realm_id)? {
        let address = match email_address(&user.delivery_email) {
            Ok(address) => address,
            Err(_) => free_replaced_email(tx, realm_id, user.id)?,
        };
        let folded = fold_name(&address);
        let holder = users::by_email(tx, realm_id, &folded)?;
        if address == user.delivery_email || holder.is_some_and(|holder| holder.id != user.id) {
            continue;
        }
        users::set_email(tx, user.id, &address, &folded)?;
        let modified = Some(user.id);
        audit::append(
            tx,
            realm_id,
            now,
            None,
            modified,
            "user_address_mended",
            "{}",
        )?;
        count += 1;
    }
    Ok(count)
}
