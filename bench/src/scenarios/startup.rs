//! Cold start with and without the compilation cache, and memory after start.

use std::path::Path;

use anyhow::Result;

use crate::Plan;
use crate::load::median_of;
use crate::servers;
use crate::table::Table;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Cold start (process start until an HTTP answer) and memory");
    let manifest = servers::root().join("spin.toml");
    let data_dir = tempfile::tempdir()?;
    let start = |extra: &[&str]| servers::spindle(data_dir.path(), &manifest, extra);
    // The first start creates the organization; it is not what is measured.
    drop(start(&[])?);

    let (mut without, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds.min(3) {
        remove_cache(data_dir.path())?;
        let spindle = start(&[])?;
        without.push(spindle.started_in.as_secs_f64());
        memory.push(spindle.process.resident_kib()? as f64 / 1024.0);
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

/// The cache lies in the data directory.
fn remove_cache(data_dir: &Path) -> Result<()> {
    let cache = data_dir.join("cache");
    if cache.exists() {
        std::fs::remove_dir_all(cache)?;
    }
    Ok(())
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
