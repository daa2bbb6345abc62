//! The files below a folder, for the lints that read sources and documents as text.
//!
//! Files that tools build or install next to the sources are left out. Lists files without reading
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Outcome;

/// Folders that tools write, at any depth.
const SKIPPED: [&str; 4] = ["target", "node_modules", "corpus", "artifacts"];

/// Every file below `folder`, sorted within its directory; empty when there is no such folder.
///
/// # Errors
/// When a directory cannot be listed.
pub(crate) fn below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    Ok(files)
}

/// The Rust sources among [`below`].
///
/// # Errors
/// As [`below`].
pub(crate) fn sources_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = below(folder)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
        paths.push(entry.path());
    }
    paths.sort();
    for path in paths {
        if !path.is_dir() {
            files.push(path);
        } else if path
            .file_name()
            .is_none_or(|name| !SKIPPED.iter().any(|skipped| name == *skipped))
        {
            collect(&path, files)?;
        }
    }
    Ok(())
}
