//! User groups: a change, the list of a thousand, and a permission that is held through 64
//! groups, which must not cost more when there are ten thousand groups around it.

use anyhow::{Context, Result};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::{Figures, closed_loop, median};
use crate::servers::{self, Account};
use crate::table::Table;

/// Groups from the top of a chain down to the one with the member.
const DEPTH: usize = 64;
/// Groups there are when a figure is taken.
const SIZES: [usize; 3] = [DEPTH, 1_000, 10_000];
/// Each writes a text of its own, so that nearly every request changes something.
const CONNECTIONS: usize = 8;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let member = servers::create_user(data_dir.path(), 1)?;
    let address = &spindle.process.address;
    let mut maker = Maker {
        connection: Connection::open(address).await?,
        account: &spindle.owner,
        made: 0,
    };
    let member_id = maker.id_of(&member).await?;
    let top = maker.chain(&format!("[{member_id}]")).await?;
    let managed = maker.managed_by(top).await?;
    table.section("User groups");
    let mut changes = Vec::new();
    for size in SIZES {
        while maker.made < size {
            maker.chain("[]").await?;
        }
        let figures = measure(plan, address, |number| {
            let text = format!("writer {number}");
            let path = format!("/api/v1/user_groups/{managed}");
            Prepared::new(
                "PATCH",
                &path,
                member.credentials(),
                &[("description", &text)],
            )
        })
        .await?;
        let name = format!("PATCH, held through {DEPTH} groups of {}", maker.made);
        table.throughput(&name, &figures, "");
        changes.push(figures.per_second);
        if size == 1_000 {
            let figures = measure(plan, address, |_| {
                Prepared::new("GET", "/api/v1/user_groups", member.credentials(), &[])
            })
            .await?;
            table.throughput(&format!("GET, {} groups", maker.made), &figures, "");
        }
    }
    if let (Some(first), Some(last)) = (changes.first(), changes.last()) {
        let name = "held among 10,000 groups / among 64";
        table.goal(name, last / first, "", true, 0.8);
    }
    Ok(())
}

async fn measure(
    plan: &Plan,
    address: &str,
    request: impl Fn(usize) -> Prepared,
) -> Result<Figures> {
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        rounds.push(closed_loop(address, CONNECTIONS, plan.duration, &request).await?);
    }
    Ok(median(rounds))
}

/// Makes groups through the interface, one after the other.
struct Maker<'a> {
    connection: Connection,
    account: &'a Account,
    made: usize,
}

impl Maker<'_> {
    /// A chain of groups; `members` are in the lowest. Returns the highest.
    async fn chain(&mut self, members: &str) -> Result<i64> {
        let mut top = self.group(&[("members", members)]).await?;
        for _ in 1..DEPTH {
            let below = format!("[{top}]");
            let pairs = [("members", "[]"), ("subgroups", &*below)];
            top = self.group(&pairs).await?;
        }
        Ok(top)
    }

    /// A group that the other manages.
    async fn managed_by(&mut self, manager: i64) -> Result<i64> {
        let manager = manager.to_string();
        let pairs = [("members", "[]"), ("can_manage_group", &*manager)];
        self.group(&pairs).await
    }

    async fn group(&mut self, pairs: &[(&str, &str)]) -> Result<i64> {
        let name = format!("group {}", self.made);
        let mut form = vec![("name", &*name), ("description", "for measuring")];
        form.extend(pairs);
        let path = "/api/v1/user_groups/create";
        let request = Prepared::new("POST", path, self.account.credentials(), &form);
        let answer = self.connection.send(&request).await?.json()?;
        self.made += 1;
        answer["group_id"].as_i64().context("group_id")
    }

    async fn id_of(&mut self, account: &Account) -> Result<i64> {
        let request = Prepared::new("GET", "/api/v1/users/me", account.credentials(), &[]);
        let answer = self.connection.send(&request).await?.json()?;
        answer["user_id"].as_i64().context("user_id")
    }
}
