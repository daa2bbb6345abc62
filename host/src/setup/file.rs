//! Edits the configuration file: sets single options and keeps the rest unchanged.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use anyhow::{Context as _, Result};

use super::Choice;

/// The first lines of a new file.
const HEAD: &str =
    "# Configuration of spindle; `spindle config example` explains every option.\n\n";

/// The text of the configuration file with the chosen options.
pub fn changed(text: &str, choice: &Choice) -> String {
    let mut text = if text.is_empty() { HEAD } else { text }.to_owned();
    text = with(&text, "external_url", &choice.external_url.0);
    if let Some(listen) = choice.listen {
        text = with(&text, "listen", &listen.to_string());
    }
    text
}

/// Sets one option: in the line that sets it, else in the line that has it as a comment, else in a new
/// line at the end.
fn with(text: &str, name: &str, value: &str) -> String {
    let line = format!("{name} = {}", toml::Value::from(value));
    let mut lines: Vec<&str> = text.lines().collect();
    let place = ["", "# ", "#"].iter().find_map(|mark| {
        lines.iter().position(|line| {
            let rest = line
                .strip_prefix(mark)
                .and_then(|rest| rest.strip_prefix(name));
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        })
    });
    match place.and_then(|place| lines.get_mut(place)) {
        Some(found) => *found = &line,
        None => lines.push(&line),
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// Writes the file atomically. An existing file keeps its owner and mode, and a link to it stays a
/// link; a new file is readable for all users, since it contains no secret.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let shown = || format!("cannot write the configuration file {}", path.display());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = put(path, &unfinished, text);
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written.with_context(shown)
}

fn put(path: &Path, unfinished: &Path, text: &str) -> Result<()> {
    let mut file = File::create(unfinished)?;
    file.write_all(text.as_bytes())?;
    match fs::metadata(path) {
        Ok(before) => {
            let made = file.metadata()?;
            if (made.uid(), made.gid()) != (before.uid(), before.gid()) {
                chown(unfinished, Some(before.uid()), Some(before.gid()))?;
            }
            file.set_permissions(before.permissions())?;
        }
        Err(_) => file.set_permissions(Permissions::from_mode(0o644))?,
    }
    file.sync_all()?;
    Ok(fs::rename(unfinished, path)?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{with, write};

    #[test]
    fn one_line_is_set_and_the_rest_stays() {
        for (before, after) in [
            ("a = 1\nx = \"old\"\nb = 2\n", "a = 1\nx = \"new\"\nb = 2\n"),
            (
                "# x = \"shown\"\nx = \"old\"\n",
                "# x = \"shown\"\nx = \"new\"\n",
            ),
            (
                "# Text about x.\n# x = \"shown\"\n",
                "# Text about x.\nx = \"new\"\n",
            ),
            ("xx = 1", "xx = 1\nx = \"new\"\n"),
            ("", "x = \"new\"\n"),
        ] {
            assert_eq!(with(before, "x", "new"), after);
            assert_eq!(with(after, "x", "new"), after);
        }
    }

    #[test]
    fn the_documented_example_can_be_set() {
        let text = with(&spindle_config::example(), "external_url", "https://x.org");
        let text = with(&text, "listen", "[::]:3000");
        let set: toml::Table = text.parse().unwrap();
        assert_eq!(set["external_url"].as_str(), Some("https://x.org"));
        assert_eq!(set["listen"].as_str(), Some("[::]:3000"));
    }

    #[test]
    fn a_file_keeps_its_mode_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
