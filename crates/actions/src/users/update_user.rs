//! Changes role, name, profile and address of another account, all of it or nothing.

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::ADDRESS_CHANGES;
use spindle_domain::narrow::UserReference;
use spindle_domain::policy::{may_administer_user, may_change_email, may_make_password_link};
use spindle_domain::rates::wait;
use spindle_domain::{MailKind, RealmId, Role, UserId};
use spindle_events::kinds;
use spindle_events::kinds::UserChange;
use spindle_store::mails::Recipient;
use spindle_store::users::UserRow;
use spindle_store::{
    Connection, Db, DbError, address_changes, audit, sign_in_links, user_permissions, users,
};

use crate::access::access_user::access_user_by_email;
use crate::access::who_sees::who_sees_address;
use crate::account::manage_account::{Change, ManagedAccount};
use crate::account::outbox::{self, Mail};
use crate::organization::domains::check_address_admitted;
use crate::organization::profile_fields::values::{ProfileEntry, write_values};
use crate::text::{check_name_is_free, email_address, fold_name, full_name};
use crate::users::bot_events::readdressed;
use crate::users::set_role::change_role;
use crate::{ActionError, Actor, tries};

/// The parameters of the operation; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserUpdate {
    /// Trimmed here; blank is as good as absent.
    pub full_name: Option<String>,
    /// Needs the special permission `can_change_user_emails`.
    pub new_email: Option<String>,
    /// Values of profile fields, in the order in which they are written.
    pub profile_data: Option<Vec<ProfileEntry>>,
    /// Role as its integer.
    pub role: Option<i64>,
}

/// Changes the account that `user` names at `now` (UNIX seconds); `realm_url` is the address of
/// the organization, for links in rendered values. See docs/protocol/users.md#update_user_by_email,
/// docs/protocol/users.md#update_user, with the steps in that order.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or the caller may not make one of the
/// changes; [`ActionError::BadRequest`] for values that make no sense. Nothing is changed then.
pub fn update_user(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user: &UserReference,
    update: &UserUpdate,
    realm_url: &str,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let user_id = match user {
            UserReference::Id(id) => *id,
            UserReference::Email(email) => access_user_by_email(change.tx, actor, email)?.id,
        };
        let target = change.access(user_id, may_administer_user)?;
        if let Some(role) = update.role {
            let role = Role::from_i64(role)
                .ok_or_else(|| ActionError::bad_request("There is no such role"))?;
            change_role(change, &target, role)?;
        }
        if let Some(name) = update.full_name.as_deref().map(str::trim)
            && !name.is_empty()
        {
            change_full_name(change, &target.row, name)?;
        }
        if let Some(entries) = &update.profile_data {
            write_values(change, &target.row, entries, actor, realm_url)?;
        }
        if let Some(email) = update.new_email.as_deref().map(str::trim) {
            change_email(change, actor, &target, email)?;
        }
        Ok(())
    })
}

/// Gives an account another name; nothing happens when it has this one.
///
/// # Errors
/// [`ActionError::BadRequest`] for a malformed name and, where names are unique, a taken one.
pub(crate) fn change_full_name(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    name: &str,
) -> Result<(), ActionError> {
    if name == user.full_name {
        return Ok(());
    }
    let name = full_name(name)?;
    if name == user.full_name {
        return Ok(());
    }
    check_name_is_free(change.tx, change.realm_id, &name, Some(user.id))?;
    users::set_full_name(change.tx, user.id, &name, &fold_name(&name))?;
    let audience = change.who_sees(user)?;
    let update = UserChange::FullName(name.clone());
    change
        .events
        .push(kinds::realm_user_update(user.id, update, audience));
    let data = json!({"old": user.full_name, "new": name});
    change.audit(Some(user.id), "user_full_name_changed", &data)
}

fn change_email(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    target: &ManagedAccount,
    email: &str,
) -> Result<(), ActionError> {
    let user = &target.row;
    if email == user.delivery_email {
        return Ok(());
    }
    let holds =
        user_permissions::has_permission(change.tx, actor.user_id, "can_change_user_emails")?;
    may_change_email(actor.role, holds).check()?;
    if !user.is_bot && user.id != actor.user_id {
        // A new password can be had at the address.
        change.access(user.id, may_make_password_link)?;
    }
    write_email(change, user, email)
}

