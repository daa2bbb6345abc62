//! Events: from commit to the wire with one waiter, fan-out to many, memory of an idle poll.
//!
//! Every waiter is a queue with a held poll. The baseline is a bare hyper that holds the same number of requests and
//! answers them together; in both, one request triggers the event.

use std::time::Instant;

use anyhow::{Context as _, Result};
use hdrhistogram::Histogram;

use crate::Plan;
use crate::held::{self, Held as _};
use crate::http::{Connection, Prepared};
use crate::load::{median_of, new_histogram};
use crate::servers::{self, Account, Process, Spindle};
use crate::table::Table;
use crate::waiter::Waiter;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let manifest = servers::root().join("spin.toml");
    let spindle = servers::spindle(data_dir.path(), &manifest, &[])?;
    table.section("Commit to wire, one waiter");
    commit_to_wire(plan, &spindle, table).await?;
    let accounts = servers::accounts_for_queues(data_dir.path(), plan.waiters)?;

    drop(spindle);
    // The flush to disk is measured elsewhere; the baseline has none.
    let spindle = servers::spindle(data_dir.path(), &manifest, &["--synchronous", "normal"])?;
    table.section("Fan-out of one event (synchronous=NORMAL), and memory of an idle poll");
    let mut sizes = vec![1, 100, 1_000, plan.waiters];
    sizes.dedup();
    for waiters in sizes {
        // One after the other: together they would exceed the limit of open files.
        let (floor_p99, floor_kib) = floor_rounds(plan, waiters).await?;
        let (p99, kib) = spindle_rounds(plan, &spindle, &accounts, waiters).await?;
        table.value(
            &format!("{waiters} waiters, bare hyper, p99"),
            floor_p99,
            "ms",
            "",
        );
        table.value(&format!("{waiters} waiters, spindle, p99"), p99, "ms", "");
        table.goal(
            &format!("{waiters} waiters, ratio"),
            p99 / floor_p99,
            "",
            false,
            2.0,
        );
        if waiters >= 1_000 {
            table.value(
                "  memory per held request, bare hyper",
                floor_kib,
                "KiB",
                "",
            );
            table.goal("  memory per idle poll", kib, "KiB", false, 24.0);
        }
    }
    Ok(())
}

/// The number of events of a round: with few waiters, the 99th percentile of a single event is one
/// sample.
const fn events_of(waiters: usize) -> usize {
    match waiters {
        0..=100 => 20,
        101..=1_000 => 5,
        _ => 1,
    }
}

/// Median of the 99th percentiles in milliseconds, and KiB for each held request.
async fn floor_rounds(plan: &Plan, waiters: usize) -> Result<(f64, f64)> {
    let floor = servers::floor()?;
    let mut held = Waiting::of_floor(&floor, waiters).await?;
    let mut p99 = Vec::new();
    for _ in 0..plan.rounds {
        let mut histogram = new_histogram();
        for _ in 0..events_of(waiters) {
            let address = &floor.address;
            held.event(&wake_floor(), address, &mut histogram).await?;
        }
        p99.push(histogram.value_at_quantile(0.99) as f64 / 1000.0);
    }
    Ok((median_of(p99), held.kib_per_waiter))
}

async fn spindle_rounds(
    plan: &Plan,
    spindle: &Spindle,
    accounts: &[Account],
    waiters: usize,
) -> Result<(f64, f64)> {
    let mut held = Waiting::of_spindle(spindle, accounts, waiters).await?;
    let mut p99 = Vec::new();
    for round in 0..plan.rounds {
        let mut histogram = new_histogram();
        for event in 0..events_of(waiters) {
            let wake = set_status(spindle, &format!("{event} in {round} of {waiters}"));
            let address = &spindle.process.address;
            held.event(&wake, address, &mut histogram).await?;
        }
        p99.push(histogram.value_at_quantile(0.99) as f64 / 1000.0);
    }
    let kib = held.kib_per_waiter;
    held.release().await?;
    Ok((median_of(p99), kib))
}

fn wake_floor() -> Prepared {
    Prepared::new("GET", "/wake", None, &[])
}

fn set_status(spindle: &Spindle, text: &str) -> Prepared {
    let form = [("status_text", text)];
    Prepared::new(
        "POST",
        "/api/v1/users/me/status",
        spindle.owner.credentials(),
        &form,
    )
}

