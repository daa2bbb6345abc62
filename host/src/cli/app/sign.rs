//! `spindle app key` and `spindle app sign`.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use spindle_actions::apps::PrivateKey;
use spindle_domain::apps::limits;

use super::install::read_file;
use crate::cli::output::show;

#[derive(Debug, Args)]
pub(in crate::cli) struct Key {
    /// Where the private key is written; the file must not exist.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Sign {
    /// The component, to which the signature is added, in place of an earlier one.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The private key that `spindle app key` has written.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

impl Key {
    pub(super) fn run(self) -> Result<ExitCode> {
        let key = PrivateKey::new()?;
        write_new(&self.file, &format!("{}\n", key.to_text()))?;
        show(&key.public());
        Ok(ExitCode::SUCCESS)
    }
}

impl Sign {
    pub(super) fn run(self) -> Result<ExitCode> {
        let text = fs::read_to_string(&self.key).with_context(|| cannot_read(&self.key))?;
        let key = PrivateKey::parse(&text)
            .ok_or_else(|| anyhow!("{} is not a key of `spindle app key`", self.key.display()))?;
        let component = read_file(&self.file)?;
        let signed = key
            .sign(&component)
            .ok_or_else(|| anyhow!("{} is not a WebAssembly component", self.file.display()))?;
        if signed.len() > limits::COMPONENT_BYTES {
            bail!(
                "a signed component can have {} bytes at most",
                limits::COMPONENT_BYTES
            );
        }
        replace(&self.file, &signed)?;
        show(&format!("signed with the key {}", key.public()));
        Ok(ExitCode::SUCCESS)
    }
}

fn cannot_read(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

/// Writes a file that only its owner can read, and that did not exist.
fn write_new(file: &Path, text: &str) -> Result<()> {
    let cannot = || format!("cannot create {}", file.display());
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut created = match options.open(file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} exists already", file.display())
        }
        opened => opened.with_context(cannot)?,
    };
    created.write_all(text.as_bytes()).with_context(cannot)?;
    created.sync_all().with_context(cannot)
}

/// Replaces a file as a whole: a command that is interrupted leaves the earlier one.
fn replace(file: &Path, content: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let mut name = file.as_os_str().to_owned();
    name.push(".signing");
    let new = PathBuf::from(name);
    let written = fs::write(&new, content).and_then(|()| {
        fs::set_permissions(&new, fs::metadata(file)?.permissions())?;
        fs::rename(&new, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written.with_context(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_key_is_written_once_and_signs() {
        let folder = tempfile::tempdir().unwrap();
        let (key, file) = (folder.path().join("key"), folder.path().join("app.wasm"));
        let make = || Key { file: key.clone() }.run();
        make().unwrap();
        let written = fs::read_to_string(&key).unwrap();
        assert_eq!(
            fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        make().unwrap_err();
        assert_eq!(fs::read_to_string(&key).unwrap(), written);

        fs::write(&file, EMPTY).unwrap();
        let sign = || {
            let (file, key) = (file.clone(), key.clone());
            Sign { file, key }.run()
        };
        sign().unwrap();
        let signed = fs::read(&file).unwrap();
        let expected = PrivateKey::parse(&written).unwrap().sign(EMPTY).unwrap();
        assert!(signed == expected);
        // Again, and of what is no component.
        sign().unwrap();
        assert!(fs::read(&file).unwrap() == expected);
        fs::write(&file, "text").unwrap();
        sign().unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"text");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
