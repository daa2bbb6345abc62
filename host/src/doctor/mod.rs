//! `spindle doctor`: checks for common problems of a server, one check in each file.
//!
//! Reports what it found, how severe that is and what to do. It only reads, and may run next to a server: nothing is
//! created, migrated or repaired, except for one object in a bucket, which is deleted again; no secret is sent. The
//! configuration comes from `spindle_config`; a running server is examined from outside.

mod address;
mod backups;
mod bucket;
mod clock;
mod database;
mod descriptors;
mod disk;
mod health;
mod identity;
mod passkeys;
mod permissions;
mod probe;
mod proxy;
mod report;
mod running;
mod tls;
mod versions;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use spindle_store::{Connection, DbError};

use probe::{Answer, Failure};
use running::Running;
use spindle_config::data_dir::DataDir;
use spindle_config::{BaseUrl, Config};
use spindle_config::{address as site, address::noted};
use spindle_database::Location;

pub use health::ready;
pub use report::{Finding, Level, Report};

/// The server to check.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The configuration of `spindle serve`.
    pub config: Config,
    /// Its data directory.
    pub data: DataDir,
    pub database: PathBuf,
}

/// The data for all checks.
struct Scene<'a> {
    config: &'a Config,
    data: &'a DataDir,
    database: &'a std::path::Path,
    /// The current time in UNIX seconds.
    now: i64,
    /// The server that runs on the files, if any.
    server: Option<Running>,
    /// The address for clients.
    address: String,
    /// The answer of that address; `None` when it was not called because no server runs.
    answer: Option<Result<Answer, Failure>>,
    /// The running server's answer on its own socket, bypassing any proxy.
    own: Option<Answer>,
}

/// Runs all checks. `findings` are earlier findings, such as an invalid configuration.
///
/// # Errors
/// The checks cannot run: no clock, no runtime.
pub fn examine(subject: &Subject, mut findings: Vec<Finding>) -> Result<Report> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    if let Some(closed) = permissions::is_closed(&subject.data) {
        findings.push(closed);
        return Ok(Report::new(findings));
    }
    let (server, finding) = running::check(&subject.data);
    findings.push(finding);
    let config = &subject.config;
    let configured = config.external_url.clone().or_else(|| noted(&subject.data));
    let address = match configured {
        Some(BaseUrl(url)) => url,
        None => site::of(config, config.listen),
    };
    let mut scene = Scene {
        config,
        data: &subject.data,
        database: &subject.database,
        now: i64::try_from(now).unwrap_or(i64::MAX),
        server,
        address,
        answer: None,
        own: None,
    };
    scene.ask()?;
    let checks: [fn(&Scene<'_>) -> Vec<Finding>; 13] = [
        address::check,
        tls::check,
        proxy::check,
        clock::check,
        disk::check,
        descriptors::check,
        database::check,
        backups::check,
        bucket::check,
        identity::check,
        passkeys::check,
        versions::check,
        permissions::check,
    ];
    findings.extend(checks.iter().flat_map(|check| check(&scene)));
    Ok(Report::new(findings))
}

impl Scene<'_> {
    /// A connection to the database that changes nothing.
    fn look(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match &self.config.database_url {
            Some(url) => Location::Server(url.clone()).connect_to_look(),
            None => Location::from(self.database).connect_to_look(),
        }
    }

    /// Calls the server at the address for clients and at its own socket.
    fn ask(&mut self) -> Result<()> {
        let Some(server) = &self.server else {
            return Ok(());
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot ask the server")?;
        self.own = runtime.block_on(server.ask());
        self.answer = Some(runtime.block_on(probe::ask(&self.address, probe::SETTINGS)));
        // Do not wait for a name resolution that is still running.
        runtime.shutdown_background();
        Ok(())
    }

    /// The answer of the address, if there was one.
    fn answered(&self) -> Option<&Answer> {
        self.answer.as_ref()?.as_ref().ok()
    }

    /// The host of the address, without a port.
    fn host(&self) -> String {
        let url: Option<http::Uri> = self.address.parse().ok();
        let host = url.as_ref().and_then(http::Uri::host).unwrap_or_default();
        host.trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned()
    }
}
