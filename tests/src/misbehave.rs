//! The repository's manifest with one more component, `tests/components/misbehave`, which runs any
//! statement that it is given.

use std::path::PathBuf;

use crate::server::repository;
use crate::unique;

/// Writes that manifest into the folder of builds, with absolute sources; `grants` are the lines of the component's
/// rights in the database.
#[must_use]
pub fn manifest(grants: &str) -> PathBuf {
    let root = repository();
    let text = std::fs::read_to_string(root.join("spin.toml")).expect("spin.toml");
    let folder = root.join("target/tmp");
    std::fs::create_dir_all(&folder).expect("target/tmp");
    let target = root.join("target").display().to_string();
    let text = text.replace("source = \"target/", &format!("source = \"{target}/"));
    let more = format!(
        "\n[[trigger.http]]\nroute = \"/misbehave/...\"\ncomponent = \"misbehave\"\n\n\
         [component.misbehave]\nsource = \"{target}/wasm32-wasip2/component/test_misbehave.wasm\"\n\
         sqlite_databases = [\"default\"]\n\n[component.misbehave.tool.spindle.sql]\n{grants}"
    );
    let path = folder.join(format!("{}.toml", unique("misbehave")));
    std::fs::write(&path, text + &more).expect("manifest");
    path
}
