//! Limits on how often an account may do something within a time window.

/// Seconds until an action that happened at `times` (UNIX seconds, newest first) is allowed again; `None` if it is
/// allowed now. `limits` are pairs of a count and a window in seconds (docs/protocol/limits.md#rate-limits).
pub fn wait(limits: &[(usize, i64)], times: &[i64], now: i64) -> Option<i64> {
    limits
        .iter()
        .filter_map(|(number, window)| {
            // This event must leave the window first.
            let oldest = times.get(number.checked_sub(1)?)?;
            let wait = oldest + window - now;
            (wait > 0).then_some(wait.min(*window))
        })
        .max()
}

#[cfg(test)]
mod tests {
    use crate::limits::ADDRESS_CHANGES;

    #[test]
    fn changes_of_an_address() {
        let wait = |times: &[i64]| super::wait(ADDRESS_CHANGES, times, 100_000);
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[100_000]), None);
        assert_eq!(wait(&[100_000, 99_000]), Some(2600));
        assert_eq!(wait(&[100_000, 96_400]), None);
        assert_eq!(
            wait(&[99_000, 90_000, 80_000, 70_000, 60_000]),
            Some(46_400)
        );
        assert_eq!(wait(&[99_000, 90_000, 80_000, 70_000, 13_600]), None);
        // A clock that was set back delays no change beyond the window.
        assert_eq!(wait(&[200_000, 200_000]), Some(3600));
    }
}
