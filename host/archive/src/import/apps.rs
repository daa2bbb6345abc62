//! Apps of an archive: the description of each, and its component, which may come in any order.
//!
//! Descriptions are kept in files until the components come by. An app that cannot be used is left out, with a note.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use spindle_actions::apps::AppKeys;
use spindle_actions::import::Import;
use spindle_blobs::{BlobKey, Folder};
use spindle_domain::limits::apps::{APP_BYTES, COMPONENT_BYTES};

const FOLDER: &str = "spindle_apps/";
/// Bytes of a description: values, with syntax and escapes.
const MOST_JSON: usize = 3 * APP_BYTES;
/// Descriptions that are kept. An organization has fewer apps.
const MOST_KEPT: usize = 1_000;
const UNREADABLE: &str = "apps that are too large or cannot be read were left out";
const INCOMPLETE: &str = "apps of which a part is not in the archive were left out";

/// The name of the app that a file of the archive describes.
pub(super) fn described(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?.strip_suffix(".json")
}

/// The name of the app whose component a file of the archive is.
pub(super) fn component(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?.strip_suffix(".wasm")
}

/// Descriptions of apps, in files.
#[derive(Debug, Default)]
pub(super) struct Descriptions(BTreeMap<String, PathBuf>);

impl Descriptions {
    /// Keeps a description in a new file of the folder.
    pub(super) fn keep(
        &mut self,
        name: &str,
        folder: &Path,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        if self.0.len() < MOST_KEPT {
            // Names of an archive are no names of files.
            let path = folder.join(format!("app-{}", self.0.len()));
            let mut file = File::create_new(&path)?;
            io::copy(&mut content.take(MOST_JSON as u64 + 1), &mut file)?;
            self.0.insert(name.to_owned(), path);
        }
        Ok(())
    }
}

/// The apps whose components have not come yet.
pub(super) struct Apps<'t> {
    keys: &'t AppKeys,
    waiting: BTreeMap<&'t str, &'t Path>,
}

impl<'t> Apps<'t> {
    pub(super) fn new(described: &'t Descriptions, keys: &'t AppKeys) -> Self {
        let waiting = described.0.iter();
        let waiting = waiting.map(|(name, path)| (name.as_str(), path.as_path()));
        Self {
            keys,
            waiting: waiting.collect(),
        }
    }

    /// Imports the app with this name, whose component is `content`.
    pub(super) fn take(
        &mut self,
        name: &str,
        content: &mut dyn Read,
        blobs: &Folder,
        import: &mut Import<'_>,
    ) -> Result<()> {
        let Some(path) = self.waiting.remove(name) else {
            import.note(INCOMPLETE);
            return Ok(());
        };
        let description = read(&mut File::open(path)?, MOST_JSON)?;
        fs::remove_file(path)?;
        let app = description.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let (Some(app), Some(component)) = (app, read(content, COMPONENT_BYTES)?) else {
            import.note(UNREADABLE);
            return Ok(());
        };
        if let Some(blob_key) = import.app(&app, &component, self.keys)? {
            let key = BlobKey::parse(&blob_key).context("the key of a component")?;
            blobs.put(&key, "application/wasm", &component)?;
        }
        Ok(())
    }

    /// Notes the apps whose components have not come.
    pub(super) fn finish(self, import: &mut Import<'_>) {
        for _ in self.waiting {
            import.note(INCOMPLETE);
        }
    }
}

/// All bytes, unless there are more than `most`.
fn read(content: &mut dyn Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    content.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= most).then_some(bytes))
}
