//! The validity period of a certificate, and whether it is self-issued.
//!
//! The TLS library does not expose these fields. This parses X.509 in DER only up to them and
//! verifies nothing.

/// The fields of a certificate that operators need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The start of its validity, in UNIX seconds.
    pub begins: i64,
    /// The end of its validity, in UNIX seconds.
    pub ends: i64,
    /// Whether issuer and subject are equal: a root authority or a self-signed certificate.
    pub is_of_itself: bool,
}

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// The tag of the version field, which certificates of version 1 lack.
const VERSION: u8 = 0xa0;

/// Parses a certificate in DER; `None` when it is malformed.
#[must_use]
pub fn describe(der: &[u8]) -> Option<Described> {
    let mut whole = Reader(der);
    let mut certificate = Reader(whole.take(SEQUENCE)?);
    let mut fields = Reader(certificate.take(SEQUENCE)?);
    if fields.0.first() == Some(&VERSION) {
        fields.take(VERSION)?;
    }
    fields.take(INTEGER)?;
    fields.take(SEQUENCE)?;
    let issuer = fields.take(SEQUENCE)?;
    let mut validity = Reader(fields.take(SEQUENCE)?);
    let subject = fields.take(SEQUENCE)?;
    Some(Described {
        begins: validity.time()?,
        ends: validity.time()?,
        is_of_itself: issuer == subject,
    })
}

/// The unread rest of a DER encoding.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The content of the next element, which must have the tag `kind`.
    fn take(&mut self, kind: u8) -> Option<&'a [u8]> {
        match self.next()? {
            (found, content) if found == kind => Some(content),
            _ => None,
        }
    }

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&kind, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            // No certificate has longer lengths.
            if digits.is_empty() || digits.len() > 4 {
                return None;
            }
            let value = digits
                .iter()
                .fold(0_usize, |value, digit| (value << 8) | usize::from(*digit));
            (value, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((kind, content))
    }

    /// Reads a time, which certificates give in UTC to the second; in UNIX seconds.
    fn time(&mut self) -> Option<i64> {
        let (kind, text) = self.next()?;
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        let (year, rest) = match kind {
            UTC_TIME => {
                let (year, rest) = text.split_at_checked(2)?;
                let year = number(year)?;
                (year + if year < 50 { 2000 } else { 1900 }, rest)
            }
            GENERALIZED_TIME => {
                let (year, rest) = text.split_at_checked(4)?;
                (number(year)?, rest)
            }
            _ => return None,
        };
        if rest.len() != 10 {
            return None;
        }
        let pair = |at: usize| number(rest.get(at..at + 2)?);
        let (month, day) = (pair(0)?, pair(2)?);
        let (hour, minute, second) = (pair(4)?, pair(6)?, pair(8)?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        Some(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
    }
}

/// Parses a number that consists of digits only.
fn number(text: &str) -> Option<i64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Days from the beginning of 1970, in the Gregorian calendar. Years are counted from March, so that
/// a leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before = (153 * month + 2) / 5;
    365 * year + leap_days + before + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: u8, content: &[u8]) -> Vec<u8> {
        let mut der = vec![kind];
        match u8::try_from(content.len()) {
            Ok(short) if short < 0x80 => der.push(short),
            _ => {
                let length = u16::try_from(content.len()).unwrap().to_be_bytes();
                der.extend([0x82, length[0], length[1]]);
            }
        }
        der.extend(content);
        der
    }

    fn certificate(has_version: bool, times: [(u8, &str); 2], subject: &[u8]) -> Vec<u8> {
        let mut fields = Vec::new();
        if has_version {
            fields.extend(element(VERSION, &element(INTEGER, &[2])));
        }
        fields.extend(element(INTEGER, &[7]));
        fields.extend(element(SEQUENCE, &[0x05, 0x00]));
        fields.extend(element(SEQUENCE, b"issuer"));
        let times = times.map(|(kind, text)| element(kind, text.as_bytes()));
        fields.extend(element(SEQUENCE, &times.concat()));
        fields.extend(element(SEQUENCE, subject));
        fields.extend(element(SEQUENCE, &[0; 300]));
        let mut whole = element(SEQUENCE, &fields);
        whole.extend(element(SEQUENCE, &[]));
        element(SEQUENCE, &whole)
    }

    #[test]
    fn times_and_issuer_are_read() {
        let times = [
            (UTC_TIME, "240229120000Z"),
            (GENERALIZED_TIME, "20500101000001Z"),
        ];
        let expected = Described {
            begins: 1_709_208_000,
            ends: 2_524_608_001,
            is_of_itself: false,
        };
        for has_version in [true, false] {
            let der = certificate(has_version, times, b"subject");
            assert_eq!(describe(&der), Some(expected.clone()));
        }
        let of_itself = describe(&certificate(true, times, b"issuer")).unwrap();
        assert!(of_itself.is_of_itself);
        let old = [(UTC_TIME, "700101000000Z"), (UTC_TIME, "491231235959Z")];
        let old = describe(&certificate(true, old, b"subject")).unwrap();
        assert_eq!((old.begins, old.ends), (0, 2_524_607_999));
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let good = [(UTC_TIME, "240229120000Z"), (UTC_TIME, "250229120000Z")];
        let whole = certificate(true, good, b"subject");
        for end in 0..200 {
            assert_eq!(describe(&whole[..end]), None, "cut at {end}");
        }
        assert_eq!(describe(&[SEQUENCE, 0x85, 1, 1, 1, 1, 1]), None);
        assert_eq!(describe(&[SEQUENCE, 0x80]), None);
        for bad in [
            (UTC_TIME, "240229120000"),
            (UTC_TIME, "241329120000Z"),
            (UTC_TIME, "+40229120000Z"),
            (UTC_TIME, "2402291200Z"),
            (INTEGER, "240229120000Z"),
        ] {
            let der = certificate(true, [bad, good[1]], b"subject");
            assert_eq!(describe(&der), None, "{bad:?}");
        }
    }

    #[test]
    fn days_follow_the_calendar() {
        for (date, expected) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2100, 3, 1), 47_541),
        ] {
            assert_eq!(days(date.0, date.1, date.2), expected, "{date:?}");
        }
    }
}
