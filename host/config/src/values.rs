//! Types of configuration values that are more than a number or a path.
//!
//! Every type is parsed from a flag (text) and from TOML, with errors that name the accepted forms.
//! Nothing here acts on a value.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An address to listen on, or `none` for no listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalAddress(pub Option<SocketAddr>);

impl FromStr for OptionalAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse()
            .map(|address| Self(Some(address)))
            .map_err(|_| {
                format!("`{text}` is neither an address such as 127.0.0.1:3001 nor `none`")
            })
    }
}

impl fmt::Display for OptionalAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(formatter),
            None => formatter.write_str("none"),
        }
    }
}

impl<'de> Deserialize<'de> for OptionalAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl Serialize for OptionalAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Networks, separated by commas on the command line, a list of strings in TOML.
/// A plain address is a network of one address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Networks(pub Vec<IpNet>);

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(network)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl<'de> Deserialize<'de> for Networks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer)?
            .iter()
            .map(|part| network(part))
            .collect::<Result<_, _>>()
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    text.parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| format!("`{text}` is neither a network such as 10.0.0.0/8 nor an address"))
}

/// A number of bytes; a text may have a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|sign: char| !sign.is_ascii_digit());
        let unit = match text[digits.len()..].trim() {
            "" | "B" => Some(1),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1 << 30),
            "TiB" => Some(1_u64 << 40),
            "kB" | "KB" => Some(1000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "TB" => Some(1_000_000_000_000),
            _ => None,
        };
        let number: Option<u64> = digits.parse().ok();
        let bytes = number
            .zip(unit)
            .and_then(|(number, unit)| number.checked_mul(unit));
        bytes.map(Self).ok_or_else(|| {
            format!("`{text}` is not a number of bytes such as 536870912, 512MiB or 2GB")
        })
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// When a committed change is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// Before the client is answered: nothing acknowledged is lost when the power fails.
    Full,
    /// Some time later: a power failure can lose the last acknowledged changes, never the
    /// consistency of the database. A crash of the process loses nothing either way.
    Normal,
}

/// The logging level, and levels of single modules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LogFilter(pub String);

impl FromStr for LogFilter {
    type Err = String;

    /// Refuses unknown words: the library would read them as module names and log nothing else.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut has_level = false;
        for part in text.split(',').map(str::trim) {
            let is_known = match part.split_once('=') {
                None => {
                    has_level = true;
                    is_level(part)
                }
                Some((module, level)) => is_module(module) && is_level(level),
            };
            if !is_known {
                return Err(format!(
                    "`{part}` is neither a level (error, warn, info, debug, trace, off) nor one of a module, such as spindle_host::front=debug"
                ));
            }
        }
        if !has_level {
            return Err(format!(
                "`{text}` has no level for everything else: write for example info,{text}"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

fn is_level(text: &str) -> bool {
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    levels.iter().any(|level| text.eq_ignore_ascii_case(level))
}

fn is_module(text: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "_:-".contains(sign);
    !text.is_empty() && text.chars().all(is_part)
}

impl<'de> Deserialize<'de> for LogFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One line of text, for people.
    Text,
    /// One JSON object a line, for machines.
    Json,
}

/// The address under which clients reach the server: http or https, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct BaseUrl(pub String);

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refusal = || {
            format!(
                "`{text}` is not of the form https://chat.example.org, without a path, query or slash at its end"
            )
        };
        let url: http::Uri = text.parse().map_err(|_| refusal())?;
        let known = matches!(url.scheme_str(), Some("http" | "https"));
        let bare = url.path() == "/" && url.query().is_none() && !text.ends_with('/');
        // A colon without a number behind it that a port can have.
        let host = url.host().unwrap_or_default();
        let named = url.authority().map_or("", http::uri::Authority::as_str);
        let bare = bare && (named == host || url.port_u16().is_some_and(|port| port > 0));
        if known && bare && url.host().is_some_and(|host| !host.is_empty()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(refusal())
        }
    }
}

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{BaseUrl, Bytes, LogFilter, Networks, OptionalAddress};

    #[test]
    fn an_address_or_none() {
        assert_eq!("none".parse(), Ok(OptionalAddress(None)));
        assert!("127.0.0.1:1".parse::<OptionalAddress>().is_ok());
        assert!("localhost".parse::<OptionalAddress>().is_err());
    }

    #[test]
    fn bytes_may_have_a_unit() {
        for (text, expected) in [
            ("1048576", 1 << 20),
            ("512MiB", 512 << 20),
            ("512 MiB", 512 << 20),
            ("2 GiB", 2 << 30),
            ("512MB", 512_000_000),
            ("0", 0),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(expected)), "{text}");
        }
        for text in [
            "",
            "MiB",
            "-1",
            "1.5 GiB",
            "512 megabytes",
            "512mib",
            "99999999999 TiB",
            "18446744073709551616",
        ] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn networks_and_single_addresses() {
        let networks: Networks = "10.0.0.0/8, ::1".parse().unwrap();
        assert_eq!(networks.0.len(), 2);
        assert_eq!("".parse(), Ok(Networks::default()));
        assert!("10.0.0.0/40".parse::<Networks>().is_err());
    }

    #[test]
    fn a_log_filter_has_a_level_and_no_unknown_words() {
        for good in [
            "info",
            "WARN",
            "off",
            "info,spindle_host::front=debug",
            "guest=off, error",
        ] {
            assert!(good.parse::<LogFilter>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "chatty",
            "verbose,info",
            "info,",
            "info,=debug",
            "spindle_host=loud,info",
            "spindle_host=debug",
        ] {
            let refusal = bad.parse::<LogFilter>().unwrap_err();
            assert!(refusal.contains("level"), "{refusal}");
        }
    }

    #[test]
    fn a_base_url_has_nothing_after_the_host() {
        for good in [
            "https://chat.example.org",
            "http://127.0.0.1:3000",
            "http://[::1]:3000",
        ] {
            assert!(good.parse::<BaseUrl>().is_ok(), "{good}");
        }
        for bad in [
            "chat.example.org",
            "ftp://a",
            "https://a/",
            "https://a/b",
            "https://a?b",
            "https://a:",
            "https://a:0",
            "https://a:99999",
            "https://user@a",
            "https://",
        ] {
            assert!(bad.parse::<BaseUrl>().is_err(), "{bad}");
        }
    }
}
