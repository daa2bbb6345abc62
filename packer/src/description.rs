//! The description in the package's header, read from the hand-written `deploy/rpm/package.toml`.
//!
//! Unknown keys are refused. Versions and the files of a package are not its concern.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use rpm::{Dependency, PackageBuilder};
use serde::Deserialize;

/// The fields of the header that are the same for every version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) summary: String,
    /// An expression of SPDX.
    pub(crate) license: String,
    /// Name and address.
    pub(crate) packager: String,
    /// The changelog text, the same for every version.
    pub(crate) changes: String,
    description: String,
    url: String,
    /// Packages that the scripts before and after the installation need.
    requires: Vec<String>,
    recommends: Vec<String>,
    suggests: Vec<String>,
}

impl Description {
    /// Reads the file.
    ///
    /// # Errors
    /// It is missing, is not TOML, or has unknown or missing keys.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let shown = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(shown)?;
        toml::from_str(&text).with_context(shown)
    }

    /// Writes it into the header.
    pub(crate) fn describe(&self, builder: &mut PackageBuilder) {
        builder
            .description(self.description.trim_end())
            .url(&self.url)
            .vendor(&self.packager)
            .packager(&self.packager);
        for package in &self.requires {
            builder.requires(Dependency::script_pre(package));
            builder.requires(Dependency::script_post(package));
            builder.requires(Dependency::script_preun(package));
        }
        for package in &self.recommends {
            builder.recommends(Dependency::any(package));
        }
        for package in &self.suggests {
            builder.suggests(Dependency::any(package));
        }
    }
}
