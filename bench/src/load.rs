//! Closed-loop load: each of several keep-alive connections sends its next request as soon as it has received an
//! answer.
//!
//! Owns the timing and the histogram. Any status but 200 ends the measurement with an error, since a fast wrong answer
//! is not a result.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hdrhistogram::Histogram;

use crate::Plan;
use crate::http::{Connection, Prepared};

/// Result of one round: requests per second, and latencies in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub requests: u64,
    pub per_second: f64,
    pub p50_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
}

/// Sends `request_of(connection number)` over `connections` connections for `duration`.
pub async fn closed_loop(
    address: &str,
    connections: usize,
    duration: Duration,
    request_of: impl Fn(usize) -> Prepared,
) -> Result<Figures> {
    let mut tasks = Vec::with_capacity(connections);
    let started = Instant::now();
    for number in 0..connections {
        let request = request_of(number);
        let mut connection = Connection::open(address).await?;
        tasks.push(tokio::spawn(async move {
            let mut histogram = new_histogram();
            while started.elapsed() < duration {
                let sent = Instant::now();
                let answer = connection.send(&request).await?;
                histogram.saturating_record(sent.elapsed().as_micros() as u64);
                if answer.status != 200 {
                    bail!(
                        "status {}: {}",
                        answer.status,
                        String::from_utf8_lossy(&answer.body)
                    );
                }
            }
            Ok(histogram)
        }));
    }
    let mut total = new_histogram();
    for task in tasks {
        total.add(task.await??)?;
    }
    let elapsed = started.elapsed().as_secs_f64();
    Ok(Figures {
        requests: total.len(),
        per_second: total.len() as f64 / elapsed,
        p50_us: total.value_at_quantile(0.50),
        p99_us: total.value_at_quantile(0.99),
        max_us: total.max(),
    })
}

/// The median of the planned number of rounds of [`closed_loop`].
pub async fn in_rounds(
    plan: &Plan,
    address: &str,
    connections: usize,
    request_of: impl Fn(usize) -> Prepared,
) -> Result<Figures> {
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        rounds.push(closed_loop(address, connections, plan.duration, &request_of).await?);
    }
    Ok(median(rounds))
}

/// Slices of a round when two servers are compared.
const TURNS: u32 = 4;

/// The ratio of two servers' requests per second, as the median of many short slices. Each slice measures
/// both, since the speed of a shared machine changes over time; the order alternates, since the second one
/// finds cold caches. A server is given by its address and the request of each connection.
pub async fn in_turns(
    plan: &Plan,
    connections: usize,
    (address, request): (&str, impl Fn(usize) -> Prepared),
    (address_beside, request_beside): (&str, impl Fn(usize) -> Prepared),
) -> Result<f64> {
    let duration = plan.duration / TURNS;
    let of = async || closed_loop(address, connections, duration, &request).await;
    let beside = async || closed_loop(address_beside, connections, duration, &request_beside).await;
    let mut ratios = Vec::new();
    for _ in 0..plan.rounds * TURNS as usize / 2 {
        let (first, second) = (of().await?, beside().await?);
        ratios.push(first.per_second / second.per_second);
        let (second, first) = (beside().await?, of().await?);
        ratios.push(first.per_second / second.per_second);
    }
    Ok(median_of(ratios))
}

/// From one microsecond to two minutes, three digits.
pub fn new_histogram() -> Histogram<u64> {
    let mut histogram = Histogram::new_with_bounds(1, 120_000_000, 3)
        .unwrap_or_else(|error| unreachable!("constant bounds are valid: {error}"));
    histogram.auto(false);
    histogram
}

/// The median of several rounds, by requests per second.
pub fn median(mut rounds: Vec<Figures>) -> Figures {
    rounds.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rounds[rounds.len() / 2]
}

/// The median of several values.
pub fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
