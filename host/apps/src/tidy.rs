//! Removes machine code that is no longer needed from the folder of the code of apps.
//!
//! The time of a file is that of its last load. Nothing but machine code may be in the folder; a file that this removes by
//! mistake is compiled again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

/// How long code stays that no app has: an app may be installed again, and other servers may use the folder.
const UNUSED: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of all code. That of 200 large apps takes as much.
const MOST_BYTES: u64 = 2 << 30;
/// Hexadecimal digits of the hash of a component, with which the name of its file begins.
const HASH: usize = 64;

struct CodeFile {
    path: PathBuf,
    /// The hash of the component; `None` for a file that a compiler has left behind.
    hash: Option<String>,
    bytes: u64,
    used: SystemTime,
}

/// Removes code of components that no app has any more (`installed` are the hashes of the others), code of earlier versions of
/// the program, and the longest unused code while all of it takes too much. Returns how many files were removed.
///
/// # Errors
/// The folder cannot be read, or a file cannot be removed.
pub fn tidy_code(folder: &Path, installed: &HashSet<String>) -> io::Result<usize> {
    let files = match files(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        files => files?,
    };
    let superfluous = superfluous(files, installed, SystemTime::now(), MOST_BYTES);
    for path in &superfluous {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(superfluous.len())
}

fn files(folder: &Path) -> io::Result<Vec<CodeFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_code = path
            .extension()
            .is_some_and(|end| end == "cwasm" || end == "tmp");
        // It may be gone by now, and links lead elsewhere.
        let Some(found) = fs::symlink_metadata(&path)
            .ok()
            .filter(|found| is_code && found.is_file())
        else {
            continue;
        };
        files.push(CodeFile {
            hash: hash(&path),
            bytes: found.len(),
            used: found.modified()?,
            path,
        });
    }
    Ok(files)
}

fn hash(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".cwasm")?;
    let (hash, _) = name.split_once('-')?;
    (hash.len() == HASH).then(|| hash.to_owned())
}

fn superfluous(
    mut files: Vec<CodeFile>,
    installed: &HashSet<String>,
    now: SystemTime,
    most_bytes: u64,
) -> Vec<PathBuf> {
    files.sort_by_key(|file| std::cmp::Reverse(file.used));
    let (mut kept, mut bytes) = (HashSet::new(), 0);
    let mut superfluous = Vec::new();
    for file in files {
        // Of several files of a component, the others are of earlier versions of the program.
        let is_needed = match &file.hash {
            Some(hash) => installed.contains(hash) && kept.insert(hash.clone()),
            None => false,
        };
        // A file of the future counts as just used.
        let age = now.duration_since(file.used).unwrap_or_default();
        let all = file.bytes.saturating_add(bytes);
        if (is_needed || age < UNUSED) && all <= most_bytes {
            bytes = all;
        } else {
            superfluous.push(file.path);
        }
    }
    superfluous
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + 1_000_000 * HOUR
    }

    fn file(name: &str, hash: Option<&str>, bytes: u64, hours: u32) -> CodeFile {
        CodeFile {
            path: name.into(),
            hash: hash.map(str::to_owned),
            bytes,
            used: now() - hours * HOUR,
        }
    }

    fn removed(files: Vec<CodeFile>, installed: &[&str], most: u64) -> Vec<String> {
        let installed = installed.iter().map(|hash| (*hash).to_owned()).collect();
        let removed = superfluous(files, &installed, now(), most);
        removed
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn code_of_removed_apps_goes_after_a_day() {
        let files = vec![
            file("installed", Some("a"), 1, 1_000),
            file("just removed", Some("b"), 1, 23),
            file("removed", Some("c"), 1, 25),
            file("of an earlier version", Some("a"), 1, 1_001),
            file("being written", None, 1, 0),
            file("left behind", None, 1, 30),
        ];
        let expected = ["removed", "left behind", "of an earlier version"];
        assert_eq!(removed(files, &["a"], 100), expected);
    }

    #[test]
    fn the_longest_unused_code_goes_when_all_takes_too_much() {
        let files = || {
            vec![
                file("old", Some("a"), 40, 30),
                file("new", Some("b"), 50, 1),
                file("middle", Some("c"), 30, 2),
            ]
        };
        let all = ["a", "b", "c"];
        assert!(removed(files(), &all, 120).is_empty());
        assert_eq!(removed(files(), &all, 119), ["old"]);
        assert_eq!(removed(files(), &all, 79), ["middle", "old"]);
    }

    #[test]
    fn a_folder_is_tidied() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            tidy_code(&folder.path().join("no"), &HashSet::new()).unwrap(),
            0
        );
        let (installed, removed) = ("a".repeat(HASH), "b".repeat(HASH));
        let names = [
            format!("{installed}-0123456789abcdef.cwasm"),
            format!("{removed}-0123456789abcdef.cwasm"),
            "notes.txt".to_owned(),
        ];
        for name in &names {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - 2 * UNUSED).unwrap();
        }
        let installed = HashSet::from([installed]);
        assert_eq!(tidy_code(folder.path(), &installed).unwrap(), 1);
        assert_eq!(tidy_code(folder.path(), &installed).unwrap(), 0);
        let left: Vec<bool> = names
            .iter()
            .map(|name| folder.path().join(name).exists())
            .collect();
        assert_eq!(left, [true, false, true]);
    }
}