/// Gives an account another real address. Links to the former one stop working, and it gets a notice by mail.
///
/// # Errors
/// [`ActionError::BadRequest`] for an address that is malformed, taken or of a domain that the
/// organization does not admit; [`ClientError::RateLimitHit`].
pub(crate) fn write_email(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    email: &str,
) -> Result<(), ActionError> {
    let email = &*email_address(email)?;
    check_address_admitted(change, email)?;
    check_address_rate(change.tx, change.now, user.id)?;
    let folded = fold_name(email);
    check_is_free(change.tx, change.realm_id, user.id, email)?;
    // The users who may see the address now are also the ones who may see the new one.
    let sees_address = who_sees_address(change.tx, change.realm_id, user)?;
    let gravatar =
        users::set_email(change.tx, user.id, email, &folded).map_err(|error| match error {
            DbError::NotUnique(_) => address_taken(),
            other => other.into(),
        })?;
    let id = user.id;
    let update = UserChange::DeliveryEmail(Some(email.to_owned()));
    let event = kinds::realm_user_update(id, update, sees_address.seeing.clone());
    change.events.push(event);
    if user.email == user.delivery_email {
        let audience = change.who_sees(user)?;
        let update = UserChange::NewEmail(email.to_owned());
        change
            .events
            .push(kinds::realm_user_update(id, update, audience));
        if user.is_bot {
            let event = readdressed(change.tx, change.realm_id, user, email)?;
            change.events.push(event);
        }
    }
    if let Some(avatar_version) = gravatar {
        let audiences = [
            (Some(sees_address.seeing), true),
            (sees_address.others, false),
        ];
        for (audience, avatar_computable) in audiences {
            let Some(audience) = audience else { continue };
            let update = UserChange::Avatar {
                avatar_url: format!("/avatar/{id}?version={avatar_version}"),
                avatar_url_medium: format!("/avatar/{id}/medium?version={avatar_version}"),
                avatar_source: "G".to_owned(),
                avatar_version,
                avatar_computable,
            };
            change
                .events
                .push(kinds::realm_user_update(id, update, audience));
        }
    }
    if !user.is_bot {
        leave_former(change, user)?;
    }
    change.audit(Some(id), "user_email_changed", &json!({}))
}

fn leave_former(change: &Change<'_, '_>, user: &UserRow) -> Result<(), ActionError> {
    sign_in_links::delete_own(change.tx, user.id)?;
    address_changes::delete_of_user(change.tx, user.id)?;
    let former = &user.delivery_email;
    let mail = Mail {
        kind: MailKind::AddressChanged,
        cause: format!("{} {former} {}", user.id, change.now),
        to: Recipient::Address(former, &fold_name(former)),
        detail: json!({"user_id": user.id}),
        due: change.now,
    };
    outbox::write(change.tx, change.realm_id, change.now, &mail).map(drop)
}

/// The number of changes of an address is limited, whichever user changes it
/// (docs/protocol/limits.md#rate-limits).
pub(crate) fn check_address_rate(
    db: &dyn Db,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let longest = ADDRESS_CHANGES.iter().map(|(_, window)| window).max();
    let since = now - longest.copied().unwrap_or_default();
    let times = audit::address_changes(db, user_id, since)?;
    match wait(ADDRESS_CHANGES, &times, now) {
        Some(seconds) => Err(ClientError::RateLimitHit {
            retry_after: seconds as f64,
        }
        .into()),
        None => Ok(()),
    }
}

/// Refuses a taken address. Checks both rate limits first, since the refusal reveals that the address exists.
///
/// # Errors
/// [`ClientError::RateLimitHit`]; [`ActionError::BadRequest`].
pub(crate) fn try_own_address(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    email: &str,
) -> Result<(), ActionError> {
    check_address_rate(db, now, actor.user_id)?;
    tries::admit(db, actor, now)?;
    if is_taken(db, actor.realm_id, actor.user_id, email)? {
        tries::count(db, actor, now, 1)?;
        return Err(address_taken());
    }
    Ok(())
}

/// Checks that no other account has this address.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_is_free(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    email: &str,
) -> Result<(), ActionError> {
    match is_taken(db, realm_id, user_id, email)? {
        true => Err(address_taken()),
        false => Ok(()),
    }
}

fn is_taken(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    email: &str,
) -> Result<bool, ActionError> {
    let taken = users::by_email(db, realm_id, &fold_name(email))?;
    Ok(taken.is_some_and(|other| other.id != user_id))
}

fn address_taken() -> ActionError {
    ActionError::bad_request("This e-mail address is taken")
}
