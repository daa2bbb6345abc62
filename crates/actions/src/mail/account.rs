//! Mails to people about their own accounts.

use serde_json::{Value, json};
use spindle_domain::UserId;
use spindle_domain::limits::ADDRESS_CONFIRMATION_SECONDS;
use spindle_domain::user_setting;
use spindle_store::mails::MailRow;
use spindle_store::{Db, WriteTx, address_changes, users};

use super::content::{Content, Origin, duration, values, without_addresses};
use crate::users::confirm_address::confirmation_key;
use crate::users::mailed_link;
use crate::{ActionError, Settings};

/// The link that sets a new password; none for an address without an account. It goes to the address that the account has,
/// whatever was typed.
pub(super) fn password_reset(
    tx: &WriteTx<'_>,
    origin: &Origin<'_>,
    row: &MailRow,
) -> Result<Option<Content>, ActionError> {
    let secret = origin.links.secret;
    let Some((user, link)) = mailed_link(tx, origin.realm_id, origin.now, row, secret)? else {
        return Ok(None);
    };
    Ok(Some(Content {
        thread: None,
        to: Some((user.delivery_email, Some(user.full_name))),
        values: values(&json!({
            "link": link.address(origin.links.site),
            "lasts": duration(link.until - origin.now),
        })),
    }))
}

/// That a new password was set.
pub(super) fn password_changed(row: &MailRow) -> Content {
    Content {
        thread: None,
        to: None,
        values: values(&json!({"at": row.created})),
    }
}

/// What has happened to the second factor of the account.
pub(super) fn second_factor_changed(row: &MailRow, detail: &Value) -> Content {
    Content {
        thread: None,
        to: None,
        values: values(&json!({"what": detail.get("what"), "at": row.created})),
    }
}

/// The link that confirms a new address, to that address; none when it was confirmed or replaced by another one.
pub(super) fn address_confirmation(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &MailRow,
) -> Result<Option<Content>, ActionError> {
    let wanted = match row.user_id {
        Some(user_id) => address_changes::of_user(db, user_id)?,
        None => None,
    };
    // The mail of an address that was replaced by another one stands back for the mail of that one.
    let Some(wanted) = wanted.filter(|wanted| wanted.created == row.created) else {
        return Ok(None);
    };
    let left = wanted.created + ADDRESS_CONFIRMATION_SECONDS - origin.now;
    let Some(user) = users::by_id(db, origin.realm_id, wanted.user_id)?.filter(|_| left > 0) else {
        return Ok(None);
    };
    let key = confirmation_key(origin.links.secret, &wanted)?;
    Ok(Some(Content {
        thread: None,
        to: Some((wanted.address, Some(user.full_name.clone()))),
        values: values(&json!({
            "name": without_addresses(&user.full_name),
            "link": format!("{}/#confirm-address/{key}", origin.links.site),
            "lasts": duration(left),
        })),
    }))
}

/// That an account has another address; to the former one.
pub(super) fn address_changed(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &MailRow,
    detail: &Value,
) -> Result<Option<Content>, ActionError> {
    let id = detail.get("user_id").and_then(Value::as_i64);
    let user = users::by_id(db, origin.realm_id, UserId(id.unwrap_or_default()))?;
    Ok(user.map(|user| Content {
        thread: None,
        to: None,
        values: values(&json!({"name": user.full_name, "at": row.created})),
    }))
}

/// That a program has signed in which the account did not know; none for a person who does not want to hear of it.
pub(super) fn new_sign_in(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &MailRow,
    detail: &Value,
) -> Result<Option<Content>, ActionError> {
    let user = match row.user_id {
        Some(user_id) => users::by_id(db, origin.realm_id, user_id)?,
        None => None,
    };
    let wants =
        |settings: &str| Settings::of_user(settings).is_on(user_setting!("enable_login_emails"));
    let user = user.filter(|user| wants(&user.settings));
    Ok(user.map(|_| Content {
        thread: None,
        to: None,
        values: values(&json!({"client": detail.get("client"), "at": row.created})),
    }))
}
