//! A pool of threads of low priority, for slow reads, compression and archives.
//!
//! With more work than processors, the kernel gives a thread of [`LONG`] a ninth of the time of an ordinary one, and an
//! ordinary one that becomes ready runs first. So short requests do not wait for long work, and long work still
//! progresses (docs/adr/0066-one-admission.md).
//!
//! Nothing that others wait for may run here: no write transaction, commit, delivery or accepting of connections, and
//! nothing that starts threads for such work. A reader of SQLite's write-ahead log delays no one else.

use std::sync::OnceLock;
use std::thread::available_parallelism;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// How much higher the nice value of these threads is than an ordinary thread's.
const LOWER_BY: i32 = 10;

/// The pool.
pub static LONG: Threads = Threads {
    runtime: OnceLock::new(),
};

/// The threads, which start when they are first needed.
pub struct Threads {
    runtime: OnceLock<Option<Runtime>>,
}

impl Threads {
    /// Runs `work`, which may block. Must be called within a runtime.
    pub fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        match self.runtime() {
            Some(runtime) => runtime.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        }
    }

    /// `None` if the system refuses the threads; ordinary ones then do the work.
    fn runtime(&'static self) -> Option<&'static Runtime> {
        let start = || {
            // A thread inherits the priority of the one that starts it, and the first caller has the ordinary one.
            let priority = Priority::of_this_thread().lowered(LOWER_BY);
            let workers = available_parallelism().map_or(1, usize::from);
            let built = Builder::new_multi_thread()
                .worker_threads(workers)
                .thread_name("spindle-long")
                .on_thread_start(move || priority.apply())
                .enable_all()
                .build();
            let logged = built.inspect_err(|error| {
                tracing::warn!(%error, "cannot start threads of low priority");
            });
            logged.ok()
        };
        self.runtime.get_or_init(start).as_ref()
    }
}

/// The result of work on another thread; a panic in it resumes in the caller.
pub async fn complete<T>(work: JoinHandle<T>) -> T {
    match work.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The process ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Runs `work` on a thread of low priority of its own, and waits for it: for callers that may block and have no runtime.
pub fn run_blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let priority = Priority::of_this_thread().lowered(LOWER_BY);
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            priority.apply();
            work()
        });
        match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The nice value of a thread: higher values are lower priorities.
#[derive(Debug, Clone, Copy)]
struct Priority(i32);

#[cfg(target_os = "linux")]
impl Priority {
    /// The nice value of the calling thread.
    fn of_this_thread() -> Self {
        Self(rustix::process::getpriority_process(None).unwrap_or_default())
    }

    /// Gives it to the calling thread. A sandbox may forbid that; the thread then works with the priority that it has.
    fn apply(self) {
        let _ = rustix::process::setpriority_process(None, self.0);
    }
}

/// Elsewhere, the nice value belongs to the whole process.
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
