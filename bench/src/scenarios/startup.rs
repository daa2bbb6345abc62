//! Cold start with and without the compilation cache, and memory after start.
//!
//! Without the cache a server answers with the baseline compiler's code and optimizes in the background; the
//! duration of that and its memory afterwards are measured as well.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::Plan;
use crate::load::median_of;
use crate::servers;
use crate::table::Table;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Cold start (process start until an HTTP answer) and memory");
    let manifest = servers::root().join("spin.toml");
    let data_dir = tempfile::tempdir()?;
    let start = |extra: &[&str]| servers::spindle_by_itself(data_dir.path(), &manifest, extra);
    // The first start creates the organization; it is not what is measured.
    drop(start(&[])?);

    let (mut without, mut optimized) = (Vec::new(), Vec::new());
    let (mut memory, mut memory_later) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds.min(3) {
        remove_cache(data_dir.path())?;
        let spindle = start(&[])?;
        without.push(spindle.started_in.as_secs_f64());
        memory.push(spindle.process.resident_kib()? as f64 / 1024.0);
        let beside = until_optimized(&data_dir.path().join("cache")).await?;
        optimized.push((spindle.started_in + beside).as_secs_f64());
        touch_everything(&spindle).await?;
        memory_later.push(spindle.process.resident_kib()? as f64 / 1024.0);
    }
    let mut with = Vec::new();
    for _ in 0..plan.rounds {
        with.push(start(&[])?.started_in.as_secs_f64() * 1000.0);
    }
    table.goal(
        "start without the cache",
        median_of(without),
        "s",
        false,
        15.0,
    );
    table.goal(
        "memory after a start without it",
        median_of(memory),
        "MiB",
        false,
        120.0,
    );
    table.value(
        "until all code is optimized, serving meanwhile",
        median_of(optimized),
        "s",
        "",
    );
    table.goal(
        "memory when it is, every component used",
        median_of(memory_later),
        "MiB",
        false,
        120.0,
    );
    table.goal("start with the cache", median_of(with), "ms", false, 250.0);

    for number in 0..3 {
        servers::create_user(data_dir.path(), number)?;
    }
    let spindle = start(&[])?;
    touch_everything(&spindle).await?;
    table.goal(
        "memory, four users, every component used",
        spindle.process.resident_kib()? as f64 / 1024.0,
        "MiB",
        false,
        120.0,
    );
    Ok(())
}

/// Removes the cache, which is in the data directory.
fn remove_cache(data_dir: &Path) -> Result<()> {
    let cache = data_dir.join("cache");
    if cache.exists() {
        std::fs::remove_dir_all(cache)?;
    }
    Ok(())
}

/// Waits until the server's cache contains only optimized code: the server removes baseline code once it is
/// unused. After a first start, the cache contains the baseline code.
async fn until_optimized(cache: &Path) -> Result<Duration> {
    let files = || anyhow::Ok(std::fs::read_dir(cache)?.count());
    let (started, components) = (Instant::now(), files()?);
    let mut has_more = false;
    while started.elapsed() < Duration::from_secs(300) {
        let now = files()?;
        has_more |= now > components;
        if has_more && now == components {
            return Ok(started.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    bail!("the code was not optimized in five minutes")
}

async fn touch_everything(spindle: &servers::Spindle) -> Result<()> {
    use crate::http::{Connection, Prepared};
    let mut connection = Connection::open(&spindle.process.address).await?;
    for (method, path, form) in [
        ("GET", "/api/v1/server_settings", &[][..]),
        ("GET", "/api/v1/users/me", &[]),
        (
            "POST",
            "/api/v1/users/me/status",
            &[("status_text", "awake")],
        ),
        ("POST", "/api/v1/register", &[]),
        (
            "POST",
            "/api/v1/messages",
            &[
                ("type", "stream"),
                ("to", "general"),
                ("topic", "t"),
                ("content", "hello"),
                ("read_by_sender", "true"),
            ],
        ),
    ] {
        let request = Prepared::new(method, path, spindle.owner.credentials(), form);
        connection.send(&request).await?.json()?;
    }
    Ok(())
}
