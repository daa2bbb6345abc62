//! Many users: the list of ten thousand, and the time, bytes and memory of a snapshot with 100, 1,000 and
//! 10,000. Time must grow no faster than the number of users.

use std::path::Path;

use anyhow::Result;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::servers;
use crate::setup::{self, timed};
use crate::table::Table;

const SIZES: [i64; 3] = [100, 1_000, 10_000];

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let address = &spindle.process.address;
    let credentials = spindle.owner.credentials();
    let register = Prepared::new("POST", "/api/v1/register", credentials, &[]);
    let listing = Prepared::new("GET", "/api/v1/users", credentials, &[]);
    table.section("People: the snapshot and the list");
    let mut times = Vec::new();
    for size in SIZES {
        fill(data_dir.path(), size)?;
        let mut connection = Connection::open(address).await?;
        let (milliseconds, bytes) = timed(plan, &mut connection, &register).await?;
        let name = format!("POST /register, {size} people");
        table.value(&name, milliseconds, "ms", &kilobytes(bytes));
        let memory = spindle.process.resident_kib()? as f64 / 1024.0;
        let name = format!("memory after it, {size} people");
        table.value(&name, memory, "MiB", "");
        times.push(milliseconds);
        if size == 10_000 {
            let (milliseconds, bytes) = timed(plan, &mut connection, &listing).await?;
            let name = format!("GET /users, {size} people");
            table.value(&name, milliseconds, "ms", &kilobytes(bytes));
        }
    }
    if let [_, thousand, ten_thousand] = times.as_slice() {
        let name = "register, ten times the people / ten times the time";
        table.goal(name, ten_thousand / (10.0 * thousand), "", false, 1.5);
    }
    Ok(())
}

fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes / 1000)
}

/// Fills the organization up to this many users. Through the API, each of them would cost a password hash,
/// which is not measured here.
fn fill(data_dir: &Path, size: i64) -> Result<()> {
    let connection = setup::database(data_dir)?;
    let people = "WITH RECURSIVE number (n) AS (
             SELECT (SELECT count(*) FROM users) + 1
             UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
         INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded,
             full_name, full_name_folded, role, date_joined)
         SELECT 1, 'person' || n || '@example.com', 'person' || n || '@example.com',
             'person' || n || '@example.com', 'person' || n || '@example.com',
             'Person ' || n, 'person ' || n, 400, 1700000000 FROM number WHERE n <= ?1";
    connection.execute(people, [size])?;
    let members = "INSERT OR IGNORE INTO user_group_members (user_id, group_id)
         SELECT u.id, g.id FROM users u, user_groups g
         WHERE u.role = 400 AND g.name IN ('role:members', 'role:fullmembers')";
    connection.execute(members, [])?;
    Ok(())
}
