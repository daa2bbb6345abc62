//! The header `Range`: one range of bytes. Anything else is answered with the whole blob, as
//! HTTP allows.

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Whole,
    /// First byte and number of bytes.
    Part(u64, u64),
    /// Beyond the end.
    Nothing,
}

/// Reads the header's value for a blob of this length.
pub(super) fn wanted(value: &str, length: u64) -> Wanted {
    let Some((first, last)) = value
        .strip_prefix("bytes=")
        .filter(|ranges| !ranges.contains(','))
        .and_then(|range| range.trim().split_once('-'))
    else {
        return Wanted::Whole;
    };
    let part = |first: u64, last: u64| match last.min(length.saturating_sub(1)) {
        _ if first >= length => Wanted::Nothing,
        last => Wanted::Part(first, last - first + 1),
    };
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => part(first, last),
        (Ok(first), Err(_)) if last.is_empty() => part(first, u64::MAX),
        (Err(_), Ok(0)) if first.is_empty() => Wanted::Nothing,
        (Err(_), Ok(count)) if first.is_empty() => part(length.saturating_sub(count), u64::MAX),
        _ => Wanted::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let cases = [
            ("bytes=0-3", Wanted::Part(0, 4)),
            ("bytes=4-", Wanted::Part(4, 6)),
            ("bytes=-3", Wanted::Part(7, 3)),
            ("bytes=-30", Wanted::Part(0, 10)),
            ("bytes=9-100", Wanted::Part(9, 1)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=5-2", Wanted::Whole),
            ("bytes=1-2,4-5", Wanted::Whole),
            ("lines=1-2", Wanted::Whole),
            ("bytes=x-y", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
        ];
        for (value, expected) in cases {
            assert_eq!(wanted(value, 10), expected, "{value}");
        }
        assert_eq!(wanted("bytes=0-", 0), Wanted::Nothing);
    }
}
