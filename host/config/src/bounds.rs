//! The valid ranges of numeric options. A value outside of its range is usually a mistake in a unit or
//! a digit, and would otherwise fail later with an obscure error.

use super::options::Config;
use spindle_admission::memory;

/// Checks every number that has a range; a line for each that is outside of it.
pub(super) fn check(config: &Config) -> Vec<String> {
    const HOUR: u64 = 3600;
    const TIB: u64 = 1 << 40;
    let wide = |number: usize| number as u64;
    let mut problems = Vec::new();
    for (name, value, least, most) in [
        (
            "rate_limit_user",
            u64::from(config.rate_limit_user),
            0,
            10_000_000,
        ),
        (
            "rate_limit_bots",
            u64::from(config.rate_limit_bots.unwrap_or_default()),
            0,
            10_000_000,
        ),
        (
            "rate_limit_address",
            u64::from(config.rate_limit_address),
            0,
            10_000_000,
        ),
        ("body_limit", config.body_limit.0, 1, TIB),
        (
            "memory_budget",
            config.memory_budget.0,
            memory::LEAST,
            16 * TIB,
        ),
        (
            "max_connections",
            wide(config.max_connections),
            1,
            1_000_000,
        ),
        (
            "max_connections_per_address",
            wide(config.max_connections_per_address),
            1,
            1_000_000,
        ),
        (
            "mail_port",
            u64::from(config.mail_port.unwrap_or(1)),
            1,
            65535,
        ),
        ("disk_reserve", config.disk_reserve.0, 0, 1024 * TIB),
        ("max_instances", wide(config.max_instances), 1, 1000),
        ("request_deadline", config.request_deadline, 1, HOUR),
        ("request_queue", wide(config.request_queue), 1, 1_000_000),
        ("queue_max_events", config.queue_max_events, 1, 100_000_000),
        ("queue_max_bytes", config.queue_max_bytes.0, 1, TIB),
        // Ten years.
        ("hsts_max_age", config.hsts_max_age, 0, 315_360_000),
        ("stop_timeout", config.stop_timeout, 0, HOUR),
    ] {
        if value < least {
            problems.push(format!("{name} must be at least {least}, and is {value}"));
        }
        if value > most {
            problems.push(format!("{name} must be at most {most}, and is {value}"));
        }
    }
    problems
}
