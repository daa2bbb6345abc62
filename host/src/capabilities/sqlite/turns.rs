//! The order in which write transactions take their turns: fair between clients, in order of arrival for each.
//!
//! Start-time fair queueing: a virtual clock stands at the start of the turn that was granted last, and a client's next
//! turn starts when its last one has ended, or now if that is past. The earliest start is granted first. So a client
//! that writes seldom waits for the turn that has begun, and not for all that others have queued; of those that write
//! much, each gets the same time. Must not know what a turn is used for.

use crate::clock::micros;
use crate::memory::Client;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What every turn costs at least: its share of a commit.
const LEAST_COST: Duration = Duration::from_micros(100);
/// Clients whose last turn is remembered; when there are more, those that have no debt are forgotten.
const MAX_REMEMBERED: usize = 1024;

/// From this on, a turn has been taken late after it was granted.
const LATE: Duration = Duration::from_millis(3);
/// Turns count as taken late for this multiple of the delay, so that the writer loses at most a thousandth of its
/// time before that is noticed again.
const LATE_FACTOR: u32 = 1000;

/// `None`: the server itself, and requests whose client is not known.
type Key = Option<Client>;

/// Grants one turn at a time.
pub(super) struct Turns {
    state: Mutex<State>,
    opened_at: Instant,
    /// Until when turns count as taken late, in microseconds since `opened_at`.
    late_until: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The client that has the turn.
    holder: Option<Key>,
    /// The virtual clock, in microseconds of turns.
    now: u64,
    /// Numbers the entries of `order`: of the same start, the one that came first is granted first.
    next_number: u64,
    /// Clients that wait and do not have the turn, by the start of their next one.
    order: BTreeMap<(u64, u64), Key>,
    clients: HashMap<Key, Lane>,
}

