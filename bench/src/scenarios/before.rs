//! This version and another one, in turns: processor time of the server for a request, and requests per second, with 8 and
//! with 32 connections.
//!
//! Processor time varies less than the speed of a machine that others use too. Both servers have an organization
//! of eight people in one channel, with the same history.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tempfile::TempDir;

use super::reading;
use crate::Plan;
use crate::http::Prepared;
use crate::load::closed_loop;
use crate::servers::{self, Process, Spindle};
use crate::setup;
use crate::table::Table;

/// An operation, and how many times faster than before it must be.
const OPERATIONS: [(&str, Option<f64>); 6] = [
    (HELLO, None),
    ("GET /users/me", Some(1.8)),
    ("GET /messages, 100", Some(1.5)),
    ("POST /users/me/status", Some(1.5)),
    ("POST /messages", Some(1.6)),
    ("POST /register", Some(1.3)),
];

const HELLO: &str = "hello component";

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let Some(folder) = &plan.before else {
        println!("before: name a clone of another version with --before");
        return Ok(());
    };
    let before = Version::start(folder, plan.history).await?;
    let now = Version::start(&servers::root(), plan.history).await?;
    for connections in [8, 32] {
        table.section(&format!("Before and now, {connections} connections"));
        for (name, goal) in OPERATIONS {
            let (mut of_before, mut of_now) = (Sum::default(), Sum::default());
            for _ in 0..plan.rounds {
                // The second one finds caches cold.
                of_before
                    .add(&before, name, connections, plan.duration)
                    .await?;
                of_now.add(&now, name, connections, plan.duration).await?;
                of_now.add(&now, name, connections, plan.duration).await?;
                of_before
                    .add(&before, name, connections, plan.duration)
                    .await?;
            }
            for (version, sum) in [("before", &of_before), ("now", &of_now)] {
                let rate = format!("{:.0}/s", sum.per_second());
                table.value(
                    &format!("{name}, {version}"),
                    sum.microseconds(),
                    "us",
                    &rate,
                );
            }
            let ratio = of_before.microseconds() / of_now.microseconds();
            let line = format!("{name}, before / now");
            match goal {
                Some(goal) => table.goal(&line, ratio, "", true, goal),
                None => table.value(&line, ratio, "", ""),
            }
        }
    }
    for (name, version) in [("before", &before), ("now", &now)] {
        let memory = version.spindle.process.anonymous_kib()? as f64 / 1024.0;
        table.value(&format!("anonymous memory, {name}"), memory, "MiB", "");
    }
    Ok(())
}

/// The servers of one version, each with a data directory of its own.
struct Version {
    spindle: Spindle,
    hello: Spindle,
    _folders: [TempDir; 2],
}

impl Version {
    async fn start(folder: &Path, history: i64) -> Result<Self> {
        let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
        let manifest = folder.join("spin.toml");
        let spindle = servers::spindle_of(folder, folders[0].path(), &manifest, &[])?;
        let manifest = folder.join("bench/hello.spin.toml");
        let hello = servers::spindle_of(folder, folders[1].path(), &manifest, &[])?;
        setup::eight_people(folders[0].path())?;
        reading::subscribe(&spindle).await?;
        reading::fill(folders[0].path(), history)?;
        Ok(Self {
            spindle,
            hello,
            _folders: folders,
        })
    }

    fn request(&self, name: &str) -> (&Process, Prepared) {
        if name == HELLO {
            let hello = Prepared::new("GET", "/hello", None, &[]);
            return (&self.hello.process, hello);
        }
        let request = request(name, self.spindle.owner.credentials());
        (&self.spindle.process, request)
    }
}

/// The request of an operation of [`OPERATIONS`].
pub(super) fn request(name: &str, account: Option<(&str, &str)>) -> Prepared {
    let with = |method, path, form: &[(&str, &str)]| Prepared::new(method, path, account, form);
    match name {
        "GET /users/me" => with("GET", "/api/v1/users/me", &[]),
        "GET /messages, 100" => {
            let page = [
                ("anchor", "newest"),
                ("num_before", "99"),
                ("num_after", "0"),
            ];
            with("GET", "/api/v1/messages", &page)
        }
        "POST /users/me/status" => with(
            "POST",
            "/api/v1/users/me/status",
            &[("status_text", "measuring")],
        ),
        "POST /messages" => {
            let content = "a message of **some** length with `code` and :tada:";
            let message = [
                ("type", "stream"),
                ("to", "general"),
                ("topic", "benchmark"),
                ("content", content),
                ("read_by_sender", "true"),
            ];
            with("POST", "/api/v1/messages", &message)
        }
        _ => with("POST", "/api/v1/register", &[]),
    }
}

/// What the slices of one version have come to.
#[derive(Default)]
struct Sum {
    requests: u64,
    measured: Duration,
    processor: Duration,
}

impl Sum {
    async fn add(
        &mut self,
        version: &Version,
        name: &str,
        connections: usize,
        duration: Duration,
    ) -> Result<()> {
        let (process, request) = version.request(name);
        let before = process.processor_time()?;
        let figures =
            closed_loop(&process.address, connections, duration, |_| request.clone()).await?;
        self.processor += process.processor_time()?.saturating_sub(before);
        self.requests += figures.requests;
        self.measured += duration;
        Ok(())
    }

    /// Processor time of a request.
    fn microseconds(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.requests as f64
    }

    fn per_second(&self) -> f64 {
        self.requests as f64 / self.measured.as_secs_f64()
    }
}
