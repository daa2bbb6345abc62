//! `spin.toml`, version 2, as far as HTTP applications need it.
//!
//! The same file serves Spin and the native host. All keys of Spin are accepted, including the ones that the host
//! ignores; any other key is an error that names the line. `schema` mirrors the file, `resolve` converts it for the
//! host. Must not open databases or compile components.

mod allowed_hosts;
mod resolve;
mod schema;
mod sql_rights;
mod template;

pub use allowed_hosts::{AllowedHosts, PatternError};
pub use resolve::{Application, ComponentSettings, Route, VariableSource};
pub use schema::{Manifest, Tuning};
pub use sql_rights::{CommonSql, SqlAccess, SqlGrants, SqlRights};

use std::path::{Path, PathBuf};

/// Why a manifest was refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, std::io::Error),
    /// It is not TOML, or has an unknown key or an invalid value; the text names the line.
    #[error("{0}: {1}")]
    Syntax(PathBuf, String),
    /// A version other than 2.
    #[error("spin_manifest_version is {0}; only 2 is supported")]
    Version(i64),
    /// A route names a component that does not exist.
    #[error("route {0:?} names the component {1:?}, which the manifest does not define")]
    UnknownComponent(String, String),
    /// A route that is neither a pattern nor `{ private = true }`.
    #[error("the route of component {0:?} must be a pattern or {{ private = true }}")]
    Route(String),
    /// An invalid value of the host's own settings.
    #[error("component {0:?}: {1}")]
    Setting(String, String),
    /// `{{ name }}` names no variable, or one that has no value.
    #[error("component {component:?}: {place} uses the variable {name:?}, which {reason}")]
    Variable {
        /// Id of the component.
        component: String,
        /// The position of the template.
        place: String,
        /// Name of the variable.
        name: String,
        /// The problem.
        reason: &'static str,
    },
}

impl Manifest {
    /// Reads and checks the content of the file at `path`.
    pub fn parse_file(path: &Path, content: &[u8]) -> Result<Self, ManifestError> {
        let text = std::str::from_utf8(content)
            .map_err(|error| ManifestError::Syntax(path.to_owned(), error.to_string()))?;
        Self::parse(text).map_err(|error| match error {
            ManifestError::Syntax(_, reason) => ManifestError::Syntax(path.to_owned(), reason),
            other => other,
        })
    }

    /// Reads a manifest from its text.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            ManifestError::Syntax(PathBuf::from("spin.toml"), error.to_string())
        })?;
        if manifest.spin_manifest_version != 2 {
            return Err(ManifestError::Version(manifest.spin_manifest_version));
        }
        Ok(manifest)
    }
}
