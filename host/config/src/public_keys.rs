//! The keys of those who sign apps, as options have them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// Public keys, separated by commas on the command line, a list of strings in TOML. Each has 64 hexadecimal digits, perhaps
/// with a name before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PublicKeys(pub Vec<String>);

impl FromStr for PublicKeys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim);
        let keys = parts.filter(|part| !part.is_empty()).map(public_key);
        keys.collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for PublicKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(","))
    }
}

impl<'de> Deserialize<'de> for PublicKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Vec::<String>::deserialize(deserializer)?;
        let keys = parts.iter().map(|part| public_key(part));
        let keys = keys.collect::<Result<_, _>>().map(Self);
        keys.map_err(serde::de::Error::custom)
    }
}

fn public_key(text: &str) -> Result<String, String> {
    let digits = text.rsplit_once('=').map_or(text, |(_, digits)| digits);
    let is_key = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_key || text.contains(',') {
        return Err(format!(
            "`{text}` is not a public key of 64 hexadecimal digits, with or without a name such as build= before it"
        ));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::PublicKeys;

    #[test]
    fn public_keys_have_64_digits() {
        let digits = "0a".repeat(32);
        let keys: PublicKeys = format!("{digits}, build={digits}").parse().unwrap();
        assert_eq!(keys.to_string(), format!("{digits},build={digits}"));
        assert_eq!("".parse(), Ok(PublicKeys::default()));
        for wrong in [
            "x".to_owned(),
            format!("{digits}0"),
            format!("{digits}=build"),
        ] {
            assert!(wrong.parse::<PublicKeys>().is_err(), "{wrong}");
        }
    }
}
