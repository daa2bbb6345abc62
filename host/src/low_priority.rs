//! Threads of low priority, for work that is known to take long, and one for the writers that have to wait for each other.
//!
//! With more work than processors, the kernel gives a thread of [`LONG`] a ninth of the time of an ordinary one,
//! and an ordinary one that becomes ready runs before it. So a short request waits for no long one, and long work
//! still goes on beside any number of short requests (docs/adr/0061-long-work-yields.md).
//!
//! Owns these threads. A thread may lower its priority and never raise it, and a thread begins with the priority of
//! the one that starts it. Hence what must not run here:
//! - what others wait for while it goes on: a write transaction, a commit, delivery, accepting connections. A reader
//!   of SQLite's write-ahead log makes no one wait; read connections, of which there are few, are kept for short reads
//!   by the limits on slow ones. Locks within the process (the list of idle connections, the allocator's) are held for
//!   less than a microsecond.
//! - what starts a thread for other work: blocking calls on a handle of another runtime.

mod computing;
mod moving;

pub(crate) use computing::Computing;
use moving::Place;
pub(crate) use moving::{among_writers, lower, movable, raise};
use std::sync::OnceLock;
use std::thread::available_parallelism;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// For all work that takes long.
pub(crate) static LONG: Threads = Threads {
    name: "spindle-long",
    place: Place::LowPriority,
    lower_by: 10,
    runtime: OnceLock::new(),
};
/// For write transactions that had to wait for the writer lock, one at a time: of ordinary priority, but without
/// other work. On a thread of the runtime, the one whose turn has come would wait for what that thread does, and all
/// other writers with it.
static WRITING: Threads = Threads {
    name: "spindle-write",
    place: Place::Writing,
    lower_by: 0,
    runtime: OnceLock::new(),
};

static ORDINARY: OnceLock<Priority> = OnceLock::new();

/// Threads of one kind. They are started when they are first needed.
pub(crate) struct Threads {
    name: &'static str,
    place: Place,
    /// How much higher their nice value is than that of ordinary threads.
    lower_by: i32,
    runtime: OnceLock<Option<Runtime>>,
}

impl Threads {
    /// Runs `work`, which may block, on one of these threads. Must be called within a runtime.
    pub(crate) fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        match self.runtime() {
            Some(runtime) => runtime.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        }
    }

    /// `None` where the system refuses what a runtime needs: the work is then done by ordinary threads.
    fn runtime(&'static self) -> Option<&'static Runtime> {
        let start = || {
            // The first thread to come here is an ordinary one.
            let ordinary = *ORDINARY.get_or_init(Priority::of_this_thread);
            let priority = ordinary.lowered(self.lower_by);
            let workers = match self.place {
                Place::Writing => 1,
                _ => available_parallelism().map_or(1, usize::from),
            };
            let place = self.place;
            let built = Builder::new_multi_thread()
                .worker_threads(workers)
                .thread_name(self.name)
                .on_thread_start(move || {
                    priority.apply();
                    moving::mark_this_thread(place);
                })
                .enable_all()
                .build();
            let logged = built.inspect_err(|error| {
                tracing::warn!(threads = self.name, %error, "no threads of their own for a kind of work");
            });
            logged.ok()
        };
        self.runtime.get_or_init(start).as_ref()
    }
}

/// The result of work on another thread; its panic goes on in the caller.
pub(crate) async fn complete<T>(work: JoinHandle<T>) -> T {
    match work.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The process ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// The nice value of a thread: higher values are lower priorities.
#[derive(Debug, Clone, Copy)]
struct Priority(i32);

#[cfg(target_os = "linux")]
impl Priority {
    /// That of the calling thread.
    fn of_this_thread() -> Self {
        Self(rustix::process::getpriority_process(None).unwrap_or_default())
    }

    /// Gives it to the calling thread. A sandbox may forbid that; the thread then works with the priority that it has.
    fn apply(self) {
        let _ = rustix::process::setpriority_process(None, self.0);
    }
}

/// Elsewhere, the nice value is that of the whole process.
#[cfg(not(target_os = "linux"))]
impl Priority {
    fn of_this_thread() -> Self {
        Self(0)
    }

    fn apply(self) {}
}

impl Priority {
    /// 19 is the lowest priority.
    fn lowered(self, by: i32) -> Self {
        Self((self.0 + by).min(19))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) mod testing {
    /// The nice value of the calling thread, as the kernel reports it.
    pub(crate) fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The name, in parentheses, may hold blanks; the nice value is the nineteenth field.
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let nice = fields.split_whitespace().nth(16).unwrap();
        nice.parse().unwrap()
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::testing::nice;
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn long_work_has_a_low_priority_and_all_other_work_keeps_its_own() {
        let own = nice();
        for _ in 0..3 {
            assert_eq!(complete(LONG.run(nice)).await, (own + 10).min(19));
        }
        // A thread that is started by one of them begins with its priority, and has the same.
        let inner = LONG.run(|| tokio::task::spawn_blocking(nice));
        assert_eq!(complete(complete(inner).await).await, (own + 10).min(19));
        let others = (0..16).map(|_| tokio::task::spawn_blocking(nice));
        for other in others.collect::<Vec<_>>() {
            assert_eq!(complete(other).await, own);
        }
        assert_eq!(complete(tokio::spawn(async { nice() })).await, own);
        assert_eq!(nice(), own);
    }

    #[tokio::test]
    async fn a_panic_of_long_work_is_one_of_its_caller() {
        let panicking = tokio::spawn(async {
            let work: JoinHandle<()> = LONG.run(|| std::panic::panic_any("on purpose"));
            complete(work).await;
        });
        assert!(panicking.await.unwrap_err().is_panic());
    }

    #[test]
    fn no_priority_is_lower_than_the_lowest() {
        assert_eq!(Priority(15).lowered(10).0, 19);
    }
}
