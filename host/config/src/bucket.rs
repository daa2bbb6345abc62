//! The bucket of an S3-compatible service in which files are kept, and the secret that opens it.
//!
//! Owns the form of its URL, how the secret is shown, and which options belong together. Never connects.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::ValueParser;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::readable::Readable;
use super::values::BaseUrl;

/// A bucket, and what the names of all objects in it begin with: `s3://BUCKET/PREFIX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketUrl {
    bucket: String,
    prefix: String,
}

impl BucketUrl {
    /// Name of the bucket.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Segments joined by `/`, or empty.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }
}

impl FromStr for BucketUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            name.bytes().all(is_allowed) && name.bytes().any(|byte| byte != b'.')
        };
        let (bucket, prefix) = text
            .strip_prefix("s3://")
            .map(|rest| rest.split_once('/').unwrap_or((rest, "")))
            .unwrap_or_default();
        let prefix = prefix.trim_end_matches('/');
        let prefix_is_fine = prefix.is_empty() || prefix.split('/').all(is_name);
        if is_name(bucket) && prefix_is_fine && prefix.len() <= 256 {
            return Ok(Self {
                bucket: bucket.to_owned(),
                prefix: prefix.to_owned(),
            });
        }
        Err(format!(
            "`{text}` is not of the form s3://BUCKET or s3://BUCKET/PREFIX, of letters, digits, `.`, `_` and `-`"
        ))
    }
}

impl fmt::Display for BucketUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.prefix.is_empty() { "" } else { "/" };
        write!(formatter, "s3://{}{separator}{}", self.bucket, self.prefix)
    }
}

impl<'de> Deserialize<'de> for BucketUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl Serialize for BucketUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Readable for BucketUrl {
    const FORM: &'static str = "a URL such as \"s3://BUCKET\" or \"s3://BUCKET/PREFIX\"";

    fn parser() -> ValueParser {
        ValueParser::new(|text: &str| text.parse::<Self>())
    }
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(not shown)")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Readable for Secret {
    const FORM: &'static str = "a text in quotation marks";
    const IS_SECRET: bool = true;

    fn parser() -> ValueParser {
        ValueParser::new(|text: &str| text.parse::<Self>())
    }
}

/// The options of files in a bucket, as `spindle events` takes them too.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct BucketOptions {
    /// The bucket in which files are kept, of a service that speaks S3; without it, they are in a folder next to the
    /// database.
    #[arg(long, value_name = "URL", env = "SPINDLE_BLOBS")]
    pub blobs: Option<BucketUrl>,
    /// The address of the service; without it, Amazon S3 in the region.
    #[arg(long, value_name = "URL", env = "SPINDLE_BLOBS_ENDPOINT")]
    pub blobs_endpoint: Option<BaseUrl>,
    /// The region of the bucket.
    #[arg(
        long,
        value_name = "REGION",
        env = "SPINDLE_BLOBS_REGION",
        default_value = "us-east-1"
    )]
    pub blobs_region: String,
    /// The id of the access key.
    #[arg(long, value_name = "ID", env = "SPINDLE_BLOBS_ACCESS_KEY")]
    pub blobs_access_key: Option<String>,
    /// The secret that goes with it; a variable shows it to fewer than a flag.
    #[arg(
        long,
        value_name = "SECRET",
        env = "SPINDLE_BLOBS_SECRET_KEY",
        hide_env_values = true
    )]
    pub blobs_secret_key: Option<Secret>,
    /// File with that secret, instead.
    #[arg(long, value_name = "FILE", env = "SPINDLE_BLOBS_SECRET_KEY_FILE")]
    pub blobs_secret_key_file: Option<PathBuf>,
    /// Whether the bucket is in the path of requests (http://HOST/BUCKET) or in the name of the host.
    #[arg(
        long,
        value_name = "BOOLEAN",
        env = "SPINDLE_BLOBS_PATH_STYLE",
        default_value_t = true,
        value_parser = bool::parser(),
        action = clap::ArgAction::Set
    )]
    pub blobs_path_style: bool,
    /// Certificates (PEM) that are trusted for the service, instead of the ones that browsers trust.
    #[arg(long, value_name = "FILE", env = "SPINDLE_BLOBS_CERTIFICATES")]
    pub blobs_certificates: Option<PathBuf>,
}

