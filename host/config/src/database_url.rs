//! The URL of a database on a PostgreSQL server: a secret.
//!
//! Owns the part that the driver reads, the certificates that it names, and how it is shown. Never connects.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use postgres::config::Host;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where PostgreSQL listens unless the URL says otherwise.
const PORT: u16 = 5432;

/// What every connection uses unless the URL says otherwise. A server that has lost its role takes no statement. One that is gone
/// without a word is noticed after ten seconds, be a statement sent or awaited; the system's defaults are hours.
const DEFAULTS: [(&str, &str); 5] = [
    ("target_session_attrs", "read-write"),
    ("tcp_user_timeout", "10"),
    ("keepalives_idle", "5"),
    ("keepalives_interval", "2"),
    ("keepalives_retries", "3"),
];

/// The URL of a database of a PostgreSQL server. Shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl {
    url: String,
    root: Option<PathBuf>,
}

impl DatabaseUrl {
    /// The URL with its password, as the driver reads it.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.url
    }

    /// The URL with its password and its certificates, to be parsed again.
    #[must_use]
    pub fn whole(&self) -> String {
        let Some(root) = &self.root else {
            return self.url.clone();
        };
        let sign = if self.url.contains('?') { '&' } else { '?' };
        let root = utf8_percent_encode(&root.to_string_lossy(), NON_ALPHANUMERIC).to_string();
        format!("{}{sign}sslrootcert={root}", self.url)
    }

    /// The file of trusted certificates (`sslrootcert`); `None` means the ones that browsers trust.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Its servers as the manifest names hosts that components may reach, separated by commas.
    #[must_use]
    pub fn hosts(&self) -> String {
        let Ok(config) = self.url.parse::<postgres::Config>() else {
            return String::new();
        };
        let ports = config.get_ports();
        let hosts = config.get_hosts().iter().enumerate();
        let hosts = hosts.filter_map(|(place, host)| match host {
            Host::Tcp(name) => {
                let port = ports.get(place).or(ports.first()).unwrap_or(&PORT);
                Some(format!("postgres://{name}:{port}"))
            }
            // Components reach no sockets of the file system.
            _ => None,
        });
        hosts.collect::<Vec<_>>().join(",")
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_url = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        let read = for_driver(text);
        // The text may hold a password, so it is not repeated.
        let refused = |reason: &str| {
            let text =
                "the URL of the database is none such as postgres://USER:PASSWORD@HOST/DATABASE";
            Err(format!("{text}{reason}"))
        };
        let Some(config) = is_url
            .then(|| read.url.parse::<postgres::Config>().ok())
            .flatten()
        else {
            return refused("");
        };
        let hosts = config.get_hosts();
        if hosts.iter().any(|host| !matches!(host, Host::Tcp(_))) {
            return refused(
                ": it names a Unix socket, and components reach PostgreSQL over TCP only; name a host such as 127.0.0.1",
            );
        }
        if hosts.is_empty() {
            return refused(": it names no host");
        }
        Ok(read)
    }
}

