//! Blocking calls on the runtime's threads.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs `f`, which blocks, on this thread; the runtime moves other tasks to another thread. Outside of
/// a runtime with several threads it is a plain call.
pub fn blocking<T>(f: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(f),
        _ => f(),
    }
}
