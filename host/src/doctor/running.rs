//! The server that runs on the files: its version, its process, and its listening addresses.
//!
//! It is identified by the lock that it holds and by its process in `/proc`, so this works for any
//! flags it was started with.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use super::probe::{self, Answer};
use super::report::Finding;
use spindle_config::address::reachable;
use spindle_config::claim::holder;
use spindle_config::data_dir::DataDir;

const NAME: &str = "server";

/// A running server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Running {
    /// Its own description.
    pub(super) description: String,
    pub(super) version: Option<String>,
    pub(super) process: Option<u32>,
    /// Addresses that its process listens on, as far as the system shows them to this user.
    pub(super) listens: Vec<SocketAddr>,
}

/// Finds the server that runs on the files.
pub(super) fn check(data: &DataDir) -> (Option<Running>, Finding) {
    match holder(data.path()) {
        Ok(Some(description)) => {
            let mut running = Running::read(&description);
            if let Some(process) = running.process {
                running.listens = listeners(process);
            }
            let finding = Finding::ok(NAME, format!("{description} runs"));
            (Some(running), finding)
        }
        Ok(None) => {
            let found = format!("no server runs on {}", data.path().display());
            let advice = "start it (systemctl start spindle), and run this again";
            (None, Finding::warning(NAME, found, advice))
        }
        Err(error) => {
            let found = format!("{}: {error}", data.path().display());
            let advice = "run this as the account that the server runs as";
            (None, Finding::error(NAME, found, advice))
        }
    }
}

impl Running {
    /// Reads `spindle serve 0.1.0, process 17`; earlier versions say less.
    fn read(description: &str) -> Self {
        let (program, process) = match description.split_once(", process ") {
            Some((program, process)) => (program, process.parse().ok()),
            None => (description, None),
        };
        let version = program.rsplit_once(' ').map(|(_, version)| version);
        let is_version = |text: &&str| text.starts_with(|sign: char| sign.is_ascii_digit());
        Self {
            description: description.to_owned(),
            version: version.filter(is_version).map(str::to_owned),
            process,
            listens: Vec::new(),
        }
    }

    /// A file of the process in `/proc`.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        let process = self.process?;
        Some(PathBuf::from(format!("/proc/{process}/{name}")))
    }

    /// Calls the server on the socket that it serves clients on.
    pub(super) async fn ask(&self) -> Option<Answer> {
        for address in &self.listens {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{}", reachable(*address));
                if let Ok(answer) = probe::ask(&url, probe::SETTINGS).await
                    && answer.epoch().is_some()
                {
                    return Some(answer);
                }
            }
        }
        None
    }
}

/// Addresses that a process listens on; empty when the system does not show them to this user.
fn listeners(process: u32) -> Vec<SocketAddr> {
    let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else {
        return Vec::new();
    };
    let sockets: HashSet<String> = files
        .flatten()
        .filter_map(|file| fs::read_link(file.path()).ok())
        .filter_map(|target| {
            let target = target.to_str()?;
            let inode = target.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect();
    ["tcp", "tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(format!("/proc/{process}/net/{table}")).ok())
        .flat_map(|table| listening(&table, &sockets))
        .collect()
}

/// The listening sockets with these numbers in a table of `/proc/net`.
fn listening(table: &str, sockets: &HashSet<String>) -> Vec<SocketAddr> {
    const LISTEN: &str = "0A";
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| {
            let mut columns = line.split_whitespace().skip(1);
            let (local, state) = (columns.next()?, columns.nth(1)?);
            let inode = columns.nth(5)?;
            let is_meant = state == LISTEN && sockets.contains(inode);
            is_meant.then(|| socket(local)).flatten()
        })
        .collect()
}

/// Parses `0100007F:0BB8`: words in the machine's byte order, and the port.
fn socket(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::new();
    for at in (0..address.len()).step_by(8) {
        let word = u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let address: IpAddr = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => Ipv4Addr::from(four).into(),
        Err(_) => Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into(),
    };
    Some(SocketAddr::new(address, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_describes_itself() {
        let running = Running::read("spindle serve 0.1.0, process 17");
        assert_eq!(running.version.as_deref(), Some("0.1.0"));
        assert_eq!(running.process, Some(17));
        let early = Running::read("spindle serve");
        assert_eq!((early.version, early.process), (None, None));
    }

    #[test]
    fn this_process_listens_where_it_does() {
        let kept = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let found = listeners(std::process::id());
        assert!(found.contains(&kept.local_addr().unwrap()), "{found:?}");
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn tables_of_the_system_are_read() {
        let table = "  sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n\
            0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 77 1 0\n\
            1: 0100007F:0BB9 00000000:0000 01 00000000:00000000 00:00000000 00000000 0 0 78 1 0\n\
            2: 00000000000000000000000001000000:01BB 0:0 0A 0:0 00:0 0 0 0 79 1 0\n";
        let all: HashSet<String> = ["77", "78", "79"].map(str::to_owned).into();
        let expected: [SocketAddr; 2] =
            ["127.0.0.1:3000", "[::1]:443"].map(|text| text.parse().unwrap());
        assert_eq!(listening(table, &all), expected);
        assert!(listening(table, &HashSet::new()).is_empty());
    }
}
