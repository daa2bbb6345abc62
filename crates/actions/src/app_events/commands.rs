//! The commands that people can use (register: `realm_app_commands`).

use serde_json::json;
use spindle_domain::apps::{Manifest, Rights};
use spindle_store::Db;
use spindle_store::apps::commands;

use crate::ActionError;

/// The granted commands of active apps as a JSON list, by name.
pub(crate) fn granted_commands(db: &dyn Db) -> Result<String, ActionError> {
    let unreadable = |error: serde_json::Error| ActionError::Internal(error.to_string());
    let mut listed = Vec::new();
    for row in commands::list(db)? {
        let manifest: Manifest = serde_json::from_str(&row.manifest).map_err(unreadable)?;
        let rights: Rights = serde_json::from_str(&row.rights).map_err(unreadable)?;
        if rights.within(&manifest).commands.contains(&row.name) {
            listed.push(json!({
                "name": row.name,
                "description": row.description,
                "app_title": manifest.title,
            }));
        }
    }
    Ok(json!(listed).to_string())
}