/// The turns of one client.
#[derive(Default)]
struct Lane {
    /// The end of its last turn, by the virtual clock.
    end: u64,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// The turn of a client. When it is dropped, the next one begins.
pub(super) struct Turn {
    turns: Arc<Turns>,
    client: Key,
    began_at: Instant,
    /// What it has cost, once that is known.
    cost: Option<Duration>,
}

impl Turns {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            opened_at: Instant::now(),
            late_until: AtomicU64::new(0),
        })
    }

    /// Whether those whose turn had come were late to take it: other work on their threads was before them, while
    /// all others waited.
    pub(super) fn are_taken_late(&self) -> bool {
        let now = micros(self.opened_at.elapsed());
        now < self.late_until.load(Ordering::Relaxed)
    }

    fn note_delay(&self, delay: Duration) {
        if delay >= LATE {
            let until = micros(self.opened_at.elapsed() + delay * LATE_FACTOR);
            self.late_until.fetch_max(until, Ordering::Relaxed);
        }
    }

    /// Waits for a turn. A caller that no longer waits has left the queue.
    pub(super) async fn acquire(self: &Arc<Self>, client: Option<Client>) -> Turn {
        let granted = {
            let mut state = self.state();
            if state.holder.is_none() {
                state.begin(client);
                return self.turn(client);
            }
            let (sender, granted) = oneshot::channel();
            state.join(client, sender);
            granted
        };
        match granted.await {
            Ok(turn) => {
                self.note_delay(turn.began_at.elapsed());
                turn
            }
            // A sender is only dropped unused when its receiver is gone.
            Err(_) => std::future::pending().await,
        }
    }

    /// A turn of the server itself, if no one has or awaits one.
    pub(super) fn try_acquire(self: &Arc<Self>) -> Option<Turn> {
        let mut state = self.state();
        if state.holder.is_some() {
            return None;
        }
        state.begin(None);
        drop(state);
        Some(self.turn(None))
    }

    fn turn(self: &Arc<Self>, client: Key) -> Turn {
        Turn {
            turns: Arc::clone(self),
            client,
            began_at: Instant::now(),
            cost: None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// The client's use of its turn ends now. What follows until the turn is dropped is not its cost.
    pub(super) fn settle(&mut self) {
        self.cost.get_or_insert_with(|| self.began_at.elapsed());
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.settle();
        let granted = {
            let mut state = self.turns.state();
            state.end(self.client, self.cost.unwrap_or_default());
            state.grant()
        };
        if let Some((client, sender)) = granted {
            // Not while the lock is held: a turn that no one awaits any more comes back, and is dropped.
            drop(sender.send(self.turns.turn(client)));
        }
    }
}

impl State {
    /// A client that need not wait begins its turn.
    fn begin(&mut self, client: Key) {
        self.now = self.start_of(client);
        self.holder = Some(client);
    }

    /// When the next turn of a client starts.
    fn start_of(&self, client: Key) -> u64 {
        let end = self.clients.get(&client).map_or(0, |lane| lane.end);
        end.max(self.now)
    }

    fn join(&mut self, client: Key, sender: oneshot::Sender<Turn>) {
        let lane = self.clients.entry(client).or_default();
        lane.waiting.push_back(sender);
        let is_first = lane.waiting.len() == 1;
        if is_first && self.holder != Some(client) {
            self.queue(client);
        }
    }

    fn queue(&mut self, client: Key) {
        let start = self.start_of(client);
        self.order.insert((start, self.next_number), client);
        self.next_number += 1;
    }

    /// The turn of a client has ended, at this cost.
    fn end(&mut self, client: Key, cost: Duration) {
        self.holder = None;
        let end = self.now.saturating_add(micros(cost.max(LEAST_COST)));
        let lane = self.clients.entry(client).or_default();
        lane.end = end;
        if !lane.waiting.is_empty() {
            self.queue(client);
        }
        if self.clients.len() > MAX_REMEMBERED {
            let now = self.now;
            self.clients
                .retain(|_, lane| lane.end > now || !lane.waiting.is_empty());
        }
    }

    /// The turn that begins next, and the one who waits for it.
    fn grant(&mut self) -> Option<(Key, oneshot::Sender<Turn>)> {
        while let Some(((start, _), client)) = self.order.pop_first() {
            let waiting = self.clients.get_mut(&client).map(|lane| &mut lane.waiting);
            let sender = waiting.and_then(|waiting| {
                std::iter::from_fn(|| waiting.pop_front()).find(|sender| !sender.is_closed())
            });
            if let Some(sender) = sender {
                self.now = self.now.max(start);
                self.holder = Some(client);
                return Some((client, sender));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    type Waiting = Pin<Box<dyn Future<Output = Turn>>>;

    const BUSY: Option<Client> = Some(Client::Account(1));
    const OTHER: Option<Client> = Some(Client::Account(2));

    /// Queues for a turn, which another one has.
    fn wait(turns: &Arc<Turns>, client: Key) -> Waiting {
        let turns = Arc::clone(turns);
        let mut waiting: Waiting = Box::pin(async move { turns.acquire(client).await });
        assert!(granted(&mut waiting).is_none());
        waiting
    }

    fn granted(waiting: &mut Waiting) -> Option<Turn> {
        match waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    /// Ends a turn that has taken this many milliseconds.
    fn end(mut turn: Turn, milliseconds: u64) {
        turn.cost = Some(Duration::from_millis(milliseconds));
    }

    fn free(turns: &Arc<Turns>) -> Turn {
        turns.try_acquire().expect("no one has the turn")
    }

    #[test]
    fn one_client_takes_its_turns_in_order_of_arrival() {
        let turns = Turns::new();
        let first = free(&turns);
        let mut waiting: Vec<_> = (0..3).map(|_| wait(&turns, BUSY)).collect();
        assert!(turns.try_acquire().is_none());
        drop(first);
        for place in 0..3 {
            let turn = granted(&mut waiting[place]).expect("its turn");
            assert!(
                waiting[place + 1..]
                    .iter_mut()
                    .all(|one| granted(one).is_none())
            );
            end(turn, 1);
        }
        drop(free(&turns));
    }

    #[test]
    fn one_who_writes_seldom_is_next() {
        let turns = Turns::new();
        let mut busy = Vec::new();
        let first = pin!(turns.acquire(BUSY)).poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(mut turn) = first else {
            panic!("it need not wait");
        };
        busy.extend((0..20).map(|_| wait(&turns, BUSY)));
        for mut one in busy {
            let mut other = wait(&turns, OTHER);
            end(turn, 5);
            end(granted(&mut other).expect("the other's turn"), 1);
            turn = granted(&mut one).expect("its turn");
        }
    }

    #[test]
    fn those_who_write_much_get_the_same_time() {
        let turns = Turns::new();
        let first = free(&turns);
        let mut long: Vec<_> = (0..10).map(|_| wait(&turns, BUSY)).collect();
        let mut short: Vec<_> = (0..100).map(|_| wait(&turns, OTHER)).collect();
        drop(first);
        let (mut times, mut is_idle) = ([0, 0], false);
        while !is_idle && times[0] + times[1] < 100 {
            is_idle = true;
            for (client, waiting, takes) in [(0, &mut long, 10), (1, &mut short, 1)] {
                if let Some(turn) = waiting.first_mut().and_then(granted) {
                    drop(waiting.remove(0));
                    end(turn, takes);
                    times[client] += takes;
                    is_idle = false;
                }
            }
        }
        assert!(times[0].abs_diff(times[1]) <= 10, "{times:?}");
    }

    #[test]
    fn one_who_no_longer_waits_is_passed_over() {
        let turns = Turns::new();
        let first = free(&turns);
        let (left, mut stays) = (wait(&turns, BUSY), wait(&turns, OTHER));
        let granted_and_left = wait(&turns, BUSY);
        drop(left);
        drop(first);
        // Granted, but never taken.
        drop(granted_and_left);
        let turn = granted(&mut stays).expect("its turn");
        drop(turn);
        drop(free(&turns));
    }

    #[test]
    fn turns_that_are_taken_late_are_noticed_for_a_while() {
        let turns = Turns::new();
        turns.note_delay(LATE / 2);
        assert!(!turns.are_taken_late());
        turns.note_delay(LATE);
        assert!(turns.are_taken_late());
        let left = turns.late_until.load(Ordering::Relaxed) - micros(turns.opened_at.elapsed());
        assert!(left > 2_900_000 && left <= 3_000_000, "{left}");
    }

    #[test]
    fn clients_without_debt_are_forgotten() {
        let turns = Turns::new();
        for number in 0..3 * MAX_REMEMBERED {
            let client = i64::try_from(number).ok().map(Client::Account);
            let turn = pin!(turns.acquire(client)).poll(&mut Context::from_waker(Waker::noop()));
            let Poll::Ready(turn) = turn else {
                panic!("it need not wait");
            };
            end(turn, 1);
            // The clock goes on with the next one.
            end(free(&turns), 1);
        }
        assert!(turns.state().clients.len() <= MAX_REMEMBERED + 1);
    }
}
