//! The apps that ship: the component of each package in `apps/`, with its README next to it.
//!
//! `spindle app install NAME` looks for them where they are put here (`host/src/cli/app/shipped.rs`).

use std::path::Path;

use super::{copy, installed, read, write};
use crate::build::COMPONENTS;
use crate::packages;
use crate::run::Outcome;

const SOURCES: &str = "apps";

/// Puts `poll.wasm` and `poll.md` of the package `app-poll` into a folder, and so on. `docs` is the way from there to the
/// folder of the documents.
pub(super) fn put(folder: &Path, docs: &str) -> Outcome {
    for source in installed::entries(Path::new(SOURCES))? {
        if !source.join("Cargo.toml").is_file() {
            continue;
        }
        let package = packages::name_of(&source)?;
        let (name, built) = names(&package)?;
        copy(
            &Path::new(COMPONENTS).join(built),
            &folder.join(format!("{name}.wasm")),
        )?;
        let text = relocated(&read(&source.join("README.md"))?, docs);
        write(&folder.join(format!("{name}.md")), &text)?;
    }
    Ok(())
}

/// The name of an app, and the file that cargo builds of its package.
fn names(package: &str) -> Outcome<(&str, String)> {
    let name = package
        .strip_prefix("app-")
        .ok_or_else(|| format!("the package {package} of an app must be called app-NAME"))?;
    Ok((name, format!("{}.wasm", package.replace('-', "_"))))
}

/// A README with links to the documents where they are installed.
fn relocated(text: &str, docs: &str) -> String {
    text.replace("](../../docs/", &format!("]({docs}/"))
}

#[cfg(test)]
mod tests {
    use super::{names, relocated};

    #[test]
    fn an_app_has_the_name_of_its_package() {
        let built = "app_stand_up.wasm".to_owned();
        assert_eq!(names("app-stand-up").unwrap(), ("stand-up", built));
        assert!(names("poll").is_err());
    }

    #[test]
    fn links_lead_to_the_installed_documents() {
        let text = "see [APPS.md](../../docs/APPS.md#reference)";
        assert_eq!(
            relocated(text, "../docs"),
            "see [APPS.md](../docs/APPS.md#reference)"
        );
    }
}
