//! Parsing of single values from flags and TOML, with errors that describe the expected form.
//!
//! Owns those descriptions. `bounds` and `check` decide whether a value is allowed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{EnumValueParser, ValueParser};
use serde::Deserialize as _;
use serde::de::{DeserializeOwned, Deserializer, Error as _};

use super::database_url::DatabaseUrl;
use super::public_keys::PublicKeys;
use super::values::{BaseUrl, Bytes, LogFilter, LogFormat, Networks, OptionalAddress, Synchronous};

/// A type that options can have.
pub trait Readable: Sized + DeserializeOwned {
    /// The expected form in a file, for errors.
    const FORM: &'static str;
    /// Whether errors leave the value out.
    const IS_SECRET: bool = false;

    /// Parses a flag or an environment variable.
    fn parser() -> ValueParser;
}

/// Parses a value of a file.
///
/// # Errors
/// The value has another type or form.
pub(super) fn plainly<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Readable,
{
    let value = toml::Value::deserialize(deserializer)?;
    let refusal = |_| {
        D::Error::custom(match T::IS_SECRET {
            true => format!("expected {}", T::FORM),
            false => format!("expected {}, not {value}", T::FORM),
        })
    };
    T::deserialize(value.clone()).map(Some).map_err(refusal)
}

/// Types whose own parse errors are not helpful.
macro_rules! plain {
    ($($type:ty: $form:literal;)+) => { $(
        impl Readable for $type {
            const FORM: &'static str = $form;

            fn parser() -> ValueParser {
                let read = |text: &str| -> Result<$type, &'static str> {
                    text.parse().map_err(|_| concat!("expected ", $form))
                };
                ValueParser::new(read)
            }
        }
    )+ };
}

plain! {
    SocketAddr: "an address with a port, such as \"127.0.0.1:3000\" or \"[::]:443\"";
    u16: "a whole number from 0 to 65535";
    u32: "a whole number from 0 to 4294967295";
    u64: "a whole number";
    usize: "a whole number";
    bool: "true or false";
}

/// Types whose own parse errors describe the accepted forms.
macro_rules! telling {
    ($($type:ty: $form:literal;)+) => { $(
        impl Readable for $type {
            const FORM: &'static str = $form;

            fn parser() -> ValueParser {
                ValueParser::new(|text: &str| text.parse::<$type>())
            }
        }
    )+ };
}

telling! {
    OptionalAddress: "an address with a port, such as \"127.0.0.1:3001\", or \"none\"";
    Bytes: "a whole number of bytes, such as 536870912 or \"512 MiB\"";
    Networks: "a list of networks and addresses, such as [\"10.0.0.0/8\", \"::1\"]";
    PublicKeys: "a list of public keys, each with 64 hexadecimal digits";
    BaseUrl: "an address such as \"https://chat.example.org\", without a path, query or slash at its end";
    LogFilter: "a level (error, warn, info, debug, trace, off) and, behind it, levels of modules, such as \"info,spindle_host::front=debug\"";
}

impl Readable for DatabaseUrl {
    const FORM: &'static str =
        "a URL such as \"postgres://spindle:PASSWORD@db.example.org/spindle\"";
    const IS_SECRET: bool = true;

    fn parser() -> ValueParser {
        ValueParser::new(|text: &str| text.parse::<Self>())
    }
}

impl Readable for String {
    const FORM: &'static str = "a text in quotation marks";

    fn parser() -> ValueParser {
        ValueParser::string()
    }
}

impl Readable for PathBuf {
    const FORM: &'static str = "a path in quotation marks";

    fn parser() -> ValueParser {
        ValueParser::path_buf()
    }
}

/// The names are shown next to the flag.
fn names<T: ValueEnum + Clone + Send + Sync + 'static>() -> ValueParser {
    EnumValueParser::<T>::new().into()
}

impl Readable for Synchronous {
    const FORM: &'static str = "\"full\" or \"normal\"";

    fn parser() -> ValueParser {
        names::<Self>()
    }
}

impl Readable for LogFormat {
    const FORM: &'static str = "\"text\" or \"json\"";

    fn parser() -> ValueParser {
        names::<Self>()
    }
}
