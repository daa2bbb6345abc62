//! Order, pace, priority and bounds of a fair queue.

use super::*;

const SHORT: Duration = Duration::from_millis(20);

async fn waits(queue: &FairQueue, holder: Client) -> bool {
    tokio::time::timeout(SHORT, queue.acquire(holder))
        .await
        .is_err()
}

#[tokio::test]
async fn one_client_has_one_permit_and_all_share_the_limit() {
    let queue = FairQueue::new(2);
    let [one, two, three] = [1, 2, 3].map(Client::Account);
    let first = queue.acquire(one).await.unwrap();
    assert!(waits(&queue, one).await);
    let second = queue.acquire(two).await.unwrap();
    assert!(waits(&queue, three).await);
    drop(first);
    assert!(!waits(&queue, three).await);
    drop(second);
}

#[tokio::test]
async fn a_client_that_has_just_had_a_permit_is_behind_others() {
    let queue = Arc::new(FairQueue::new(1));
    let [busy, other, calm] = [1, 2, 3].map(Client::Account);
    drop(queue.acquire(busy).await.unwrap());
    let held = queue.acquire(other).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = Vec::new();
    for client in [busy, calm] {
        let (queue, order) = (Arc::clone(&queue), Arc::clone(&order));
        tasks.push(tokio::spawn(async move {
            let _permit = queue.acquire(client).await.unwrap();
            order.lock().unwrap().push(client);
        }));
        tokio::time::sleep(SHORT).await;
    }
    drop(held);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), [calm, busy]);
}

#[tokio::test]
async fn new_clients_are_before_it_for_a_short_time_only() {
    let queue = FairQueue::new(1);
    let [busy, first] = [1, 2].map(Client::Account);
    drop(queue.acquire(busy).await.unwrap());
    let held = queue.acquire(first).await.unwrap();
    let mut waiting = Box::pin(queue.acquire(busy));
    assert!(tokio::time::timeout(SHORT, &mut waiting).await.is_err());
    tokio::time::sleep(RECENT).await;
    let mut late = Box::pin(queue.acquire(Client::Account(3)));
    assert!(tokio::time::timeout(SHORT, &mut late).await.is_err());
    drop(held);
    waiting.await.unwrap();
}

#[tokio::test]
async fn with_a_pace_a_client_waits_after_each_use_and_others_do_not() {
    let pace = 4 * SHORT;
    let queue = FairQueue::new(2).paced(pace);
    let [busy, other] = [1, 2].map(Client::Account);
    drop(queue.acquire(busy).await.unwrap());
    let used = Instant::now();
    assert!(!waits(&queue, other).await);
    drop(queue.acquire(busy).await.unwrap());
    assert!(used.elapsed() >= pace - SHORT);
}

/// Whether the client's use, which takes so much processor time, has low priority.
async fn computes(queue: &FairQueue, holder: Client, time: Duration) -> bool {
    let permit = queue.acquire(holder).await.unwrap();
    permit.computing().add(time);
    permit.computing().has_low_priority()
}

#[tokio::test]
async fn a_client_that_computes_much_has_low_priority_until_it_has_paid() {
    let queue = FairQueue::new(1).with_low_priority(1);
    let [busy, other] = [1, 2].map(Client::Account);
    assert!(!computes(&queue, busy, 10 * SHORT).await);
    assert!(computes(&queue, busy, SHORT).await);
    assert!(!computes(&queue, other, SHORT).await);
    tokio::time::sleep((10 + 1) * SHORT * PRICE).await;
    assert!(!computes(&queue, busy, Duration::ZERO).await);
    // What takes no time costs none.
    assert!(!computes(&queue, busy, 100 * MOST_OWED).await);
    assert!(computes(&queue, busy, SHORT).await);
    tokio::time::sleep(MOST_OWED + SHORT * PRICE).await;
    assert!(!computes(&queue, busy, SHORT).await);
}

#[tokio::test]
async fn what_has_low_priority_is_beside_all_other_use() {
    let queue = FairQueue::new(1).with_low_priority(1);
    let [busy, too, calm] = [1, 2, 3].map(Client::Account);
    for client in [busy, too] {
        computes(&queue, client, MOST_OWED).await;
    }
    let low = queue.acquire(busy).await.unwrap();
    assert!(low.computing().has_low_priority());
    assert!(waits(&queue, too).await);
    let held = queue.acquire(calm).await.unwrap();
    drop(low);
    assert!(!waits(&queue, too).await);
    drop(held);
}

#[tokio::test]
async fn without_low_priority_all_have_the_same() {
    let queue = FairQueue::new(1);
    let busy = Client::Account(1);
    assert!(!computes(&queue, busy, MOST_OWED).await);
    assert!(!computes(&queue, busy, MOST_OWED).await);
}

#[tokio::test]
async fn one_that_no_longer_waits_has_left_the_queue() {
    let queue = FairQueue::new(1);
    let [one, two] = [1, 2].map(Client::Account);
    let held = queue.acquire(one).await.unwrap();
    assert!(waits(&queue, two).await);
    assert!(queue.permits.state().ordinary.order.is_empty());
    drop(held);
    assert!(!waits(&queue, one).await && !waits(&queue, two).await);
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let queue = Arc::new(FairQueue::new(1));
    let permit = queue.acquire(Client::Account(0)).await.unwrap();
    let acquire = |number: usize| {
        let queue = Arc::clone(&queue);
        let holder = Client::Account(number as i64);
        tokio::spawn(async move { queue.acquire(holder).await.is_ok() })
    };
    let queued: Vec<_> = (1..=MAX_QUEUED).map(acquire).collect();
    while queue.waiting.load(Ordering::Relaxed) < MAX_QUEUED {
        tokio::task::yield_now().await;
    }
    let one_more = queue.acquire(Client::Account(-1)).await;
    assert_eq!(one_more.err(), Some(FrontError::Overloaded));
    drop(permit);
    for waiting in queued {
        assert!(waiting.await.unwrap());
    }
    assert_eq!(queue.waiting.load(Ordering::Relaxed), 0);
}
