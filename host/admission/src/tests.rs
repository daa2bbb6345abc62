//! Which requests run, which wait, and which are refused.

use super::*;

const SOON: Duration = Duration::from_millis(5);
const ONE: Client = Client::Account(1);
const TWO: Client = Client::Account(2);

fn queue(at_once: usize, of_client: usize, waiting: usize) -> Arc<Queue> {
    Queue::new(Limit {
        at_once,
        of_client,
        waiting,
        patience: Duration::from_secs(20),
    })
}

fn admission(given: u64) -> Arc<Admission> {
    Arc::new(Admission::new(Memory::of(given), 4, 4))
}

/// Whether a request waits; it continues to wait while the future is kept.
async fn waits<T>(entering: &mut (impl Future<Output = T> + Unpin)) -> bool {
    timeout(SOON, entering).await.is_err()
}

#[test]
fn the_limits_follow_from_the_processors() {
    let on = |processors| (hashes_on(processors), slow_on(processors));
    let expected = [(1, (2, 1)), (1, (2, 1)), (2, (4, 2)), (8, (16, 8))];
    assert_eq!([1, 2, 4, 16].map(on), expected);
}

#[tokio::test]
async fn a_client_has_a_part_of_the_shares() {
    let queue = queue(3, 2, 10);
    let enter = |client| Box::pin(queue.enter(client, Holding::Nothing));
    let mut running = vec![enter(ONE).await.unwrap(), enter(ONE).await.unwrap()];
    let mut own = enter(ONE);
    assert!(waits(&mut own).await);
    running.push(enter(TWO).await.unwrap());
    let mut other = enter(TWO);
    assert!(waits(&mut other).await);
    running.remove(0);
    // The other one came first to the share that is free.
    assert!(waits(&mut own).await);
    assert!(other.await.is_ok());
    assert!(own.await.is_ok());
    running.clear();
    let counts = queue.counts();
    assert!(counts.clients.is_empty());
    assert_eq!(counts.waiting, [0, 0]);
}

#[tokio::test]
async fn a_few_clients_do_not_fill_the_queue_for_others() {
    let queue = queue(1, 1, 3);
    let running = queue.enter(ONE, Holding::Nothing).await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let mut entering = Box::pin(queue.enter(ONE, Holding::Nothing));
        assert!(waits(&mut entering).await);
        waiting.push(entering);
    }
    assert!(queue.enter(ONE, Holding::Nothing).await.is_err());
    for client in 2..5 {
        let mut first = Box::pin(queue.enter(Client::Account(client), Holding::Nothing));
        assert!(waits(&mut first).await);
        waiting.push(first);
    }
    let last = queue.enter(Client::Account(5), Holding::Nothing).await;
    assert!(last.is_err(), "the queue has a bound");
    drop((running, waiting));
    assert!(queue.counts().clients.is_empty());
}

#[tokio::test]
async fn few_wait_with_a_reader() {
    let queue = queue(1, 1, 256);
    let _running = queue.enter(ONE, Holding::Reader).await.unwrap();
    let mut waiting = Vec::new();
    loop {
        let mut entering = Box::pin(queue.enter(ONE, Holding::Reader));
        match timeout(SOON, &mut entering).await {
            Err(_) => waiting.push(entering),
            Ok(refused) => break assert!(refused.is_err()),
        }
    }
    assert_eq!(waiting.len(), WAITING_WITH_READER);
    let mut without = Box::pin(queue.enter(ONE, Holding::Nothing));
    assert!(waits(&mut without).await);
}

#[tokio::test]
async fn a_ticket_is_exchanged_and_returns_its_former_share() {
    let admission = admission(1 << 20);
    let mut tickets = Vec::new();
    for client in 0..4 {
        let client = Client::Account(client);
        tickets.push(admission.admit(client, Class::Ordinary).await.unwrap());
    }
    let mut next = Box::pin(admission.admit(TWO, Class::Ordinary));
    assert!(waits(&mut next).await);
    let slow = tickets.remove(0);
    slow.exchange(Class::Slow, Holding::Nothing).await.unwrap();
    assert_eq!(slow.class(), Class::Slow);
    assert!(next.await.is_ok());
    // It stays slow.
    slow.exchange(Class::Hash, Holding::Nothing).await.unwrap();
    assert_eq!(slow.class(), Class::Slow);
}

#[tokio::test]
async fn a_request_waits_until_its_client_has_read_its_answers() {
    let admission = admission(8 << 20);
    let memory = Arc::clone(admission.memory());
    let unread = memory.hold_answer(ONE, 1 << 20);
    let mut next = Box::pin(admission.admit(ONE, Class::Ordinary));
    assert!(waits(&mut next).await);
    assert!(admission.admit(TWO, Class::Ordinary).await.is_ok());
    drop(unread);
    assert!(next.await.is_ok());
}

#[tokio::test]
async fn a_large_body_waits_for_memory() {
    let admission = admission(16 << 20);
    let ticket = admission.admit(ONE, Class::Transfer).await.unwrap();
    let first = ticket.hold_body(2 << 20).await.unwrap();
    let mut second = Box::pin(ticket.hold_body(1));
    assert!(waits(&mut second).await);
    drop(first);
    assert!(second.await.is_ok());
}

#[tokio::test]
async fn the_last_holder_of_a_ticket_charges_for_what_was_written() {
    let admission = admission(1 << 20);
    let charged = Arc::new(Mutex::new(Vec::new()));
    let charge = |who: &'static str| -> Charge {
        let charged = Arc::clone(&charged);
        Box::new(move |bytes| charged.lock().unwrap().push((who, bytes)))
    };
    let ticket = admission.admit(ONE, Class::Ordinary).await.unwrap();
    ticket.charge_with(charge("the address"));
    // The front drops the request when its client disconnects, and the component continues.
    let of_front = Arc::new(ticket);
    let of_component = Arc::clone(&of_front);
    drop(of_front);
    of_component.wrote(3);
    of_component.charge_with(charge("the account"));
    of_component.wrote(4);
    assert!(charged.lock().unwrap().is_empty());
    drop(of_component);
    assert_eq!(*charged.lock().unwrap(), [("the account", 7)]);
}
