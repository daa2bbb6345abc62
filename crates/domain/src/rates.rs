//! Limits of what an account does within a time, counted from when it did so.

/// Seconds until something may be done once more that was done at `times` (newest first; all in UNIX seconds), at most
/// as often as `limits` say: pairs of a number and the seconds in which they fall. None: at once
/// (docs/protocol/limits.md#rate-limits).
pub fn wait(limits: &[(usize, i64)], times: &[i64], now: i64) -> Option<i64> {
    limits
        .iter()
        .filter_map(|(number, window)| {
            // The time that has to be forgotten before another one fits.
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