/// One waiter at a time. Reports both the time until the write is answered and the time from that answer
/// until the event arrives, since users see the sum.
async fn commit_to_wire(plan: &Plan, spindle: &Spindle, table: &mut Table) -> Result<()> {
    let mut waiter = Waiter::registered(&spindle.process.address, &spindle.owner).await?;
    let mut writer = Connection::open(&spindle.process.address).await?;
    let (mut event, mut write) = (new_histogram(), new_histogram());
    for number in 0..200 * plan.rounds {
        let request = set_status(spindle, &format!("wire {number}"));
        waiter.start().await?;
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let started = Instant::now();
        writer.start(&request).await?;
        let writer_answer = async {
            let answer = writer.finish().await?;
            answer.json()?;
            anyhow::Ok(started.elapsed())
        };
        let waiter_answer = async {
            waiter.finish().await?;
            anyhow::Ok(started.elapsed())
        };
        let (written, delivered) = tokio::try_join!(writer_answer, waiter_answer)?;
        write.saturating_record(written.as_micros() as u64);
        event.saturating_record(delivered.saturating_sub(written).as_micros() as u64);
    }
    let ms = |us: u64| us as f64 / 1000.0;
    table.value(
        "write answered, p50",
        ms(write.value_at_quantile(0.5)),
        "ms",
        "",
    );
    table.value(
        "event after the write's answer, p50",
        ms(event.value_at_quantile(0.5)),
        "ms",
        "",
    );
    table.goal(
        "event after the write's answer, p99",
        ms(event.value_at_quantile(0.99)),
        "ms",
        false,
        5.0,
    );
    Ok(())
}

/// Many held requests of one server.
struct Waiting {
    waiters: Vec<HeldRequest>,
    kib_per_waiter: f64,
    pid_memory: Box<dyn Fn() -> Result<u64> + Send>,
    before_kib: u64,
}

enum HeldRequest {
    Floor(Connection),
    Poll(Box<Waiter>),
}

impl held::Held for HeldRequest {
    async fn start(&mut self) -> Result<()> {
        match self {
            Self::Floor(connection) => {
                connection
                    .start(&Prepared::new("GET", "/wait", None, &[]))
                    .await
            }
            Self::Poll(waiter) => waiter.start().await,
        }
    }

    async fn finish(&mut self) -> Result<()> {
        match self {
            Self::Floor(connection) => connection.finish().await.map(drop),
            Self::Poll(waiter) => waiter.finish().await,
        }
    }
}

fn memory_of(process: &Process) -> Box<dyn Fn() -> Result<u64> + Send> {
    let pid = process.pid();
    Box::new(move || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok())
            .context("no VmRSS")
    })
}

impl Waiting {
    async fn of_floor(floor: &Process, count: usize) -> Result<Self> {
        let mut held = Self::empty(memory_of(floor))?;
        for _ in 0..count {
            held.waiters
                .push(HeldRequest::Floor(Connection::open(&floor.address).await?));
        }
        Ok(held)
    }

    async fn of_spindle(spindle: &Spindle, accounts: &[Account], count: usize) -> Result<Self> {
        let mut held = Self::empty(memory_of(&spindle.process))?;
        for account in accounts.iter().cycle().take(count) {
            let waiter = Waiter::registered(&spindle.process.address, account).await?;
            held.waiters.push(HeldRequest::Poll(Box::new(waiter)));
        }
        Ok(held)
    }

    fn empty(pid_memory: Box<dyn Fn() -> Result<u64> + Send>) -> Result<Self> {
        let before_kib = pid_memory()?;
        Ok(Self {
            waiters: Vec::new(),
            kib_per_waiter: 0.0,
            pid_memory,
            before_kib,
        })
    }

    /// Holds all requests, triggers an event, and records the microseconds from the triggering request
    /// until each answer.
    async fn event(
        &mut self,
        wake: &Prepared,
        address: &str,
        histogram: &mut Histogram<u64>,
    ) -> Result<()> {
        held::hold(&mut self.waiters).await?;
        let grown = (self.pid_memory)()?.saturating_sub(self.before_kib);
        self.kib_per_waiter = grown as f64 / self.waiters.len() as f64;
        held::wake(&mut self.waiters, address, wake, histogram).await
    }

    /// Ends the queues, so that the next size starts from an empty service.
    async fn release(self) -> Result<()> {
        for waiter in self.waiters {
            if let HeldRequest::Poll(mut waiter) = waiter {
                waiter.end().await?;
            }
        }
        Ok(())
    }
}
