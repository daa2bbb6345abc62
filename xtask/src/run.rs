//! Running other programs in the root of the repository, with their output passed through.
//!
//! Every failure becomes one sentence that names the command, so that the end of a long log shows the
//! problem. Must not suppress output, which shows progress.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A result whose error is a sentence for people.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Changes to the root of the repository, wherever cargo was called: the package that cargo runs is in it, and
/// so is the current folder of a program that is started alone. The program itself does not know a path, because
/// a cache may give it to another checkout.
pub(crate) fn enter_repository() -> Outcome {
    let start = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(std::env::current_dir, |folder| Ok(folder.into()));
    let start: PathBuf = start.map_err(|error| format!("there is no current folder: {error}"))?;
    let is_top = |folder: &&Path| folder.join("spin.toml").is_file();
    let top = start
        .ancestors()
        .find(is_top)
        .ok_or_else(|| format!("{} is not in the repository", start.display()))?;
    std::env::set_current_dir(top)
        .map_err(|error| format!("cannot enter {}: {error}", top.display()))
}

/// The cargo that started this program, so that the selected toolchain is kept. It always builds into the
/// repository's own `target`, because `spin.toml` names the components there.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if let Ok(here) = std::env::current_dir() {
        cargo.env("CARGO_TARGET_DIR", here.join(target_directory()));
    }
    // Cargo set these for xtask. Some build scripts track them, and CARGO_MANIFEST_DIR differs in each checkout, so
    // dependencies would be built again.
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("CARGO_PKG_") || shown.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

/// Runs to the end; an exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = describe(command);
    let status = command
        .status()
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` ended with {status}"))
    }
}

/// Replaces this process, so that signals and the exit code are the other program's own.
pub(crate) fn replace_by(command: &mut Command) -> Outcome {
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    Err(format!("cannot run `{}`: {error}", describe(command)))
}

/// The build directory, relative to the root of the repository.
pub(crate) fn target_directory() -> &'static Path {
    Path::new("target")
}

/// The absolute form of a path relative to the root of the repository, for a program in another directory.
pub(crate) fn absolute(path: &Path) -> Outcome<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| format!("no absolute path of {}: {error}", path.display()))
}

/// The command line, truncated when it is long.
pub(crate) fn describe(command: &Command) -> String {
    let mut shown = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    // A list of forty packages would hide the relevant part.
    if shown.len() > 200 {
        let end = shown.floor_char_boundary(200);
        shown.truncate(end);
        shown.push_str(" ...");
    }
    shown
}
