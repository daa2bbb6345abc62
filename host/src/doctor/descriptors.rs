//! Whether the limit of open files is high enough for the configured number of clients.

use rustix::process::{Resource, getrlimit};

use super::{Finding, Scene};

const NAME: &str = "open files";
/// Files that the server opens besides connections: databases, files being sent, calls.
const OTHERS: u64 = 512;

/// Checks the limit of the running server, else of this process.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let of_server = scene
        .server
        .as_ref()
        .and_then(|server| server.file("limits"))
        .and_then(|path| std::fs::read_to_string(path).ok())
        .and_then(|limits| read(&limits));
    let limit = match of_server {
        Some(limit) => limit,
        None => getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
    };
    vec![judge(limit, scene.config.max_connections as u64)]
}

fn judge(limit: u64, connections: u64) -> Finding {
    let wanted = connections.saturating_add(OTHERS);
    if limit < wanted {
        return Finding::warning(
            NAME,
            format!("{limit} are allowed, and {connections} clients may come (max_connections)"),
            format!(
                "raise the limit to {wanted} or more (LimitNOFILE, ulimit -n), or lower max_connections"
            ),
        );
    }
    Finding::ok(NAME, format!("enough for {connections} clients"))
}

/// The soft limit in `/proc/<process>/limits`.
fn read(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn the_limit_has_to_be_above_the_clients() {
        assert_eq!(judge(65_536, 16_384).level, Level::Ok);
        assert_eq!(judge(16_384, 16_384).level, Level::Warning);
        let own = std::fs::read_to_string("/proc/self/limits").unwrap();
        assert_eq!(
            read(&own),
            Some(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
        );
        let text = "Limit  Soft  Hard  Units\nMax open files            1024                 4096                 files\n";
        assert_eq!(read(text), Some(1024));
        assert_eq!(
            read("Max open files  unlimited  unlimited  files"),
            Some(u64::MAX)
        );
    }
}
