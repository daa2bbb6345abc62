//! What a start with a configuration would meet, found out without starting: files, folders, addresses.
//!
//! Behind `spindle config check`. Changes nothing: whether something can be made in a folder is tried
//! with an empty folder that is removed at once. A server may run meanwhile.

use std::fs;
use std::io::{ErrorKind, Result as IoResult};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::parts;
use crate::config::Config;
use crate::front::{Files, check_application};
use crate::memory::Shares;
use crate::runtime::CodeCache;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// A start would fail, or the server would be of no use; each begins with the option.
    pub problems: Vec<anyhow::Error>,
    /// What may be as it should.
    pub notes: Vec<String>,
}

/// Looks at everything that the configuration names.
#[must_use]
pub fn look(config: &Config) -> Found {
    let mut found = Found::default();
    let mut check = |name: &'static str, outcome: Result<()>| {
        found.problems.extend(outcome.context(name).err());
    };
    check("data_dir", data_dir(&config.data_dir));
    check(
        "disk_reserve",
        reserve(&config.data_dir, config.disk_reserve),
    );
    if let Some(folder) = &config.code_cache {
        check("code_cache", code_cache(folder));
    }
    check("manifest", application(config));
    check("tls_cert, tls_key", super::tls(config).map(drop));
    check("push_service", parts::push_service(config).map(drop));
    let ops = config.ops_listen.and_then(|ops| ops.0);
    for (name, address) in [("listen", Some(config.listen)), ("ops_listen", ops)] {
        match address.map(listens) {
            None | Some(Ok(None)) => {}
            Some(Ok(Some(note))) => found.notes.push(format!("{name}: {note}")),
            Some(Err(error)) => found.problems.push(error.context(name)),
        }
    }
    found
}

/// A folder that the server makes its own.
fn data_dir(folder: &Path) -> Result<()> {
    let there = nearest(folder)?;
    can_be_filled(there)?;
    if there == folder {
        let user = rustix::process::geteuid();
        let owner = fs::metadata(folder)?.uid();
        if !user.is_root() && owner != user.as_raw() {
            bail!(
                "{} belongs to another user; run this as the user of the server",
                folder.display()
            );
        }
    }
    Ok(())
}

fn code_cache(folder: &Path) -> Result<()> {
    let there = nearest(folder)?;
    if there == folder {
        CodeCache::open(folder)?;
    }
    can_be_filled(there)
}

/// The folder itself, or the one that it would be made in.
fn nearest(folder: &Path) -> Result<&Path> {
    let mut there = folder;
    loop {
        let looked_at = if there.as_os_str().is_empty() {
            Path::new(".")
        } else {
            there
        };
        match fs::metadata(looked_at) {
            Ok(found) if found.is_dir() => return Ok(looked_at),
            Ok(_) => bail!("{} is no directory", looked_at.display()),
            Err(error) if error.kind() == ErrorKind::NotFound => match there.parent() {
                Some(parent) => there = parent,
                None => return Err(error).context(folder.display().to_string()),
            },
            Err(error) => return Err(error).context(looked_at.display().to_string()),
        }
    }
}

fn can_be_filled(folder: &Path) -> Result<()> {
    let probe = folder.join(format!(".spindle-check-{}", std::process::id()));
    let tried = fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe));
    tried.with_context(|| format!("nothing can be written in {}", folder.display()))
}

/// More than the disk has can never be free.
fn reserve(folder: &Path, reserve: u64) -> Result<()> {
    // What is wrong with the folder is said there.
    let Ok(folder) = nearest(folder) else {
        return Ok(());
    };
    let Ok(disk) = rustix::fs::statvfs(folder) else {
        return Ok(());
    };
    let size = disk.f_blocks.saturating_mul(disk.f_frsize);
    if size > 0 && reserve >= size {
        bail!("{reserve} bytes are to stay free on a disk of {size}");
    }
    Ok(())
}

/// The manifest and the components that it names.
fn application(config: &Config) -> Result<()> {
    let (manifest, files) = Files::of_application(config.manifest.as_deref())
        .context("cannot read this program's file")?;
    let variables = parts::variables(config, "token");
    let room = Shares::of(config.memory_budget).transfers;
    check_application(&manifest, &files, variables, room)?;
    Ok(())
}

/// Looks whether the address is free, and returns what is noteworthy about it; an error when this machine
/// cannot listen on it.
fn listens(address: SocketAddr) -> Result<Option<&'static str>> {
    let bound: IoResult<TcpListener> = TcpListener::bind(address);
    match bound {
        Ok(_) => Ok(None),
        Err(error) => match remark(address, error.kind()) {
            Some(note) => Ok(Some(note)),
            None => Err(error).with_context(|| format!("cannot listen on {address}")),
        },
    }
}

/// What is no mistake of the configuration, though this process cannot listen there.
fn remark(address: SocketAddr, why: ErrorKind) -> Option<&'static str> {
    const FIRST_FOR_EVERYBODY: u16 = 1024;
    match why {
        ErrorKind::AddrInUse => Some("another program listens there, perhaps this server"),
        // A service has the right by a capability, which a command of the same user has not.
        ErrorKind::PermissionDenied if address.port() < FIRST_FOR_EVERYBODY => Some(
            "not tried: a port below 1024 needs a right that the service has (port-443.conf), and this \
             command has not",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{Ipv4Addr, SocketAddr};

    use super::{listens, remark};

    #[test]
    fn what_another_process_may_do_is_only_noted() {
        let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let denied = ErrorKind::PermissionDenied;
        assert!(remark(at(443), denied).is_some_and(|note| note.contains("port-443.conf")));
        assert_eq!(remark(at(3000), denied), None);
        assert_eq!(remark(at(443), ErrorKind::AddrNotAvailable), None);
        let taken = std::net::TcpListener::bind(at(0)).unwrap();
        let note = listens(taken.local_addr().unwrap()).unwrap();
        assert!(note.is_some_and(|note| note.contains("another program")));
        // Of documentation: no machine has it.
        assert!(listens("192.0.2.1:3000".parse().unwrap()).is_err());
    }
}
