//! Signs in a person that a provider has identified.
//!
//! The account, its role and groups, and the link with which the browser begins a session are one transaction. The link
//! takes a click, so that no page of others can sign a browser in to an account of its choice.

use serde_json::json;
use spindle_domain::identity::{Claims, Match, Refusal, Rules, match_account, role_of};
use spindle_domain::{IdentityId, RealmId, Role, UserId};
use spindle_store::users::{self, UserRow};
use spindle_store::{Connection, audit, change_if, identities, realms, sign_in_links, user_lists};

use super::find::find;
use super::{IdentityRefusal, groups, new_account};
use crate::account::manage_account::Change;
use crate::account::origin::{Refused, record};
use crate::account::revoke::revoke_all;
use crate::account::{SignInOrigin, second_factor, secrets, ways};
use crate::messages::{Wording, literal};
use crate::{ActionError, change};

/// Finds or makes the account of a person at `now` (UNIX seconds), and returns the token of a link with which their
/// browser begins a session within five minutes.
///
/// # Errors
/// Why the person is not signed in; nothing was changed.
pub fn sign_in_by_identity(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    rules: &Rules,
    claims: &Claims,
    origin: SignInOrigin<'_>,
) -> Result<String, IdentityRefusal> {
    let token = secrets::new_token()?;
    let hash = secrets::hash_api_key(&token);
    // A refusal undoes everything, too.
    let signed_in = change_if(db, realm_id, now, |tx| {
        let mut change = Change::new(tx, None, realm_id, now);
        let user_id = sign_in(&mut change, rules, claims, origin)?;
        let provider = Some(rules.provider.as_str());
        sign_in_links::insert_proven(tx, user_id, &hash, now, provider, true)?;
        Ok::<_, IdentityRefusal>(change::outcome((), change.events))
    });
    if let Err(IdentityRefusal::Refused(refusal)) = &signed_in {
        let refused = Refused {
            origin,
            operation: "complete_identity",
            why: recorded_as(*refusal),
            provider: Some(&rules.provider),
        };
        record(db, realm_id, now, refused, |tx| {
            let found = find(tx, realm_id, claims)?;
            let account = found.bound.or(found.by_address);
            Ok(account.map(|account| account.user_id))
        });
    }
    signed_in?;
    Ok(token)
}

/// The reason in the audit log: that of a refused password where both have it.
const fn recorded_as(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Deactivated => "account_deactivated",
        Refusal::RealmDeactivated => "organization_deactivated",
        other => other.word(),
    }
}

fn sign_in(
    change: &mut Change<'_, '_>,
    rules: &Rules,
    claims: &Claims,
    origin: SignInOrigin<'_>,
) -> Result<UserId, IdentityRefusal> {
    let (tx, realm_id) = (change.tx, change.realm_id);
    let realm = realms::by_id(tx, realm_id)?.ok_or(Refusal::RealmDeactivated)?;
    if realm.deactivated {
        return Err(Refusal::RealmDeactivated.into());
    }
    if !ways::read(tx, realm_id)?.has_provider(&rules.provider) {
        return Err(Refusal::Off.into());
    }
    let found = find(tx, realm_id, claims)?;
    let user_id = match match_account(rules, claims, found.bound, found.by_address)? {
        Match::Bound(user_id) => {
            if let Some(id) = found.identity_id {
                identities::note_use(tx, id, &rules.provider, change.now)?;
            }
            user_id
        }
        Match::Binds {
            user_id,
            ends_credentials,
        } => {
            if ends_credentials {
                end_credentials(change, user_id, rules)?;
            }
            bind(change, user_id, rules, claims, (origin, ends_credentials))?;
            users::confirm_email(tx, user_id)?;
            user_id
        }
        Match::Creates => {
            let role = role_of(rules, claims, Role::Member).unwrap_or_default();
            let user_id = new_account::create(change, claims, role)?;
            bind(change, user_id, rules, claims, (origin, false))?;
            user_id
        }
    };
    groups::apply(change, user_id, rules, claims)?;
    Ok(user_id)
}

fn bind(
    change: &Change<'_, '_>,
    user_id: UserId,
    rules: &Rules,
    claims: &Claims,
    (origin, ended_credentials): (SignInOrigin<'_>, bool),
) -> Result<IdentityId, ActionError> {
    let person = (claims.issuer.as_str(), claims.subject.as_str());
    let id = identities::insert(change.tx, user_id, person, &rules.provider, change.now)?;
    let data = origin.data([
        ("provider", json!(rules.provider)),
        ("ended_credentials", json!(ended_credentials)),
    ]);
    let (own, data) = (Some(user_id), data.to_string());
    let kind = "user_identity_connected";
    audit::append(
        change.tx,
        change.realm_id,
        change.now,
        own,
        own,
        kind,
        &data,
    )?;
    Ok(id)
}

/// Ends whatever another person may have made to get into the account of an address that was never theirs: password,
/// second factor, sessions, links, keys, those of its bots, and people of other providers.
fn end_credentials(
    change: &mut Change<'_, '_>,
    user_id: UserId,
    rules: &Rules,
) -> Result<(), ActionError> {
    let tx = change.tx;
    users::delete_password_hash(tx, user_id)?;
    second_factor::remove_all(tx, user_id)?;
    identities::delete_of_user(tx, user_id)?;
    let mut accounts = user_lists::bots_of(tx, user_id)?;
    accounts.push(user_id);
    for account in accounts {
        change.events.push(revoke_all(tx, account)?);
    }
    let user = users::by_id(tx, change.realm_id, user_id)?;
    // Nothing can have been taken from an account that was never used.
    match user.filter(|user| user.last_login.is_some()) {
        Some(user) => notify(change, &user, rules),
        None => Ok(()),
    }
}

fn notify(change: &mut Change<'_, '_>, user: &UserRow, rules: &Rules) -> Result<(), ActionError> {
    let mut wording = Wording::default();
    wording.add(format!(
        "You signed in with your company account ({}) for the first time. Your address was not confirmed before, so the \
         password of this account, its sessions, API keys and those of your bots have ended, in case another person made \
         them.",
        literal(&rules.provider)
    ));
    change.notify(user.id, wording)
}
