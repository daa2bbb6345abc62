//! The tarball: the program, its documentation, apps, and deployment files, in one directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, apps, copy, set_mode, write};
use crate::run::{Outcome, run};

/// The content of the directory besides the program, its configuration and the apps.
const CONTENTS: [&str; 4] = ["README.md", "LICENSE", "docs", "deploy"];

/// Makes the tarball and returns its path.
pub(super) fn make(release: &Release, program: &Path) -> Outcome<PathBuf> {
    println!("==> the tarball");
    let name = format!("spindle-{}-{}-linux", release.version, release.architecture);
    let folder = release.stage.join(&name);
    copy(program, &folder.join("spindle"))?;
    set_mode(&folder.join("spindle"), 0o755)?;
    let configuration = release.configuration(program)?;
    write(&folder.join("spindle.example.toml"), &configuration)?;
    for part in CONTENTS {
        copy(Path::new(part), &folder.join(part))?;
    }
    apps::put(&folder.join("apps"), "../docs")?;
    let archive = release.output.join(format!("{name}.tar"));
    release.tar(&release.stage, &[&name], &archive)?;
    // Without name and time, so that the archive is reproducible.
    run(Command::new("gzip").args(["--no-name", "-6"]).arg(&archive))?;
    Ok(archive.with_extension("tar.gz"))
}
