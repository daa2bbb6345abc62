//! Flags of `spindle events`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use super::{logging, run_until_stopped};
use crate::serve::{BesideSpin, InitialOrganization, run_events};
use spindle_config::data_dir::DataDir;
use spindle_config::{
    BaseUrl, BucketOptions, Bytes, DatabaseUrl, LogFilter, LogFormat, MailOptions, Networks,
    Readable, Secret,
};
use spindle_database::Location;
use spindle_outgoing::PushService;

#[derive(Debug, Args)]
pub(super) struct Events {
    /// Database file that Spin uses; created and migrated when needed.
    #[arg(long, value_name = "FILE", required_unless_present = "database_url")]
    database: Option<PathBuf>,
    /// Database on a server of PostgreSQL that Spin uses, its variable database_url; migrated when needed.
    #[arg(
        long,
        value_name = "URL",
        env = "SPINDLE_DATABASE_URL",
        hide_env_values = true,
        conflicts_with = "database",
        requires = "data_dir"
    )]
    database_url: Option<DatabaseUrl>,
    /// Directory of files, where the database is on a server. Several of these services need the same files: let them
    /// share the file system.
    #[arg(long, value_name = "DIR", conflicts_with = "database")]
    data_dir: Option<PathBuf>,
    /// Address that the components call, their variable events_url.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:3002",
        value_parser = SocketAddr::parser()
    )]
    listen: SocketAddr,
    /// Secret shared with the components, their variable internal_token.
    #[arg(long, env = "SPINDLE_TOKEN", hide_env_values = true)]
    token: String,
    /// Where Spin listens; clients are given this address where --external-url is not.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:3000")]
    app_url: BaseUrl,
    /// Address under which clients reach Spin, when it is behind a proxy; the components need their
    /// variable external_url as well.
    #[arg(long, value_name = "URL", env = "SPINDLE_EXTERNAL_URL")]
    external_url: Option<BaseUrl>,
    /// Requests a minute for one user, when the variable rate_limit_via_events is true.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = u32::parser())]
    rate_limit_user: u32,
    /// Requests a minute for all bots of one user together; five times those of a user when it is not given.
    #[arg(long, value_name = "N", value_parser = u32::parser())]
    rate_limit_bots: Option<u32>,
    /// Requests a minute for one address, likewise.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = u32::parser())]
    rate_limit_address: u32,
    /// Networks that outgoing bots may call although they are not public, separated by commas.
    #[arg(long, value_name = "NETWORKS", default_value = "")]
    bot_networks: Networks,
    /// The push service that notifies phones of messages; the components need their variable
    /// external_url as well, and so does this command.
    #[arg(
        long,
        value_name = "URL",
        env = "SPINDLE_PUSH_SERVICE",
        requires_all = ["push_service_id", "push_service_key_file"]
    )]
    push_service: Option<BaseUrl>,
    /// The id under which the push service knows this server.
    #[arg(long, value_name = "ID", env = "SPINDLE_PUSH_SERVICE_ID")]
    push_service_id: Option<String>,
    /// File with the key that goes with it.
    #[arg(long, value_name = "FILE", env = "SPINDLE_PUSH_SERVICE_KEY_FILE")]
    push_service_key_file: Option<PathBuf>,
    /// What the components sign links with, their variable link_secret; the token where they have none.
    #[arg(
        long,
        value_name = "SECRET",
        env = "SPINDLE_LINK_SECRET",
        hide_env_values = true
    )]
    link_secret: Option<Secret>,
    /// How much of the disk must stay free, in bytes or as "1 GiB"; with less, /health/ready fails.
    #[arg(
        long,
        value_name = "BYTES",
        env = "SPINDLE_DISK_RESERVE",
        default_value = "64MiB",
        value_parser = Bytes::parser()
    )]
    disk_reserve: Bytes,
    /// Address of /health/live, /health/ready and /metrics, which answer without authentication;
    /// not served when not given.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "SPINDLE_OPS_LISTEN",
        value_parser = SocketAddr::parser()
    )]
    ops_listen: Option<SocketAddr>,
    /// What is logged.
    #[arg(
        long,
        value_name = "FILTER",
        env = "SPINDLE_LOG_LEVEL",
        default_value = "info"
    )]
    log_level: LogFilter,
    /// How log lines are written.
    #[arg(long, value_enum, env = "SPINDLE_LOG_FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// Directory with a file NAME.toml for each identity provider by which people sign in, or one such file.
    #[arg(long, value_name = "DIRECTORY", env = "SPINDLE_IDENTITY_PROVIDERS")]
    identity_providers: Option<PathBuf>,
    #[command(flatten)]
    mail: MailOptions,
    #[command(flatten)]
    bucket: BucketOptions,
    #[command(flatten)]
    initial: InitialOrganization,
}

impl Events {
    pub(super) fn run(self) -> Result<ExitCode> {
        logging::start(&self.log_level, self.log_format, false)?;
        self.bucket.check().map_err(anyhow::Error::msg)?;
        self.mail.check().map_err(anyhow::Error::msg)?;
        if self.mail.is_on() && self.external_url.is_none() {
            bail!("mails need --external-url, which their links begin with");
        }
        let push_service = match (
            &self.push_service,
            &self.push_service_id,
            &self.push_service_key_file,
        ) {
            (Some(url), Some(id), Some(key)) => Some(PushService::new(&url.0, id, key)?),
            _ => None,
        };
        let (database, data) = match (self.database, self.database_url, self.data_dir) {
            (Some(file), _, _) => {
                let data = DataDir::beside(&file);
                (Location::File(file), data)
            }
            (None, Some(url), Some(folder)) => (Location::Server(url), DataDir::new(folder)),
            (None, _, _) => bail!("--database FILE or --database-url URL is missing"),
        };
        let options = BesideSpin {
            database,
            data,
            listen: self.listen,
            token: self.token,
            app_url: self.app_url.0,
            external_url: self.external_url.map(|url| url.0),
            rate_limit_user: self.rate_limit_user,
            rate_limit_bots: self.rate_limit_bots,
            rate_limit_address: self.rate_limit_address,
            bot_networks: self.bot_networks.0,
            push_service,
            mail: self.mail,
            identity_providers: self.identity_providers,
            link_secret: self.link_secret.map(|secret| secret.text().to_owned()),
            blobs: self.bucket,
            disk_reserve: self.disk_reserve.0,
            ops_listen: self.ops_listen,
        };
        run_until_stopped(run_events(options, self.initial))
    }
}
