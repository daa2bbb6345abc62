//! The application embedded in the packaged program: the manifest, the components, and Spin's configuration.
//!
//! The manifest of the repository names files below `target/` and build commands; the shipped one names the files next
//! to it. Nothing else in it changes.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Release, copy, read, write};
use crate::build::COMPONENTS;
use crate::run::Outcome;

/// The directory of components in the shipped application.
const SHIPPED: &str = "components/";
/// Spin's configuration, an example.
const RUNTIME_CONFIG: &str = "runtime-config.example.toml";

/// Packs the application and returns the archive.
pub(super) fn archive(release: &Release) -> Outcome<PathBuf> {
    let folder = release.stage.join("application");
    let (manifest, sources) = shipped(&read(Path::new("spin.toml"))?);
    if sources.is_empty() {
        return Err("spin.toml names no components".to_owned());
    }
    for name in &sources {
        copy(
            &Path::new(COMPONENTS).join(name),
            &folder.join(SHIPPED).join(name),
        )?;
    }
    write(&folder.join("spin.toml"), &manifest)?;
    copy(Path::new(RUNTIME_CONFIG), &folder.join(RUNTIME_CONFIG))?;
    let archive = release.stage.join("application.tar");
    let names = ["components", RUNTIME_CONFIG, "spin.toml"];
    release.tar(&folder, &names, &archive)?;
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(archive)
}

/// The manifest without build tables and with sources next to it; and the names of these sources.
fn shipped(manifest: &str) -> (String, Vec<String>) {
    let (mut text, mut sources) = (String::new(), Vec::new());
    let mut building = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            building = line.starts_with("[component.") && line.ends_with(".build]");
        } else if line.starts_with("# ---") {
            building = false;
        }
        if building {
            continue;
        }
        match line
            .strip_prefix("source = \"")
            .and_then(|rest| rest.strip_prefix(COMPONENTS))
        {
            Some(rest) => {
                sources.push(rest.trim_end_matches('"').to_owned());
                text.push_str("source = \"");
                text.push_str(SHIPPED);
                text.push_str(rest);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    (text, sources)
}

#[cfg(test)]
mod tests {
    use super::shipped;

    #[test]
    fn sources_stand_beside_the_manifest_and_nothing_is_built() {
        let manifest = "[component.a]\nsource = \"target/wasm32-wasip2/component/a.wasm\"\n\n\
            [component.a.build]\ncommand = \"cargo build\"\nwatch = [\n    \"x\",\n]\n\n\
            # --- b\n\n[component.b]\nsource = \"target/wasm32-wasip2/component/b.wasm\"\n";
        let (text, sources) = shipped(manifest);
        assert_eq!(sources, ["a.wasm", "b.wasm"]);
        assert_eq!(
            text,
            "[component.a]\nsource = \"components/a.wasm\"\n\n\
             # --- b\n\n[component.b]\nsource = \"components/b.wasm\"\n"
        );
    }
}
