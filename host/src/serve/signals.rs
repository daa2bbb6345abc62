//! Signals: SIGTERM and SIGINT stop the server, SIGHUP reloads certificates.

use tokio::signal::unix::{SignalKind, signal};

/// Returns when the process is asked to stop. A second signal ends it immediately.
pub async fn stop_requested() {
    wait().await;
    tokio::spawn(async {
        wait().await;
        std::process::exit(1);
    });
}

/// Runs `action` at every SIGHUP until the process ends.
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
        // Without handlers the signals end the process directly.
        _ => std::future::pending().await,
    }
}
