//! Log lines to standard error, as text or JSON.
//!
//! Standard output is for results. The layers here only choose the format; a panic is logged as a
//! line too.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _, Write};

use anyhow::Result;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::build_paths::without_build_paths;
use spindle_config::{LogFilter, LogFormat};

/// The directive that enables the access log at every level, since it has its own option.
const ACCESS: &str = "access=info";

/// The directive that keeps lines of refused keys and passwords where less is logged than warnings, since programs like
/// fail2ban read them.
const REFUSED: &str = "refused=warn";

/// The directive that leaves out each request to the bucket that is repeated: what counts is logged once, when the bucket
/// begins to fail.
const REPEATED: &str = "object_store=warn";

/// The filter of the log: `level`, and what has options or uses of its own. "off" is off.
fn filter(level: &LogFilter, access_log: bool) -> Result<EnvFilter> {
    let mut filter: EnvFilter = level.0.parse()?;
    let is_usual = filter.max_level_hint() == Some(LevelFilter::INFO);
    if is_usual && !level.0.contains("object_store") {
        filter = filter.add_directive(REPEATED.parse()?);
    }
    if access_log {
        filter = filter.add_directive(ACCESS.parse()?);
    }
    if !level.0.eq_ignore_ascii_case("off") && !level.0.contains("refused=") {
        filter = filter.add_directive(REFUSED.parse()?);
    }
    Ok(filter)
}

/// Standard error, without paths of the build machine, which panics, components and libraries
/// contain. Each line is one write.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let text = without_build_paths(&text);
        io::stderr().write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Installs the log of the process.
///
/// # Errors
/// The filter cannot be read.
pub(super) fn start(level: &LogFilter, format: LogFormat, access_log: bool) -> Result<()> {
    let filter = filter(level, access_log)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(|| Stderr);
    match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init(),
        LogFormat::Text => lines.compact().init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("no text");
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("-");
        tracing::error!(target: "panic", thread, place, "panicked: {text}");
        // Only if the environment enables it (RUST_BACKTRACE).
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            eprintln!("{backtrace}");
        }
    }));
    Ok(())
}
