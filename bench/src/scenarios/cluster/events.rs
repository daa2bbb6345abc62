//! Events between nodes: from the answer of a change at one to the poll that another holds, one event for all polls of
//! three nodes, the same with polls that wander, and what clients of a killed node wait for.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::Node;
use crate::Plan;
use crate::held::{self, BATCH, Held as _};
use crate::http::{Connection, Prepared};
use crate::load::{closed_loop, median_of, new_histogram};
use crate::servers::Account;
use crate::table::Table;
use crate::waiter::Waiter;

/// Waiters that wander from node to node with each event, and that lose their node.
const WANDERERS: usize = 1_000;

pub(super) async fn run(
    plan: &Plan,
    table: &mut Table,
    mut nodes: Vec<Node>,
    accounts: &[Account],
) -> Result<()> {
    let (owner, members) = accounts.split_first().context("the owner")?;
    table.section("From the answer at one node to the poll of another");
    one_waiter(plan, table, &nodes, owner).await?;

    table.section("One event for all polls, on three nodes");
    let addresses: Vec<String> = nodes.iter().map(|node| node.address().to_owned()).collect();
    let mut waiters = Waiters::register(&addresses[..1], members, plan.waiters).await?;
    let by_one = waiters
        .rounds(plan, &addresses[..1], owner, Polls::Stay)
        .await?;
    let name = format!("{} polls of one node, p99", plan.waiters);
    table.value(&name, by_one, "ms", "");
    let by_three = waiters.rounds(plan, &addresses, owner, Polls::Stay).await?;
    let name = format!("{} polls of three nodes, p99", plan.waiters);
    table.value(&name, by_three, "ms", "");
    table.goal("  three / one", by_three / by_one, "", false, 1.5);

    waiters.keep(WANDERERS).await?;
    let still = waiters.rounds(plan, &addresses, owner, Polls::Stay).await?;
    let wandering = waiters
        .rounds(plan, &addresses, owner, Polls::Wander)
        .await?;
    table.value("1000 polls that stay, p99", still, "ms", "");
    table.value(
        "1000 polls that move with each event, p99",
        wandering,
        "ms",
        "",
    );
    table.goal("  moving / staying", wandering / still, "", false, 3.0);

    table.section("A node is killed");
    let lost = nodes.pop().context("a node")?;
    node_dies(table, plan, lost, &addresses, waiters, owner).await
}

fn change(owner: &Account, text: &str) -> Prepared {
    let form = [("status_text", text)];
    Prepared::new(
        "POST",
        "/api/v1/users/me/status",
        owner.credentials(),
        &form,
    )
}

async fn one_waiter(plan: &Plan, table: &mut Table, nodes: &[Node], owner: &Account) -> Result<()> {
    let (here, there) = (nodes[0].address(), nodes[1].address());
    let mut waiter = Waiter::registered(there, owner).await?;
    let mut writer = Connection::open(here).await?;
    let mut times = new_histogram();
    for number in 0..100 * plan.rounds {
        waiter.start().await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
        writer
            .start(&change(owner, &format!("wire {number}")))
            .await?;
        let answered = async {
            writer.finish().await?.json()?;
            anyhow::Ok(Instant::now())
        };
        let delivered = async {
            waiter.finish().await?;
            anyhow::Ok(Instant::now())
        };
        let (answered, delivered) = tokio::try_join!(answered, delivered)?;
        let time = delivered.saturating_duration_since(answered);
        times.saturating_record(time.as_micros() as u64);
    }
    waiter.end().await?;
    for (name, quantile, goal) in [("p50", 0.5, 15.0), ("p99", 0.99, 60.0)] {
        let time = times.value_at_quantile(quantile) as f64 / 1000.0;
        table.goal(
            &format!("event after the answer, {name}"),
            time,
            "ms",
            false,
            goal,
        );
    }
    Ok(())
}

/// Where polls go after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Polls {
    Stay,
    /// Each goes to another node than the last one.
    Wander,
}

/// Queues of many clients.
struct Waiters(Vec<Waiter>);

impl Waiters {
    async fn register(addresses: &[String], members: &[Account], count: usize) -> Result<Self> {
        let mut waiters = Vec::with_capacity(count);
        let places = members.iter().cycle().zip(addresses.iter().cycle());
        for (account, address) in places.take(count) {
            waiters.push(Waiter::registered(address, account).await?);
        }
        Ok(Self(waiters))
    }

    /// Moves each to the node whose turn it is.
    async fn place(&mut self, addresses: &[String], turn: usize) -> Result<()> {
        let places = addresses.iter().cycle().skip(turn);
        for (waiter, address) in self.0.iter_mut().zip(places) {
            waiter.move_to(address).await?;
        }
        Ok(())
    }

    /// Ends the queues of all but the first `count`.
    async fn keep(&mut self, count: usize) -> Result<()> {
        for mut waiter in self.0.drain(count.min(self.0.len())..) {
            waiter.end().await?;
        }
        Ok(())
    }

    /// An event in each round: the median of the 99th percentiles.
    async fn rounds(
        &mut self,
        plan: &Plan,
        addresses: &[String],
        owner: &Account,
        polls: Polls,
    ) -> Result<f64> {
        if polls == Polls::Stay {
            // Connections that were idle for too long, while queues were registered, have been closed.
            self.place(addresses, 0).await?;
        }
        let mut p99 = Vec::new();
        for round in 0..plan.rounds {
            if polls == Polls::Wander {
                self.place(addresses, round + 1).await?;
            }
            let mut times = new_histogram();
            let text = format!("round {round} of {}, {polls:?}", addresses.len());
            let change = change(owner, &text);
            held::hold(&mut self.0).await?;
            held::wake(&mut self.0, &addresses[0], &change, &mut times).await?;
            p99.push(times.value_at_quantile(0.99) as f64 / 1000.0);
        }
        Ok(median_of(p99))
    }
}

/// Kills the last of the nodes under its clients: what others notice, and how soon its clients have an event that was
/// emitted during the failure.
async fn node_dies(
    table: &mut Table,
    plan: &Plan,
    mut lost: Node,
    addresses: &[String],
    mut waiters: Waiters,
    owner: &Account,
) -> Result<()> {
    let (dead, left) = addresses.split_last().context("nodes")?;
    waiters.place(std::slice::from_ref(dead), 0).await?;
    held::hold(&mut waiters.0).await?;
    let reading = super::before::request("GET /users/me", owner.credentials());
    let beside = || closed_loop(&left[1], 4, plan.duration, |_| reading.clone());
    let alone = beside().await?;
    let kill = async {
        tokio::time::sleep(plan.duration / 4).await;
        lost.process.kill()
    };
    let (during, killed) = tokio::join!(beside(), kill);
    killed?;
    let ms = |microseconds: u64| microseconds as f64 / 1000.0;
    table.value("reads at another node, p99", ms(alone.p99_us), "ms", "");
    table.value("  while the node dies, p99", ms(during?.p99_us), "ms", "");

    let mut writer = Connection::open(&left[0]).await?;
    writer
        .send(&change(owner, "after the death"))
        .await?
        .json()?;
    let started = Instant::now();
    waiters.place(left, 0).await?;
    for batch in waiters.0.chunks_mut(BATCH) {
        for waiter in &mut *batch {
            waiter.start().await?;
        }
        for waiter in batch {
            waiter.finish().await?;
        }
    }
    let all = started.elapsed().as_secs_f64();
    let name = format!("{} clients have the event elsewhere", waiters.0.len());
    table.goal(&name, all, "s", false, 2.0);
    Ok(())
}
