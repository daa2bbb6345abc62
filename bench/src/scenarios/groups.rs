//! User groups: a change, the list of a thousand, and a permission that is held through 64 nested groups,
//! which must not cost more with ten thousand other groups.

use std::path::Path;

use anyhow::{Context, Result};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::{in_rounds, in_turns};
use crate::servers::{self, Account, Spindle};
use crate::table::Table;

/// Groups from the top of a chain down to the one with the member.
const DEPTH: usize = 64;
/// Groups there are when a figure is taken.
const SIZES: [usize; 3] = [DEPTH, 1_000, 10_000];
const CONNECTIONS: usize = 8;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let (few_dir, many_dir) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let few = Organization::start(few_dir.path()).await?;
    let mut many = Organization::start(many_dir.path()).await?;
    table.section("User groups");
    for size in SIZES {
        many.fill(size).await?;
        let figures = in_rounds(plan, many.address(), CONNECTIONS, |number| {
            many.change(number)
        })
        .await?;
        let name = format!("PATCH, held through {DEPTH} groups of {}", many.made);
        table.throughput(&name, &figures, "");
        if size == 1_000 {
            let figures = in_rounds(plan, many.address(), CONNECTIONS, |_| many.list()).await?;
            table.throughput(&format!("GET, {} groups", many.made), &figures, "");
        }
    }
    let ratio = in_turns(
        plan,
        CONNECTIONS,
        (many.address(), |number| many.change(number)),
        (few.address(), |number| few.change(number)),
    )
    .await?;
    let name = "held among 10,000 groups / among 64";
    table.goal(name, ratio, "", true, 0.8);
    Ok(())
}

/// A server whose groups are made through the interface, one by one: a chain, whose lowest group has the member, and a
/// group that the highest manages.
struct Organization {
    connection: Connection,
    spindle: Spindle,
    member: Account,
    managed: i64,
    made: usize,
}

impl Organization {
    async fn start(data_dir: &Path) -> Result<Self> {
        let spindle = servers::spindle(data_dir, &servers::root().join("spin.toml"), &[])?;
        let mut organization = Self {
            connection: Connection::open(&spindle.process.address).await?,
            member: servers::create_user(data_dir, 1)?,
            spindle,
            managed: 0,
            made: 0,
        };
        let request = organization.of_member("GET", "/api/v1/users/me", &[]);
        let me = organization.connection.send(&request).await?.json()?;
        let top = organization
            .chain(&format!("[{}]", me["user_id"]))
            .await?
            .to_string();
        let pairs = [("members", "[]"), ("can_manage_group", &*top)];
        organization.managed = organization.group(&pairs).await?;
        Ok(organization)
    }

    fn address(&self) -> &str {
        &self.spindle.process.address
    }

    fn of_member(&self, method: &str, path: &str, form: &[(&str, &str)]) -> Prepared {
        Prepared::new(method, path, self.member.credentials(), form)
    }

    /// Each connection writes a text of its own, so that nearly every request changes something.
    fn change(&self, number: usize) -> Prepared {
        let text = format!("writer {number}");
        let path = format!("/api/v1/user_groups/{}", self.managed);
        self.of_member("PATCH", &path, &[("description", &text)])
    }

    fn list(&self) -> Prepared {
        self.of_member("GET", "/api/v1/user_groups", &[])
    }

    /// Creates chains without members until there are `size` groups.
    async fn fill(&mut self, size: usize) -> Result<()> {
        while self.made < size {
            self.chain("[]").await?;
        }
        Ok(())
    }

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

    async fn group(&mut self, pairs: &[(&str, &str)]) -> Result<i64> {
        let name = format!("group {}", self.made);
        let mut form = vec![("name", &*name), ("description", "for measuring")];
        form.extend(pairs);
        let owner = self.spindle.owner.credentials();
        let request = Prepared::new("POST", "/api/v1/user_groups/create", owner, &form);
        let answer = self.connection.send(&request).await?.json()?;
        self.made += 1;
        answer["group_id"].as_i64().context("group_id")
    }
}
