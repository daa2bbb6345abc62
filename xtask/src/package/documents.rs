//! The documentation of an installed server: the README and everything below `docs`, in one folder, with examples next
//! to it.

use std::fs;
use std::path::Path;

use super::{copy, write};
use crate::run::Outcome;

/// Directories of `deploy` that are installed as examples.
const EXAMPLES: [&str; 10] = [
    "caddy",
    "compose",
    "container",
    "fail2ban",
    "grafana",
    "haproxy",
    "kubernetes",
    "nginx",
    "prometheus",
    "spinkube",
];
/// The licence, which each kind of package installs elsewhere.
const LICENCE: &str = "https://www.apache.org/licenses/LICENSE-2.0";

/// Puts documents and examples below `doc`.
pub(super) fn put(doc: &Path) -> Outcome {
    copy(Path::new("docs"), doc)?;
    copy(Path::new("README.md"), &doc.join("README.md"))?;
    relocate_below(doc, 0)?;
    for example in EXAMPLES {
        copy(
            &Path::new("deploy").join(example),
            &doc.join("examples").join(example),
        )?;
    }
    copy(
        Path::new("deploy/systemd/port-443.conf"),
        &doc.join("examples/systemd/port-443.conf"),
    )
}

fn relocate_below(folder: &Path, depth: usize) -> Outcome {
    for path in super::installed::entries(folder)? {
        if path.is_dir() {
            relocate_below(&path, depth + 1)?;
        } else if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            write(&path, &relocated(&text, &path, depth))?;
        }
    }
    Ok(())
}

/// A document of the repository with the links of its installed copy, which lies `depth` folders below the README.
fn relocated(text: &str, path: &Path, depth: usize) -> String {
    let is_readme = depth == 0 && path.file_name().is_some_and(|name| name == "README.md");
    let here = "../".repeat(depth);
    let root = if is_readme {
        String::new()
    } else {
        format!("../{here}")
    };
    let mut text = text.replace(&format!("]({root}deploy/"), &format!("]({here}examples/"));
    if is_readme {
        text = text
            .replace("](docs/", "](")
            .replace("](LICENSE)", &format!("]({LICENCE})"));
    } else {
        text = text.replace(&format!("]({root}README.md"), &format!("]({here}README.md"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citations::without_code;
    use std::path::PathBuf;

    /// The documents of the repository and their places below the folder of the documentation.
    fn documents(root: &Path, folder: &str, found: &mut Vec<(PathBuf, PathBuf)>) {
        for path in super::super::installed::entries(&root.join(folder)).unwrap() {
            let below_root = path.strip_prefix(root).unwrap();
            if path.is_dir() {
                documents(root, below_root.to_str().unwrap(), found);
            } else {
                let place = below_root.strip_prefix("docs").unwrap().to_owned();
                found.push((path, place));
            }
        }
    }

    fn links(text: &str) -> Vec<String> {
        let text = without_code(text);
        let parts = text.split("](").skip(1);
        let targets = parts.filter_map(|part| part.split_once(')').map(|(target, _)| target));
        let targets = targets.map(|target| target.split('#').next().unwrap_or_default());
        let is_relative = |target: &&str| !target.is_empty() && !target.contains("://");
        targets.filter(is_relative).map(str::to_owned).collect()
    }

    /// Joins a link to the folder of its document.
    fn resolve(place: &Path, link: &str) -> PathBuf {
        let mut resolved = place.parent().unwrap().to_owned();
        for part in link.split('/') {
            match part {
                ".." => assert!(resolved.pop(), "{link} leads out of the folder"),
                "" | "." => {}
                name => resolved.push(name),
            }
        }
        resolved
    }

    #[test]
    fn every_link_of_an_installed_document_leads_to_an_installed_file() {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let root = Path::new(&folder).parent().unwrap().to_owned();
        let mut all = vec![(root.join("README.md"), PathBuf::from("README.md"))];
        documents(&root, "docs", &mut all);
        let is_there = |path: &Path| match path.strip_prefix("examples") {
            Ok(inner) => {
                let first = inner.iter().next().map(|name| name.to_str().unwrap());
                first.is_none_or(|first| EXAMPLES.contains(&first))
                    && root.join("deploy").join(inner).exists()
            }
            Err(_) => {
                path.as_os_str().is_empty() || all.iter().any(|(_, place)| place.starts_with(path))
            }
        };
        let (mut seen, mut dead) = (0, Vec::new());
        for (path, place) in &all {
            if path.extension().is_none_or(|end| end != "md") {
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let depth = place.iter().count() - 1;
            for link in links(&relocated(&text, place, depth)) {
                seen += 1;
                if !is_there(&resolve(place, &link)) {
                    dead.push(format!("{}: {link}", place.display()));
                }
            }
        }
        assert!(seen > 100, "{seen}");
        assert!(dead.is_empty(), "{dead:#?}");
    }
}
