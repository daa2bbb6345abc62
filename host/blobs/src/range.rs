//! Parses the header `Range` with one byte range. Any other value selects the whole blob, as HTTP
//! allows.

/// The requested part of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedRange {
    Whole,
    /// First byte and number of bytes.
    Part(u64, u64),
    /// Beyond the end.
    Nothing,
}

/// Parses the header's value for a blob of `length` bytes.
pub(super) fn parse(value: &str, length: u64) -> RequestedRange {
    let Some((first, last)) = value
        .strip_prefix("bytes=")
        .filter(|ranges| !ranges.contains(','))
        .and_then(|range| range.trim().split_once('-'))
    else {
        return RequestedRange::Whole;
    };
    let part = |first: u64, last: u64| match last.min(length.saturating_sub(1)) {
        _ if first >= length => RequestedRange::Nothing,
        last => RequestedRange::Part(first, last - first + 1),
    };
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => part(first, last),
        (Ok(first), Err(_)) if last.is_empty() => part(first, u64::MAX),
        (Err(_), Ok(0)) if first.is_empty() => RequestedRange::Nothing,
        (Err(_), Ok(count)) if first.is_empty() => part(length.saturating_sub(count), u64::MAX),
        _ => RequestedRange::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let cases = [
            ("bytes=0-3", RequestedRange::Part(0, 4)),
            ("bytes=4-", RequestedRange::Part(4, 6)),
            ("bytes=-3", RequestedRange::Part(7, 3)),
            ("bytes=-30", RequestedRange::Part(0, 10)),
            ("bytes=9-100", RequestedRange::Part(9, 1)),
            ("bytes=10-", RequestedRange::Nothing),
            ("bytes=-0", RequestedRange::Nothing),
            ("bytes=5-2", RequestedRange::Whole),
            ("bytes=1-2,4-5", RequestedRange::Whole),
            ("lines=1-2", RequestedRange::Whole),
            ("bytes=x-y", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
        ];
        for (value, expected) in cases {
            assert_eq!(parse(value, 10), expected, "{value}");
        }
        assert_eq!(parse("bytes=0-", 0), RequestedRange::Nothing);
    }
}
