//! Whether anonymous visitors see anything at all.

use spindle_domain::realm_setting;
use spindle_store::realms::RealmRow;

use crate::Settings;

/// Whether anonymous visitors may see web-public channels.
pub(crate) fn admits_spectators(realm: &RealmRow) -> bool {
    !realm.deactivated
        && Settings::of_realm(&realm.settings).is_on(realm_setting!("enable_spectator_access"))
}
