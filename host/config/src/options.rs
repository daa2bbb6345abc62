//! The table of all options: name, meaning, default; the only place that lists them.
//!
//! It generates the flags of `spindle serve`, the environment variables, the keys of the TOML file,
//! the defaults and the text of `spindle config example`. Must not read files or decide precedence.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bucket::{BucketOptions, BucketUrl, Secret};
use super::database_url::DatabaseUrl;
use super::mail::{MailOptions, MailTls};
use super::public_keys::PublicKeys;
use super::readable::{Readable, plainly};
use super::values::{BaseUrl, Bytes, LogFilter, LogFormat, Networks, OptionalAddress, Synchronous};

/// The documentation of one option.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Name in TOML; with hyphens it is the flag.
    pub name: &'static str,
    /// Its description, one element for each line, each with the leading space of a comment.
    pub lines: &'static [&'static str],
    /// The default, or an example where there is no default; written as TOML.
    pub value: &'static str,
    /// False: `value` is only an example, and the option is unset by default.
    pub has_default: bool,
    /// The environment variable that sets it.
    pub environment: &'static str,
}

macro_rules! held_as {
    (default, $type:ty) => { $type };
    (example, $type:ty) => { Option<$type> };
}

macro_rules! resolved {
    (default, $value:expr, $name:ident) => {
        $value.ok_or(concat!("the option ", stringify!($name), " has no value"))?
    };
    (example, $value:expr, $name:ident) => {
        $value
    };
}

macro_rules! has_default {
    (default) => {
        true
    };
    (example) => {
        false
    };
}

macro_rules! options {
    ($( $(#[doc = $doc:literal])+ $name:ident: $type:ty, $kind:ident $value:literal, $environment:literal, $placeholder:literal; )+) => {
        /// Options from one source; an option that it does not set is `None`.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, clap::Args)]
        #[serde(deny_unknown_fields)]
        #[group(skip)]
        pub struct Options {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    env = $environment,
                    value_name = $placeholder,
                    hide_env_values = true,
                    value_parser = <$type as Readable>::parser()
                )]
                #[serde(
                    default,
                    deserialize_with = "plainly",
                    skip_serializing_if = "Option::is_none"
                )]
                pub $name: Option<$type>,
            )+
        }

        impl Options {
            /// These options, with those of `other` where they are unset.
            pub fn or(self, other: Self) -> Self {
                Self { $( $name: self.$name.or(other.$name), )+ }
            }

            /// The configuration, once every option with a default has a value.
            ///
            /// # Errors
            /// Names the first option without a value.
            pub fn resolve(self) -> Result<Config, &'static str> {
                Ok(Config { $( $name: resolved!($kind, self.$name, $name), )+ })
            }
        }

        /// The configuration that the server runs with.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct Config {
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "is_unset")]
                pub $name: held_as!($kind, $type),
            )+
        }

        /// All options in the order of the table.
        pub const TABLE: &[Described] = &[ $(
            Described {
                name: stringify!($name),
                lines: &[$($doc),+],
                value: $value,
                has_default: has_default!($kind),
                environment: $environment,
            },
        )+ ];
    };
}

/// Whether an option is absent and thus not shown.
fn is_unset<T: Serialize>(value: &T) -> bool {
    serde_json::to_value(value).is_ok_and(|value| value.is_null())
}

