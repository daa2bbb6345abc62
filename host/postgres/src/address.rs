//! The address of a server, as a guest writes it, and whether the manifest allows it.

use spindle_bindings::spin::postgres::postgres::Error;
use spindle_manifest::AllowedHosts;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The port where the address names none.
const DEFAULT_PORT: u16 = 5432;
/// Longest time for a connection to be made, where the address does not say.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A server, an account and its password: a secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address {
    text: String,
    pub(super) root: Option<String>,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// `ConnectionFailed` when it cannot be read; the text does not repeat it.
    pub fn parse(text: &str, root: Option<&str>) -> Result<Self, Error> {
        let address = Self {
            text: text.to_owned(),
            root: root.map(str::to_owned),
        };
        address.config().map(|_| address)
    }

    pub(super) fn config(&self) -> Result<Config, Error> {
        let mut config: Config = self
            .text
            .parse()
            .map_err(|error: tokio_postgres::Error| Error::ConnectionFailed(error.to_string()))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        Ok(config)
    }

    /// Whether all of its hosts are allowed: the driver may choose any of them.
    ///
    /// # Errors
    /// `ConnectionFailed` names the first that is not.
    pub(super) fn require_allowed(&self, allowed: &AllowedHosts) -> Result<(), Error> {
        let config = self.config()?;
        let refused = |host: &str| {
            let reason = format!("address postgres://{host} is not permitted");
            Err(Error::ConnectionFailed(reason))
        };
        // An address in place of a name is where the driver connects.
        if !config.get_hostaddrs().is_empty() || config.get_hosts().is_empty() {
            return refused("(no host name)");
        }
        let ports = config.get_ports();
        for (place, host) in config.get_hosts().iter().enumerate() {
            let Host::Tcp(name) = host else {
                let reason = "components reach no Unix sockets".to_owned();
                return Err(Error::ConnectionFailed(reason));
            };
            let port = ports
                .get(place)
                .or(ports.first().filter(|_| ports.len() == 1));
            let port = port.copied().unwrap_or(DEFAULT_PORT);
            if !allowed.allows("postgres", &name.to_ascii_lowercase(), port) {
                return refused(&format!("{name}:{port}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(address: &str, allowed: &str) -> Result<(), String> {
        let allowed = AllowedHosts::parse(&[allowed]).unwrap();
        Address::parse(address, None)
            .and_then(|address| address.require_allowed(&allowed))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_host_must_be_allowed() {
        let own = "postgres://db.example.org:5432";
        for (address, allowed) in [
            ("postgres://u:p@db.example.org/x", own),
            ("host=db.example.org user=u", own),
            ("postgresql://u@DB.example.org:5432/x", own),
            ("postgres://u@a:7,b:7/x", "postgres://*:7"),
            ("postgres://u@db.example.org/x", "postgres://db.example.org"),
        ] {
            assert_eq!(outcome(address, allowed), Ok(()), "{address}");
        }
        for (address, allowed) in [
            ("postgres://u:p@other.example.org/x", own),
            ("postgres://u:p@db.example.org:5433/x", own),
            ("postgres://u@db.example.org,other.example.org/x", own),
            ("host=db.example.org hostaddr=10.0.0.1 user=u", own),
            ("host=/run/postgresql user=u", "*://*:*"),
            ("user=u", "*://*:*"),
            (
                "postgres://u@db.example.org/x",
                "http://db.example.org:5432",
            ),
            ("no address", "*://*:*"),
        ] {
            assert!(outcome(address, allowed).is_err(), "{address}");
        }
    }

    #[test]
    fn a_refusal_does_not_repeat_the_password() {
        for address in ["postgres://u:secret@h/x", "postgres://u:secret@h:port/x"] {
            let refused = outcome(address, "http://self").unwrap_err();
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
