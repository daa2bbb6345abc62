//! Apps, and the buttons of their messages (docs/protocol/archive.md#apps).

use spindle_actions::import::ArchivedApp;
use spindle_store::apps;
use spindle_store::archive::{BUTTONS, Scope};

use super::ExportError;
use super::pack::Pack;
use super::snapshot::Snapshot;

/// Writes two files for each app. Only an export of everything has what apps keep, and buttons, which depend on it.
pub(super) fn all(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    if snapshot.scope == Scope::Public {
        return Ok(());
    }
    let is_whole = snapshot.scope == Scope::Everything;
    if is_whole {
        pack.tables("spindle_buttons.json", |tables| {
            tables.selected(snapshot, &BUTTONS)
        })?;
    }
    for app in apps::list(snapshot.db, snapshot.realm_id.into())? {
        let path = format!("spindle_apps/{}", app.name);
        let component = app.component_key.clone();
        let archived = ArchivedApp::of(snapshot.db, app, is_whole)?;
        pack.json(&format!("{path}.json"), &archived)?;
        pack.blob(&format!("{path}.wasm"), &component)?;
    }
    Ok(())
}
