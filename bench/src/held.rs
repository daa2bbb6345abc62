//! Requests that servers hold until something happens, many at a time.
//!
//! Owns how they are sent and how the time until their answers is measured.

use std::future::Future;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use hdrhistogram::Histogram;

use crate::http::{Connection, Prepared};

/// Requests that are sent together: this measures held requests, not a burst of new ones.
pub const BATCH: usize = 40;

pub trait Held: Send + Sized + 'static {
    /// Sends the request, without waiting for its answer.
    fn start(&mut self) -> impl Future<Output = Result<()>> + Send;

    /// Reads the answer.
    fn finish(&mut self) -> impl Future<Output = Result<()>> + Send;
}

/// Sends all requests, and waits until they are held.
pub async fn hold(requests: &mut [impl Held]) -> Result<()> {
    for batch in requests.chunks_mut(BATCH) {
        for request in batch {
            request.start().await?;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // A server that has not seen a queue before reads it from the database first.
    let settling = match requests.len() {
        0..=100 => Duration::from_millis(100),
        many => Duration::from_millis(1500) * u32::try_from(many.div_ceil(1000))?,
    };
    tokio::time::sleep(settling).await;
    Ok(())
}

/// Sends `wake` to `address` while all requests are held; records the microseconds from then until each answer.
pub async fn wake<H: Held>(
    requests: &mut Vec<H>,
    address: &str,
    wake: &Prepared,
    times: &mut Histogram<u64>,
) -> Result<()> {
    let mut waker = Connection::open(address).await?;
    let started = Instant::now();
    let finish = |mut request: H| async move {
        request.finish().await?;
        anyhow::Ok((request, started.elapsed()))
    };
    let tasks: Vec<_> = requests.drain(..).map(finish).map(tokio::spawn).collect();
    // Let every reader reach its socket, then start the clock.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let lead = started.elapsed();
    let answer = waker.send(wake).await?;
    ensure!(answer.status == 200, "status {}", answer.status);
    for task in tasks {
        let (request, elapsed) = task.await??;
        times.saturating_record(elapsed.saturating_sub(lead).as_micros() as u64);
        requests.push(request);
    }
    Ok(())
}