options! {
    /// Address that clients connect to.
    listen: SocketAddr, default "\"127.0.0.1:3000\"", "SPINDLE_LISTEN", "ADDRESS";
    /// Directory of all data of the server: databases, blobs, compiled components, its internal
    /// token. Created with mode 0700.
    data_dir: PathBuf, default "\"./data\"", "SPINDLE_DATA_DIR", "DIRECTORY";
    /// The database, on a PostgreSQL server: postgres://USER:PASSWORD@HOST/DATABASE. Without it, files in
    /// the data directory. Everybody who knows it can change everything, so prefer the environment.
    /// Not complete yet: of `spindle admin` only user, invite, organization, quota, import, move and check
    /// work there.
    database_url: DatabaseUrl, example "\"postgres://spindle@db.example.org/spindle\"", "SPINDLE_DATABASE_URL", "URL";
    /// The bucket in which files are kept, of a service that speaks S3: s3://BUCKET or s3://BUCKET/PREFIX;
    /// together with blobs_access_key and its secret. Without it, files are in "blobs" in the data
    /// directory.
    blobs: BucketUrl, example "\"s3://spindle-files\"", "SPINDLE_BLOBS", "URL";
    /// The address of the service; without it, Amazon S3 in the region.
    blobs_endpoint: BaseUrl, example "\"https://s3.example.org\"", "SPINDLE_BLOBS_ENDPOINT", "URL";
    /// The region of the bucket; most other services accept any.
    blobs_region: String, default "\"us-east-1\"", "SPINDLE_BLOBS_REGION", "REGION";
    /// The id of an access key that may put, get, delete and list objects in the bucket.
    blobs_access_key: String, example "\"GK31c2f218a2e44f485b94239e\"", "SPINDLE_BLOBS_ACCESS_KEY", "ID";
    /// The secret that goes with it. All files can be read and changed with it, so prefer the environment.
    blobs_secret_key: Secret, example "\"...\"", "SPINDLE_BLOBS_SECRET_KEY", "SECRET";
    /// File with that secret, instead, which only the server should be able to read.
    blobs_secret_key_file: PathBuf, example "\"/etc/spindle/blobs.key\"", "SPINDLE_BLOBS_SECRET_KEY_FILE", "FILE";
    /// Whether the bucket is in the path of requests (https://HOST/BUCKET), as most services want it;
    /// otherwise it is in the name of the host (https://BUCKET.HOST).
    blobs_path_style: bool, default "true", "SPINDLE_BLOBS_PATH_STYLE", "BOOLEAN";
    /// Certificates (PEM) that are trusted for the service, instead of the ones that browsers trust.
    blobs_certificates: PathBuf, example "\"/etc/spindle/s3-ca.pem\"", "SPINDLE_BLOBS_CERTIFICATES", "FILE";
    /// The manifest that lists the components and their routes; the same file serves Spin. Without
    /// it, the program serves the components that it carries; one that carries none, those of
    /// spin.toml in the working directory.
    manifest: PathBuf, example "\"spin.toml\"", "SPINDLE_MANIFEST", "FILE";
    /// Directory for machine code of the components, so that they are compiled once; "cache" in
    /// the data directory when not given. Servers may share one. Write access to it gives control
    /// of the server, so it must have mode 0700.
    code_cache: PathBuf, example "\"/var/cache/spindle\"", "SPINDLE_CODE_CACHE", "DIRECTORY";
    /// The address under which clients reach the server, when it is behind a proxy.
    /// Without it, the Host header of each request is trusted.
    external_url: BaseUrl, example "\"https://chat.example.org\"", "SPINDLE_EXTERNAL_URL", "URL";
    /// Certificate for HTTPS, a PEM file with the chain behind it; together with tls_key. Without
    /// both, plain HTTP is served. SIGHUP reads both files again.
    tls_cert: PathBuf, example "\"/etc/spindle/tls/fullchain.pem\"", "SPINDLE_TLS_CERT", "FILE";
    /// Private key of the certificate, a PEM file that only the server should be able to read.
    tls_key: PathBuf, example "\"/etc/spindle/tls/privkey.pem\"", "SPINDLE_TLS_KEY", "FILE";
    /// Seconds for which browsers are to use HTTPS alone (Strict-Transport-Security), where the server has a
    /// certificate of its own; 0: the header is not sent. A year is 31536000.
    hsts_max_age: u64, default "0", "SPINDLE_HSTS_MAX_AGE", "SECONDS";
    /// Proxies whose X-Forwarded-For header is trusted: addresses and networks.
    trusted_proxies: Networks, default "[]", "SPINDLE_TRUSTED_PROXIES", "NETWORKS";
    /// Networks that outgoing bots may call although they are not on the open Internet, such as
    /// the one that their services run in. All who may create bots can send requests there.
    bot_networks: Networks, default "[]", "SPINDLE_BOT_NETWORKS", "NETWORKS";
    /// Public keys of those who sign apps, as `spindle app key` prints them, perhaps with a name before them: build=KEY.
    /// If there are any, only apps that one of them has signed can be installed.
    app_keys: PublicKeys, default "[]", "SPINDLE_APP_KEYS", "KEYS";
    /// The push service that notifies phones of messages, encrypted so that it cannot read them;
    /// together with push_service_id, push_service_key_file and external_url. Without it, there
    /// are no push notifications.
    push_service: BaseUrl, example "\"https://push.example.org\"", "SPINDLE_PUSH_SERVICE", "URL";
    /// The id under which the push service knows this server.
    push_service_id: String, example "\"9aa61d0b-8ce5-488d-8e9e-fedc346e6836\"", "SPINDLE_PUSH_SERVICE_ID", "ID";
    /// File with the key that goes with it, which only the server should be able to read.
    push_service_key_file: PathBuf, example "\"/etc/spindle/push.key\"", "SPINDLE_PUSH_SERVICE_KEY_FILE", "FILE";
    /// The server that takes the mails of this one (SMTP); together with mail_from and external_url. Without
    /// it and mail_sendmail, no mails are sent.
    mail_server: String, example "\"smtp.example.org\"", "SPINDLE_MAIL_SERVER", "HOST";
    /// Its port; when it is not given, 587, with mail_tls = "tls" 465, with "none" 25.
    mail_port: u16, example "587", "SPINDLE_MAIL_PORT", "PORT";
    /// How the connection to it is encrypted: "starttls", from the command of that name on; "tls", from the
    /// first byte; or "none", for a server on this machine or in its network.
    mail_tls: MailTls, default "\"starttls\"", "SPINDLE_MAIL_TLS", "HOW";
    /// Certificates (PEM) that are trusted for the mail server, instead of the ones in browsers.
    mail_certificates: PathBuf, example "\"/etc/spindle/mail-ca.pem\"", "SPINDLE_MAIL_CERTIFICATES", "FILE";
    /// The user as whom this server signs in to the mail server; without it, it does not sign in.
    mail_username: String, example "\"chat@example.org\"", "SPINDLE_MAIL_USERNAME", "NAME";
    /// The password of that user; prefer the environment or a file.
    mail_password: Secret, example "\"...\"", "SPINDLE_MAIL_PASSWORD", "PASSWORD";
    /// File with that password, instead, which only the server should be able to read.
    mail_password_file: PathBuf, example "\"/etc/spindle/mail.password\"", "SPINDLE_MAIL_PASSWORD_FILE", "FILE";
    /// A program that takes mails as sendmail does, instead of a server.
    mail_sendmail: PathBuf, example "\"/usr/sbin/sendmail\"", "SPINDLE_MAIL_SENDMAIL", "PROGRAM";
    /// The address that mails come from.
    mail_from: String, example "\"chat@example.org\"", "SPINDLE_MAIL_FROM", "ADDRESS";
    /// The name that mails come from; without it, that of the organization.
    mail_from_name: String, example "\"Example chat\"", "SPINDLE_MAIL_FROM_NAME", "NAME";
    /// The address that answers to mails go to; without it, the one that they come from.
    mail_reply_to: String, example "\"help@example.org\"", "SPINDLE_MAIL_REPLY_TO", "ADDRESS";
    /// Directory with templates of mails that are used instead of those of this program (docs/MAIL.md).
    mail_templates: PathBuf, example "\"/etc/spindle/mail\"", "SPINDLE_MAIL_TEMPLATES", "DIRECTORY";
    /// Directory with a file NAME.toml for each identity provider by which people sign in, or one such file
    /// (docs/AUTHENTICATION.md). Providers send browsers back to external_url.
    identity_providers: PathBuf, example "\"/etc/spindle/identity\"", "SPINDLE_IDENTITY_PROVIDERS", "DIRECTORY";
    /// Address of /health/live, /health/ready and /metrics; "none" switches them off.
    /// They answer without authentication, so keep the address private. When it is not
    /// given, 127.0.0.1:3001 is used if it is free.
    ops_listen: OptionalAddress, example "\"127.0.0.1:3001\"", "SPINDLE_OPS_LISTEN", "ADDRESS";
    /// Requests a minute for one user; 0 is without limit.
    rate_limit_user: u32, default "200", "SPINDLE_RATE_LIMIT_USER", "N";
    /// Requests a minute for all bots of one user together, in addition to those of the user; 0 is without limit.
    /// When it is not given, five times rate_limit_user.
    rate_limit_bots: u32, example "1000", "SPINDLE_RATE_LIMIT_BOTS", "N";
    /// Requests a minute for one address, for requests without credentials; 0 is without limit.
    rate_limit_address: u32, default "100", "SPINDLE_RATE_LIMIT_ADDRESS", "N";
    /// Largest body of a request: bytes, or a text with a unit, such as "2 MiB".
    body_limit: Bytes, default "1048576", "SPINDLE_BODY_LIMIT", "BYTES";
    /// Anonymous memory that the server may use, in bytes or as "512 MiB": connections, bodies, answers not
    /// yet read, events, queues, and memory of components. Requests that do not fit wait, then are refused
    /// with 503. At least 268435456.
    memory_budget: Bytes, default "536870912", "SPINDLE_MEMORY_BUDGET", "BYTES";
    /// Clients that may be connected at once. Every one needs a file descriptor.
    max_connections: usize, default "16384", "SPINDLE_MAX_CONNECTIONS", "N";
    /// Connections that one address (with IPv6, one /64 network) may have at once. Trusted proxies are
    /// exempt.
    max_connections_per_address: usize, default "2048", "SPINDLE_MAX_CONNECTIONS_PER_ADDRESS", "N";
    /// When a change is on the disk: "full" before it is acknowledged, so that a power
    /// failure loses nothing; "normal" a little later, which is faster, and a power failure
    /// (not a crash of the server) can lose the last moments.
    synchronous: Synchronous, default "\"full\"", "SPINDLE_SYNCHRONOUS", "WHEN";
    /// Bytes of the disk that must stay free. With less, writes are refused with 503 and the server is
    /// not ready, until space is free again.
    disk_reserve: Bytes, default "67108864", "SPINDLE_DISK_RESERVE", "BYTES";
    /// Requests that may be inside components at once; more wait.
    max_instances: usize, default "96", "SPINDLE_MAX_INSTANCES", "N";
    /// Seconds that a component may take over one request before it is stopped, unless the
    /// manifest says otherwise.
    request_deadline: u64, default "30", "SPINDLE_REQUEST_DEADLINE", "SECONDS";
    /// Requests that may wait before they enter a component; more are refused with 503.
    request_queue: usize, default "20000", "SPINDLE_REQUEST_QUEUE", "N";
    /// Whether components are called directly. Otherwise they are called through WASI HTTP, as by Spin,
    /// which takes more time: for comparing the two.
    direct_calls: bool, default "true", "SPINDLE_DIRECT_CALLS", "BOOLEAN";
    /// Whether every change is made twice, the first time undone when it is complete, as after a
    /// conflict with another change: for testing that this does no harm.
    repeat_changes: bool, default "false", "SPINDLE_REPEAT_CHANGES", "BOOLEAN";
    /// An event queue that falls this many events behind is ended.
    queue_max_events: u64, default "10000", "SPINDLE_QUEUE_MAX_EVENTS", "N";
    /// An event queue that falls this many bytes behind is ended.
    queue_max_bytes: Bytes, default "8388608", "SPINDLE_QUEUE_MAX_BYTES", "BYTES";
    /// Seconds for requests in progress to finish when the server stops.
    stop_timeout: u64, default "10", "SPINDLE_STOP_TIMEOUT", "SECONDS";
    /// What is logged: off, error, warn, info, debug or trace; for single modules behind it
    /// ("info,spindle_host::front=debug").
    log_level: LogFilter, default "\"info\"", "SPINDLE_LOG_LEVEL", "FILTER";
    /// How log lines are written to standard error: "text" or "json".
    log_format: LogFormat, default "\"text\"", "SPINDLE_LOG_FORMAT", "FORMAT";
    /// Whether each request has a line in the log: client, method, path, status, milliseconds. It holds
    /// no secrets: no queries, and of paths only their words and ids. Refused keys and passwords
    /// are logged in any case.
    access_log: bool, default "false", "SPINDLE_ACCESS_LOG", "BOOLEAN";
}

