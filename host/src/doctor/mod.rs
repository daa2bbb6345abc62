//! `spindle doctor`: everything that an operator could have wrong, one check a file.
//!
//! Looks and says what it found, how bad that is and what to do. It only reads, whatever runs beside
//! it: nothing is created, migrated or mended, and no secret is sent anywhere. What was configured is
//! decided by `crate::config`; that of a running server is seen from outside.

mod address;
mod backups;
mod clock;
mod database;
mod descriptors;
mod disk;
mod health;
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

use crate::address::{self as site, noted};
use crate::config::{BaseUrl, Config};
use crate::data_dir::DataDir;
use probe::{Answer, Failure};
use running::Running;

pub use health::ready;
pub use report::{Finding, Level, Report};

/// The server that is looked at.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What `spindle serve` would run with.
    pub config: Config,
    /// Where its files lie.
    pub data: DataDir,
    /// Its database.
    pub database: PathBuf,
}

/// What all checks look at.
struct Scene<'a> {
    config: &'a Config,
    data: &'a DataDir,
    database: &'a std::path::Path,
    /// UNIX seconds.
    now: i64,
    /// The server that runs on the files, if one does.
    server: Option<Running>,
    /// Where clients find it.
    address: String,
    /// What answers there; none when it was not asked, because no server runs.
    answer: Option<Result<Answer, Failure>>,
    /// What the running server answers on its own socket, past any proxy.
    own: Option<Answer>,
}

/// Looks at everything. `findings` says what was found before, such as a configuration that cannot be used.
///
/// # Errors
/// The program itself cannot work: no clock, no runtime.
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
    let checks: [fn(&Scene<'_>) -> Vec<Finding>; 10] = [
        address::check,
        tls::check,
        proxy::check,
        clock::check,
        disk::check,
        descriptors::check,
        database::check,
        backups::check,
        versions::check,
        permissions::check,
    ];
    findings.extend(checks.iter().flat_map(|check| check(&scene)));
    Ok(Report::new(findings))
}

impl Scene<'_> {
    /// Asks the server where clients do, and where it listens.
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
        // A name that is being looked up is not waited for.
        runtime.shutdown_background();
        Ok(())
    }

    /// What has answered at the address, if anything did.
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
