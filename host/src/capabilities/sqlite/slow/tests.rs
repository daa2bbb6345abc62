//! Which clients wait for a slow read, and which are refused.

use super::*;

const SHORT: Duration = Duration::from_millis(20);

#[test]
fn few_slow_reads_run_at_once() {
    let on = |processors| {
        (
            max_slow_reads_on(processors),
            max_slow_reads_of_client(processors),
        )
    };
    assert_eq!([1, 2, 4, 16].map(on), [(2, 1), (2, 1), (4, 2), (16, 8)]);
}

#[tokio::test]
async fn one_client_has_two_permits_and_all_have_four() {
    let slow = Arc::new(SlowReads::on(4));
    let [one, two, three] = [1, 2, 3].map(|id| Some(Client::Account(id)));
    let mut permits = Vec::new();
    for client in [one, one] {
        permits.push(slow.acquire(client, false, SHORT).await.unwrap());
    }
    assert!(slow.acquire(one, false, SHORT).await.is_err());
    for client in [two, two] {
        permits.push(slow.acquire(client, true, SHORT).await.unwrap());
    }
    assert!(slow.acquire(three, false, SHORT).await.is_err());
    permits.remove(0);
    assert!(slow.acquire(three, false, SHORT).await.is_ok());
    drop(permits);
    assert!(slow.queues().is_empty());
    for waiting in &slow.waiting {
        assert_eq!(waiting.load(Ordering::Relaxed), 0);
    }
}

/// How many reads of one client wait, beside two that run, before the next is refused at once.
async fn waiting_until_refused(slow: &Arc<SlowReads>, holds_reader: bool) -> usize {
    let client = Some(Client::Account(1));
    let late = Duration::from_secs(20);
    let acquire = || Box::pin(slow.acquire(client, holds_reader, late));
    let mut permits = vec![acquire().await.unwrap(), acquire().await.unwrap()];
    let mut waiting = Vec::new();
    loop {
        let mut next = acquire();
        match tokio::time::timeout(Duration::from_millis(1), &mut next).await {
            Err(_) => waiting.push(next),
            Ok(outcome) => {
                assert!(outcome.is_err());
                break;
            }
        }
    }
    let count = waiting.len();
    permits.clear();
    assert!(waiting.remove(0).await.is_ok());
    count
}

#[tokio::test]
async fn a_few_clients_do_not_fill_the_queue_for_others() {
    let slow = Arc::new(SlowReads::on(2));
    let late = Duration::from_secs(20);
    let waits = async |client: i64| {
        let client = Some(Client::Account(client));
        let mut next = Box::pin(slow.acquire(client, true, late));
        let outcome = tokio::time::timeout(Duration::from_millis(1), &mut next).await;
        outcome.is_err().then_some(next)
    };
    let mut running = Vec::new();
    for client in [1, 2] {
        let client = Some(Client::Account(client));
        running.push(slow.acquire(client, true, SHORT).await.unwrap());
    }
    let mut waiting = Vec::new();
    for client in [1, 2, 3] {
        for _ in 0..4 {
            waiting.push(waits(client).await.expect("it waits"));
        }
    }
    assert!(waits(3).await.is_none(), "the queue is full");
    for client in 4..16 {
        waiting.push(waits(client).await.expect("its first one waits"));
    }
    assert!(waits(16).await.is_none(), "the queue has a bound");
    drop((running, waiting));
    assert!(slow.queues().is_empty());
}

#[tokio::test]
async fn the_queue_is_bounded_and_shorter_for_those_who_hold_a_reader() {
    let slow = Arc::new(SlowReads::on(4));
    assert_eq!(waiting_until_refused(&slow, true).await, 4);
    assert_eq!(waiting_until_refused(&slow, false).await, 32);
    assert!(slow.queues().is_empty());
}
