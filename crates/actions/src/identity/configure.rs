//! Notes at every start which identity providers the operator has configured.

use spindle_domain::RealmId;
use spindle_domain::identity::{ListedProvider, MAX_PROVIDERS};
use spindle_events::{Audience, Record, kinds};
use spindle_store::identity_providers::{self, ProviderRow};
use spindle_store::{Connection, Outcome, realms};

use crate::account::ways;
use crate::{ActionError, change};

/// Stores the list at `now` (UNIX seconds), and notifies clients when the ways to sign in have changed. Without an
/// organization nothing happens.
///
/// # Errors
/// [`ActionError::BadRequest`] for more than [`MAX_PROVIDERS`].
pub fn configure(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    providers: &[ListedProvider],
) -> Result<(), ActionError> {
    if providers.len() > MAX_PROVIDERS {
        return Err(ActionError::BadRequest(format!(
            "There are more than {MAX_PROVIDERS} identity providers"
        )));
    }
    let mut wanted: Vec<ProviderRow> = providers.iter().map(row).collect();
    wanted.sort_by(|one, other| (one.position, &one.id).cmp(&(other.position, &other.id)));
    if identity_providers::list(db, realm_id)? == wanted {
        return Ok(());
    }
    change::if_needed(db, realm_id, now, |tx| {
        if realms::by_id(tx, realm_id)?.is_none() {
            return Ok(Outcome::Unchanged(()));
        }
        let before = ways::read(tx, realm_id)?;
        identity_providers::delete_all(tx, realm_id)?;
        for provider in &wanted {
            identity_providers::insert(tx, realm_id, provider)?;
        }
        let after = ways::read(tx, realm_id)?;
        let event = (before.all() != after.all()).then(|| {
            let fields = ways::fields(&after).into_iter();
            let fields: Record = fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            kinds::realm_update_dict("default", fields, Audience::realm())
        });
        Ok(change::outcome((), event))
    })
}

fn row(provider: &ListedProvider) -> ProviderRow {
    ProviderRow {
        id: provider.id.clone(),
        name: provider.name.clone(),
        has_icon: provider.has_icon,
        position: provider.position,
        creates: provider.creates,
        signs_out: provider.signs_out,
    }
}
