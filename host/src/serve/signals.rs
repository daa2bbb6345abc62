//! When to stop: SIGTERM from a supervisor, SIGINT from a terminal.

use tokio::signal::unix::{SignalKind, signal};

/// Returns when the process is asked to stop. A second request ends it at once.
pub async fn stop_requested() {
    wait().await;
    tokio::spawn(async {
        wait().await;
        std::process::exit(1);
    });
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
