//! When to stop: SIGTERM from a supervisor, SIGINT from a terminal. SIGHUP means: read again.

use tokio::signal::unix::{SignalKind, signal};

/// Returns when the process is asked to stop. A second request ends it at once.
pub async fn stop_requested() {
    wait().await;
    tokio::spawn(async {
        wait().await;
        std::process::exit(1);
    });
}

/// Does `action` at every SIGHUP, for as long as the process lives.
pub(super) fn at_hangup(action: impl Fn() + Send + 'static) {
    match signal(SignalKind::hangup()) {
        Ok(mut hangup) => {
            tokio::spawn(async move {
                while hangup.recv().await.is_some() {
                    action();
                }
            });
        }
        Err(error) => tracing::warn!(%error, "SIGHUP will end the server"),
    }
}

async fn wait() {
    match (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
        // Without handlers the signals end the process by themselves.
        _ => std::future::pending().await,
    }
}