impl BucketOptions {
    /// Checks that the options belong together.
    ///
    /// # Errors
    /// Names the option that is missing, or of no use.
    pub fn check(&self) -> Result<(), String> {
        let (secret, file) = (&self.blobs_secret_key, &self.blobs_secret_key_file);
        if self.blobs.is_none() {
            for (name, is_given) in [
                ("blobs_endpoint", self.blobs_endpoint.is_some()),
                ("blobs_access_key", self.blobs_access_key.is_some()),
                ("blobs_secret_key", secret.is_some()),
                ("blobs_secret_key_file", file.is_some()),
                ("blobs_certificates", self.blobs_certificates.is_some()),
            ] {
                if is_given {
                    return Err(format!(
                        "{name} is of use only together with blobs, which names the bucket"
                    ));
                }
            }
            return Ok(());
        }
        if self.blobs_access_key.is_none() {
            return Err("blobs needs blobs_access_key".to_owned());
        }
        if secret.is_some() == file.is_some() {
            return Err("blobs needs either blobs_secret_key or blobs_secret_key_file".to_owned());
        }
        Ok(())
    }

    /// The secret of the access key, from the file where one is named.
    ///
    /// # Errors
    /// The file cannot be read, or there is no secret.
    pub fn secret(&self) -> Result<Secret, String> {
        let secret = match (&self.blobs_secret_key, &self.blobs_secret_key_file) {
            (Some(secret), _) => secret.clone(),
            (None, Some(file)) => read(file)?,
            (None, None) => return Err("blobs needs blobs_secret_key".to_owned()),
        };
        if secret.0.is_empty() {
            return Err("the secret of blobs_access_key is empty".to_owned());
        }
        Ok(secret)
    }
}

fn read(file: &Path) -> Result<Secret, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("blobs_secret_key_file: {}: {error}", file.display()))?;
    Ok(Secret(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_and_a_prefix() {
        for (url, bucket, prefix, shown) in [
            ("s3://files", "files", "", "s3://files"),
            ("s3://files/", "files", "", "s3://files"),
            (
                "s3://my.files-1/a/b_c/",
                "my.files-1",
                "a/b_c",
                "s3://my.files-1/a/b_c",
            ),
        ] {
            let read: BucketUrl = url.parse().unwrap();
            assert_eq!((read.bucket(), read.prefix()), (bucket, prefix));
            assert_eq!(read.to_string(), shown);
        }
        for url in [
            "",
            "files",
            "s3://",
            "s3:///x",
            "s3://a b",
            "s3://a/b//c",
            "s3://a/../b",
            "s3://a?x",
            "https://a/b",
        ] {
            assert!(url.parse::<BucketUrl>().is_err(), "{url}");
        }
    }

    fn options(text: &str) -> Result<BucketOptions, String> {
        let config = crate::load_text(crate::Options::default(), Path::new("x.toml"), text);
        config
            .map(|config| BucketOptions::from(&config))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn its_options_belong_together() {
        assert!(options("").unwrap().blobs.is_none());
        let key = "blobs = \"s3://x\"\nblobs_access_key = \"a\"\n";
        let whole = format!("{key}blobs_secret_key = \"hidden\"");
        let read = options(&whole).unwrap();
        assert_eq!(read.secret().unwrap().text(), "hidden");
        assert!(!format!("{read:?}").contains("hidden"));
        for (text, named) in [
            ("blobs_endpoint = \"http://x\"", "blobs_endpoint"),
            ("blobs_secret_key = \"hidden\"", "blobs_secret_key"),
            ("blobs = \"s3://x\"", "blobs_access_key"),
            (key, "blobs_secret_key_file"),
            (
                &format!("{whole}\nblobs_secret_key_file = \"y\""),
                "either blobs_secret_key",
            ),
        ] {
            let refusal = options(text).unwrap_err();
            assert!(refusal.contains(named), "{refusal}");
            assert!(!refusal.contains("hidden"), "{refusal}");
        }
    }

    #[test]
    fn the_secret_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let text = format!(
            "blobs = \"s3://x\"\nblobs_access_key = \"a\"\nblobs_secret_key_file = {file:?}"
        );
        let options = options(&text).unwrap();
        let refusal = options.secret().unwrap_err();
        assert!(refusal.contains("blobs_secret_key_file"), "{refusal}");
        std::fs::write(&file, " \n").unwrap();
        assert!(options.secret().unwrap_err().contains("empty"));
        std::fs::write(&file, "hidden\n").unwrap();
        assert_eq!(options.secret().unwrap().text(), "hidden");
    }
}