/// Takes out what the driver does not read: the file of certificates, and the modes that verify them.
/// A certificate is always verified, so these modes are the driver's `require`. Adds the defaults.
fn for_driver(text: &str) -> DatabaseUrl {
    let (address, parameters) = text.split_once('?').unwrap_or((text, ""));
    let (mut kept, mut root) = (Vec::new(), None);
    for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
        match parameter.split_once('=') {
            Some(("sslrootcert", file)) => {
                let file = percent_decode_str(file).decode_utf8_lossy();
                root = (file != "system").then(|| PathBuf::from(&*file));
            }
            Some(("sslmode", "verify-ca" | "verify-full")) => {
                kept.push("sslmode=require".to_owned());
            }
            _ => kept.push(parameter.to_owned()),
        }
    }
    for (name, value) in DEFAULTS {
        let names = |parameter: &String| parameter.split('=').next() == Some(name);
        if !kept.iter().any(names) {
            kept.push(format!("{name}={value}"));
        }
    }
    let url = format!("{address}?{}", kept.join("&"));
    DatabaseUrl { url, root }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.url.split_once("://") else {
            return Ok(());
        };
        // Parameters may hold a password, too.
        let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
        match rest.rsplit_once('@') {
            Some((account, host)) => {
                let name = account.split_once(':').map_or(account, |(name, _)| name);
                write!(formatter, "{scheme}://{name}@{host}")
            }
            None => write!(formatter, "{scheme}://{rest}"),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl<'de> Deserialize<'de> for DatabaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_database_is_shown_without_its_password() {
        for (url, shown, hosts) in [
            (
                "postgres://u:secret@db.example.org/x",
                "postgres://u@db.example.org/x",
                "postgres://db.example.org:5432",
            ),
            (
                "postgres://u:secret@a:7,b:8/x?target_session_attrs=read-write",
                "postgres://u@a:7,b:8/x",
                "postgres://a:7,postgres://b:8",
            ),
            (
                "postgresql://h/x?user=u&password=secret",
                "postgresql://h/x",
                "postgres://h:5432",
            ),
        ] {
            let read: DatabaseUrl = url.parse().unwrap();
            assert!(read.secret().starts_with(url));
            assert_eq!(read.root(), None);
            assert_eq!(
                (read.to_string(), read.hosts()),
                (shown.into(), hosts.into())
            );
            assert!(!format!("{read:?}").contains("secret"));
        }
        for url in [
            "",
            "host=secret",
            "mysql://secret@h/x",
            "postgres://secret@h:port/x",
            "postgres://secret@h/x?sslmode=maybe",
            "postgres:///x?host=/run/postgresql&password=secret",
            "postgres://secret@%2Frun%2Fpostgresql/x",
            "postgres://u:secret@/x",
            "postgres://secret@h,%2Frun%2Fpostgresql/x",
        ] {
            let refused = url.parse::<DatabaseUrl>().unwrap_err();
            assert!(!refused.contains("secret"), "{refused}");
        }
        let socket = "postgres:///x?host=/run/postgresql".parse::<DatabaseUrl>();
        assert!(socket.unwrap_err().contains("Unix socket"));
    }

    fn defaults() -> String {
        let all = DEFAULTS.map(|(name, value)| format!("{name}={value}"));
        all.join("&")
    }

    #[test]
    fn a_lost_server_is_noticed_unless_the_url_says_otherwise() {
        let url: DatabaseUrl = "postgres://u@h/x".parse().unwrap();
        assert_eq!(url.secret(), format!("postgres://u@h/x?{}", defaults()));
        let config: postgres::Config = url.secret().parse().unwrap();
        let ten_seconds = Duration::from_secs(10);
        assert_eq!(config.get_tcp_user_timeout(), Some(&ten_seconds));
        let url = "postgres://u@h/x?tcp_user_timeout=60&target_session_attrs=any";
        let url: DatabaseUrl = url.parse().unwrap();
        assert!(!url.secret().contains("=10&"), "{}", url.secret());
        assert!(!url.secret().contains("read-write"), "{}", url.secret());
    }

    #[test]
    fn certificates_are_not_the_drivers() {
        for (parameters, kept, root) in [
            ("sslmode=verify-full", "sslmode=require&", None),
            ("sslrootcert=%2Fetc%2Fca.pem", "", Some("/etc/ca.pem")),
            (
                "sslrootcert=system&sslmode=verify-ca&connect_timeout=3",
                "sslmode=require&connect_timeout=3&",
                None,
            ),
        ] {
            let given = format!("postgres://u@h/x?{parameters}&{}", defaults());
            let read: DatabaseUrl = given.parse().unwrap();
            assert_eq!(
                read.secret(),
                format!("postgres://u@h/x?{kept}{}", defaults())
            );
            assert_eq!(read.root(), root.map(Path::new));
            assert_eq!(read.whole().parse(), Ok(read));
        }
    }
}
