//! The file of an app: a component with its manifest.

use sha2::{Digest as _, Sha256};
use spindle_domain::RealmId;
use spindle_domain::apps::{Manifest, limits, section};
use spindle_store::Connection;
use spindle_store::apps::Component;

use super::AppKeys;
use crate::account::secrets;
use crate::files::announce_blobs;
use crate::text::hexadecimal;
use crate::{ActionError, Actor};

/// A component whose manifest was read. Whether it can be compiled turns out when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppFile {
    pub manifest: Manifest,
    /// The blob to store it in.
    pub blob_key: String,
    manifest_text: String,
    hash: String,
    size: i64,
    signed_by: Option<String>,
}

impl AppFile {
    /// Reads the manifest of a component, which one of `keys` must have signed if there are any.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] for a file that is too large, no component, not signed, or has no manifest that can be
    /// used.
    pub fn read(realm_id: RealmId, bytes: &[u8], keys: &AppKeys) -> Result<Self, ActionError> {
        if bytes.len() > limits::COMPONENT_BYTES {
            return Err(ActionError::BadRequest(format!(
                "A component can have {} bytes at most",
                limits::COMPONENT_BYTES
            )));
        }
        if !section::is_component(bytes) {
            return Err(ActionError::bad_request(
                "The file is not a WebAssembly component",
            ));
        }
        let signed_by = keys.check(bytes)?;
        let found = section::find(bytes).ok_or_else(|| {
            ActionError::bad_request("The component has no manifest: it is not an app")
        })?;
        let manifest =
            Manifest::parse(found).map_err(|error| ActionError::BadRequest(error.to_string()))?;
        let manifest_text = serde_json::to_string(&manifest)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        Ok(Self {
            manifest,
            blob_key: format!("apps/{realm_id}/{}", secrets::new_name()?),
            manifest_text,
            hash: hexadecimal(&Sha256::digest(bytes)),
            size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            signed_by,
        })
    }

    /// Notes its blob before it is stored, so that it is deleted if the app is not installed. `now` is in UNIX seconds.
    ///
    /// # Errors
    /// [`ActionError::Store`] when the database fails.
    pub fn announce(&self, db: &dyn Connection, now: i64) -> Result<(), ActionError> {
        announce_blobs(db, now, &[&self.blob_key])
    }

    pub(crate) fn component(&self) -> Component<'_> {
        Component {
            manifest: &self.manifest_text,
            hash: &self.hash,
            key: &self.blob_key,
            size: self.size,
            signed_by: self.signed_by.as_deref(),
        }
    }

    /// Names of its commands as a JSON list.
    pub(super) fn command_names(&self) -> String {
        let names = self.manifest.commands.iter();
        let names: Vec<&str> = names.map(|command| command.name.as_str()).collect();
        serde_json::json!(names).to_string()
    }

    /// What is not allowed to change by an update.
    pub(super) fn check_name(&self, actor: &Actor, name: &str) -> Result<(), ActionError> {
        super::require_administrator(actor)?;
        if self.manifest.name == name {
            return Ok(());
        }
        Err(ActionError::BadRequest(format!(
            "This is the component of the app {:?}, not of {name:?}",
            self.manifest.name
        )))
    }
}
