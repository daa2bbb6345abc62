//! The apps that come with the program: `poll` means the file `poll.wasm` that its package has installed.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context as _, Result, bail};

/// The file that a command means: a path, or the name of an app that comes with the program.
///
/// # Errors
/// No app of this name comes with the program.
pub(super) fn file(given: &Path) -> Result<PathBuf> {
    let Some(name) = name(given) else {
        return Ok(given.to_owned());
    };
    let program = env::current_exe().context("cannot find the file of this program")?;
    let folders = folders(&program);
    let files = folders
        .iter()
        .map(|folder| folder.join(format!("{name}.wasm")));
    if let Some(found) = files.into_iter().find(|file| file.is_file()) {
        return Ok(found);
    }
    let names = folders.iter().flat_map(|folder| names(folder));
    let names: Vec<String> = names.collect();
    match names.is_empty() {
        true => bail!(
            "no apps are installed with this program; name the file of a component, such as ./{name}.wasm"
        ),
        false => bail!(
            "no app {name} comes with this program, only {}; name the file of a component, such as ./{name}.wasm",
            names.join(", ")
        ),
    }
}

/// The name of an app, unless it is the path of a file: that has a slash or a dot.
fn name(given: &Path) -> Option<&str> {
    let text = given.to_str()?;
    let is_name = !text.is_empty() && !text.contains(['/', '.']);
    is_name.then_some(text)
}

/// Where apps can be: a package installs them below `share`, and the tarball has them next to the program.
fn folders(program: &Path) -> Vec<PathBuf> {
    let folder = program.parent().unwrap_or(Path::new("."));
    let shared = folder
        .parent()
        .map(|above| above.join("share/spindle/apps"));
    shared.into_iter().chain([folder.join("apps")]).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| PathBuf::from(entry.file_name()));
    let components = files.filter(|file| file.extension().is_some_and(|end| end == "wasm"));
    let names = components.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_neither_slash_nor_dot() {
        assert_eq!(name(Path::new("poll")), Some("poll"));
        assert_eq!(name(Path::new("stand-up")), Some("stand-up"));
        for path in ["./poll", "poll.wasm", "/tmp/poll", "apps/poll", ".", ""] {
            assert_eq!(name(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn apps_are_where_packages_put_them() {
        let folders = folders(Path::new("/usr/bin/spindle"));
        let expected = ["/usr/share/spindle/apps", "/usr/bin/apps"];
        assert_eq!(folders, expected.map(PathBuf::from));
    }

    #[test]
    fn the_apps_of_a_folder_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["poll.wasm", "poll.md", "feeds.wasm"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        assert_eq!(names(folder.path()), ["feeds", "poll"]);
        assert!(names(Path::new("/no such folder")).is_empty());
    }
}
