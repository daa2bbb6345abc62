//! Log lines to standard error, as text or JSON.
//!
//! Standard output belongs to results. Spans carry the request id; the layers here only
//! choose the form.

use std::io::IsTerminal as _;

use anyhow::Result;
use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Installs the log of the process.
///
/// # Errors
/// The filter cannot be read.
pub(super) fn start(level: &str, format: LogFormat) -> Result<()> {
    let filter: EnvFilter = level.parse()?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init(),
        LogFormat::Text => lines.compact().init(),
    }
    Ok(())
}
