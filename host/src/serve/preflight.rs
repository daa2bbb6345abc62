//! Checks whether a start with a configuration would succeed: files, directories, addresses.
//!
//! Used by `spindle config check`. Changes nothing: whether a directory is writable is tested with a temporary
//! directory that is removed immediately, a bucket with an object. A server may be running.

use std::fs;
use std::io::{ErrorKind, Result as IoResult};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};

use super::{identity, parts};
use spindle_actions::apps::AppKeys;
use spindle_admission::memory::Shares;
use spindle_blobs::BlobStore;
use spindle_config::{BucketOptions, Config, DatabaseUrl};
use spindle_database::Location;
use spindle_front::{Files, check_application};
use spindle_runtime::CodeCache;

/// The result of the checks.
#[derive(Debug, Default)]
pub struct Findings {
    /// Reasons why a start would fail or the server would be unusable; each begins with the option.
    pub problems: Vec<anyhow::Error>,
    /// Findings that may be intended.
    pub notes: Vec<String>,
}

/// Checks everything that the configuration refers to.
#[must_use]
pub fn preflight(config: &Config) -> Findings {
    let mut found = Findings::default();
    let mut check = |name: &'static str, outcome: Result<()>| {
        found.problems.extend(outcome.context(name).err());
    };
    check("data_dir", data_dir(&config.data_dir));
    check(
        "disk_reserve",
        reserve(&config.data_dir, config.disk_reserve.0),
    );
    if let Some(folder) = &config.code_cache {
        check("code_cache", code_cache(folder));
    }
    if let Some(url) = &config.database_url {
        check("database_url", database(url));
    }
    check("blobs", BlobStore::prove(&BucketOptions::from(config)));
    check("manifest", application(config));
    check("tls_cert, tls_key", super::tls(config).map(drop));
    check("app_keys", app_keys(config));
    check("push_service", parts::push_service(config).map(drop));
    check(
        "identity_providers",
        identity::providers(config.identity_providers.as_deref()).map(drop),
    );
    check("mail", parts::mailer(config, "http://localhost").map(drop));
    let ops = config.ops_listen.and_then(|ops| ops.0);
    for (name, address) in [("listen", Some(config.listen)), ("ops_listen", ops)] {
        match address.map(listens) {
            None | Some(Ok(None)) => {}
            Some(Ok(Some(note))) => found.notes.push(format!("{name}: {note}")),
            Some(Err(error)) => found.problems.push(error.context(name)),
        }
    }
    found.notes.extend(too_wide(config));
    found
}

/// Whether the listed keys can verify signatures.
pub(super) fn app_keys(config: &Config) -> Result<()> {
    let keys = AppKeys::parse(&config.app_keys.to_string());
    keys.map(drop).map_err(|error| anyhow!(error))
}

/// Networks that are every address there is.
fn too_wide(config: &Config) -> Vec<String> {
    let options = [
        (
            "trusted_proxies",
            &config.trusted_proxies,
            "any client can then name another address as its own",
        ),
        (
            "bot_networks",
            &config.bot_networks,
            "users who may create bots can then send requests to this machine and all that it reaches",
        ),
    ];
    let all = options.into_iter().flat_map(|(name, networks, what)| {
        let wide = networks.0.iter().filter(|one| one.prefix_len() == 0);
        wide.map(move |one| format!("{name}: {one} is every address: {what}"))
    });
    all.collect()
}

/// The data directory, which the server must own.
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

/// The directory itself, or the nearest existing parent.
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

/// The reserve must not exceed the size of the disk.
fn reserve(folder: &Path, reserve: u64) -> Result<()> {
    // Problems of the directory are reported by the other checks.
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

/// The database of a server.
fn database(url: &DatabaseUrl) -> Result<()> {
    match Location::examine(url) {
        Ok(_) => Ok(()),
        Err(error) => bail!("{url}: {}", error.reason()),
    }
}

/// The manifest and the components that it names.
fn application(config: &Config) -> Result<()> {
    let (manifest, files) = Files::of_application(config.manifest.as_deref())
        .context("cannot read this program's file")?;
    let variables = parts::variables(config, "token", "http://localhost");
    let room = Shares::of(config.memory_budget.0).transfers;
    check_application(&manifest, &files, variables, room)?;
    Ok(())
}

/// Checks whether the server can listen on the address; returns a note, or an error when this machine
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

/// A note for failures to listen that are not errors of the configuration.
fn remark(address: SocketAddr, why: ErrorKind) -> Option<&'static str> {
    const FIRST_FOR_EVERYBODY: u16 = 1024;
    match why {
        ErrorKind::AddrInUse => Some("another program listens there, perhaps this server"),
        // The service has a capability that this command lacks, even as the same user.
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
        // An address reserved for documentation: no machine has it.
        assert!(listens("192.0.2.1:3000".parse().unwrap()).is_err());
    }
}
