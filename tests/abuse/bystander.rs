//! The bystander: ordinary accounts whose latency is measured alone and during an attack.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Client, Queue, Server, User};

use crate::attack::{self, Deed};
use crate::resources::{self, Resources};

/// How long it works before it is measured: the first call of each component starts an instance.
const WARMING_UP: Duration = Duration::from_millis(300);
/// The bounds during one attack (docs/adr/0066-one-admission.md); during several they are twice as wide.
const BOUNDS: Met = Met {
    late: Duration::from_millis(250),
    signing_in: Duration::from_secs(1),
    delivery: Duration::from_millis(250),
};
/// In the ordinary check, attacks are short and the machine is shared: a hundredth of a bystander's requests is one, which
/// a single pause of the machine delays. There only this multiple of the bounds fails, twice in a row.
const SHORT_ATTACKS: u32 = 4;
/// How often the bystander signs in.
const SIGNING_IN: Duration = Duration::from_millis(400);
const PASSWORD: &str = "a bystander's password";

/// Accounts that do ordinary work: one sends and reads, one polls for events, one signs in.
pub struct Bystander<'a> {
    server: &'a Server,
    sender: User,
    newcomer: User,
    visitor: Client,
    channel: String,
    queue: Queue,
}

/// Latencies measured over a period of work.
#[derive(Debug)]
struct Met {
    /// The 99th percentile of the requests.
    late: Duration,
    /// The 99th percentile of the sign-ins; of fewer than a hundred, the slowest.
    signing_in: Duration,
    /// The slowest delivery of a message's event after it was sent; with more than a thousand, the
    /// slowest but one in a thousand.
    delivery: Duration,
}

impl Met {
    /// Whether it is within this multiple of the bounds.
    fn is_within(&self, multiple: u32) -> bool {
        self.late <= BOUNDS.late * multiple
            && self.signing_in <= BOUNDS.signing_in * multiple
            && self.delivery <= BOUNDS.delivery * multiple
    }
}

impl<'a> Bystander<'a> {
    pub fn new(server: &'a Server) -> Self {
        let (sender, reader) = (server.user("member"), server.user("member"));
        let channel = fixture::channel(server, ChannelKind::Public, &[&sender, &reader]).id();
        Self {
            queue: Queue::of(&reader, &["message"]),
            server,
            sender,
            newcomer: server.user_with("member", &["--password", PASSWORD]),
            visitor: server.anonymous(),
            channel,
        }
    }

    /// Runs an attack for a while, repeated until its flag is set; the bystander's latencies stay within their bounds.
    /// One miss is repeated.
    pub fn beside(&mut self, attack: impl Fn(&AtomicBool) + Sync) {
        self.beside_all(&[&attack], attack::length());
    }

    /// As [`Bystander::beside`], with several attacks at the same time. The server's memory stays
    /// under its budget, and the server releases what the attacks took.
    pub fn beside_all(&mut self, attacks: &[Deed<'_>], length: Duration) {
        let server = self.server;
        self.work(WARMING_UP);
        let several = if attacks.len() > 1 { 2 } else { 1 };
        let before = Resources::of(server);
        for is_last in [false, true] {
            let is_over = AtomicBool::new(false);
            let (met, memory_kib) = std::thread::scope(|scope| {
                for attack in attacks {
                    let is_over = &is_over;
                    scope.spawn(move || {
                        attack::on_one_core();
                        attack(is_over);
                    });
                }
                let sampled = scope.spawn(|| resources::most_memory_kib(server, &is_over));
                let met = {
                    // The flag is also set when the bystander fails: otherwise the scope would wait
                    // for the attackers for ever.
                    let _ends = Ends(&is_over);
                    self.work(length)
                };
                (met, sampled.join().expect("the samples"))
            });
            println!("{met:?}, {memory_kib} KiB");
            assert!(memory_kib < resources::BUDGET_KIB, "{memory_kib} KiB");
            let slack = if attack::is_long() {
                before.are_given_back(server);
                1
            } else {
                SHORT_ATTACKS
            };
            if met.is_within(several * slack) {
                return;
            }
            assert!(!is_last, "{met:?}");
        }
    }

    fn work(&mut self, duration: Duration) -> Met {
        let until = Instant::now() + duration;
        let mut signs_in_at = Instant::now();
        let (mut took, mut delivery, mut signing_in) = (Vec::new(), Vec::new(), Vec::new());
        while Instant::now() < until {
            let content = format!("message {}", delivery.len());
            let message = [
                ("type", "channel"),
                ("to", self.channel.as_str()),
                ("topic", "work"),
                ("content", content.as_str()),
            ];
            let send = Call::new("POST", "/messages").form(&message);
            took.push(timed(&self.sender, &send));
            let sent = Instant::now();
            let events = self.queue.try_wait().expect("the poll is answered");
            delivery.push(sent.elapsed());
            assert_eq!(events.len(), 1, "{events:?}");
            let narrow = [
                ("anchor", "newest"),
                ("num_before", "10"),
                ("num_after", "0"),
            ];
            let read = Call::new("GET", "/messages").query(&narrow);
            took.push(timed(&self.sender, &read));
            took.push(timed(&self.sender, &Call::new("GET", "/users/me")));
            if Instant::now() >= signs_in_at {
                signs_in_at = Instant::now() + SIGNING_IN;
                signing_in.push(self.sign_in());
            }
        }
        took.sort();
        delivery.sort();
        signing_in.sort();
        Met {
            late: took[took.len() * 99 / 100],
            delivery: delivery[delivery.len() * 999 / 1000],
            signing_in: signing_in[signing_in.len() * 99 / 100],
        }
    }

    fn sign_in(&self) -> Duration {
        let pairs = [
            ("username", self.newcomer.email.as_str()),
            ("password", PASSWORD),
        ];
        let call = Call::new("POST", "/fetch_api_key").form(&pairs);
        timed(&self.visitor, &call)
    }
}

/// Ends the attack when it is dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The duration of a call that has to succeed.
fn timed(client: &Client, call: &Call) -> Duration {
    let started = Instant::now();
    let reply = client.try_send(call);
    let took = started.elapsed();
    reply.expect("the bystander gets an answer").ok();
    took
}
