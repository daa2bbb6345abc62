//! Brings texts and addresses that older versions have stored into the form that this one requires
//! (docs/UPGRADING.md). Messages follow in a job, see `mend_messages.rs`.
//!
//! Names of topics stay. Their rules have not changed but for private-use characters, and a topic is also the key of
//! policies, drafts and links: a new name would be a move of its messages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spindle_domain::text::{is_reserved_name, is_variation_selector};
use spindle_domain::{RealmId, UserId};
use spindle_store::stored_texts::{self, TextColumn, TextRow};
use spindle_store::{Connection, SilentReason, WriteTx, alert_words, audit, users};

use crate::account::hidden_email::StandIn;
use crate::stored_text::{BLOCK, LINE, NAME, Stored, free_name};
use crate::text::{email_address, fold_name};
use crate::{ActionError, change};

/// Number of corrected rows by table and column.
pub type MendedTexts = BTreeMap<String, u64>;

/// Corrects the stored texts of the organization; later calls do nothing. It emits no events, because clients register
/// again after an upgrade.
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
    change::silently(db, SilentReason::Housekeeping, |tx| {
        let mut mended = MendedTexts::new();
        for column in stored_texts::columns() {
            let count = mend_column(tx, &column)?;
            if count > 0 {
                mended.insert(format!("{}.{}", column.table, column.column), count);
            }
        }
        for (name, count) in [
            ("alert_words.word", mend_alert_words(tx)?),
            ("users.delivery_email", mend_addresses(tx, realm_id, now)?),
        ] {
            if count > 0 {
                mended.insert(name.to_owned(), count);
            }
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
        (_, "name" | "full_name" | "status_text" | "title") => NAME,
        (_, "rendered_description" | "rendered_value" | "content" | "rendered_content") => {
            Stored::Content
        }
        (_, "topic") => Stored::Topic,
        (_, "field_data") => Stored::Json(&NAME),
        (_, "hint") | ("channels", "description") => LINE,
        _ => BLOCK,
    }
}

/// Returns true if the texts of a column must be unique.
fn is_unique(column: &TextColumn) -> bool {
    let is_of_many = matches!(column.table, "users" | "realms" | "user_statuses");
    !is_of_many && column.column == "name"
}

/// All rows of a column, page by page.
fn each_row(
    tx: &WriteTx<'_>,
    column: &TextColumn,
    mut visit: impl FnMut(TextRow) -> Result<(), ActionError>,
) -> Result<(), ActionError> {
    let mut last: Option<TextRow> = None;
    loop {
        let rows = column.page(tx, last.as_ref())?;
        last = rows.last().cloned();
        if last.is_none() {
            return Ok(());
        }
        rows.into_iter().try_for_each(&mut visit)?;
    }
}

fn mend_column(tx: &WriteTx<'_>, column: &TextColumn) -> Result<u64, ActionError> {
    let kind = stored_as(column);
    let mended = |row: &TextRow| {
        let (text, _) = kind.mend(&row.text);
        let is_taken = column.table == "users" && is_reserved_name(&text);
        if is_taken {
            format!("{text} (renamed)")
        } else {
            text.into_owned()
        }
    };
    let key = |text: &str| match column.is_folded {
        true => fold_name(text),
        false => text.to_owned(),
    };
    // Older versions folded variation selectors into the form for comparison.
    let is_right = |text: &str| !column.is_folded || !text.contains(is_variation_selector);
    let (mut count, mut names, mut wrong) = (0, BTreeSet::new(), Vec::new());
    each_row(tx, column, |row| {
        let text = mended(&row);
        if is_unique(column) {
            // Valid names keep priority over corrected ones.
            if text == row.text && is_right(&text) {
                names.insert(key(&text));
            } else {
                wrong.push((row, text));
            }
        } else if text != row.text || !is_right(&text) {
            column.set(tx, &row, &text, &fold_name(&text))?;
            count += 1;
        }
        Ok(())
    })?;
    for (row, text) in wrong {
        let text = free_name(&text, |name| names.insert(key(name)));
        column.set(tx, &row, &text, &fold_name(&text))?;
        count += 1;
    }
    Ok(count)
}

/// A word that becomes blank or a duplicate is removed.
fn mend_alert_words(tx: &WriteTx<'_>) -> Result<u64, ActionError> {
    let column = stored_texts::alert_words();
    let mut wrong = Vec::new();
    each_row(tx, &column, |row| {
        let word = NAME.mend(&row.text).0.into_owned();
        if word != row.text {
            wrong.push((row, word));
        }
        Ok(())
    })?;
    let mut count = 0;
    for (row, word) in wrong {
        let user_id = UserId(row.key);
        alert_words::delete(tx, user_id, &json!([row.text.to_lowercase()]).to_string())?;
        if !word.is_empty() {
            let pair = json!([[word.to_lowercase(), word]]).to_string();
            alert_words::insert(tx, user_id, &pair)?;
        }
        count += 1;
    }
    Ok(count)
}

/// Replaces addresses in reserved domains and addresses with invisible characters.
fn mend_addresses(tx: &WriteTx<'_>, realm_id: RealmId, now: i64) -> Result<u64, ActionError> {
    let mut count = 0;
    for user in users::list(tx, realm_id)? {
        let address = match email_address(&user.delivery_email) {
            Ok(address) => address,
            Err(_) => StandIn::Replaced.free(tx, realm_id, user.id)?,
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