impl From<&Config> for BucketOptions {
    fn from(config: &Config) -> Self {
        Self {
            blobs: config.blobs.clone(),
            blobs_endpoint: config.blobs_endpoint.clone(),
            blobs_region: config.blobs_region.clone(),
            blobs_access_key: config.blobs_access_key.clone(),
            blobs_secret_key: config.blobs_secret_key.clone(),
            blobs_secret_key_file: config.blobs_secret_key_file.clone(),
            blobs_path_style: config.blobs_path_style,
            blobs_certificates: config.blobs_certificates.clone(),
        }
    }
}

impl From<&Config> for MailOptions {
    fn from(config: &Config) -> Self {
        Self {
            mail_server: config.mail_server.clone(),
            mail_port: config.mail_port,
            mail_tls: config.mail_tls,
            mail_certificates: config.mail_certificates.clone(),
            mail_username: config.mail_username.clone(),
            mail_password: config.mail_password.clone(),
            mail_password_file: config.mail_password_file.clone(),
            mail_sendmail: config.mail_sendmail.clone(),
            mail_from: config.mail_from.clone(),
            mail_from_name: config.mail_from_name.clone(),
            mail_reply_to: config.mail_reply_to.clone(),
            mail_templates: config.mail_templates.clone(),
        }
    }
}
