//! Whether a call really comes from the service.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// Seconds by which the time in a signature may differ from the clock.
const TOLERANCE: i64 = 300;

/// How a service proves that it sent a call, with a secret that it shares with the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The header (lower case) has the secret itself.
    Token(&'static str),
    /// The header (lower case) has HMAC-SHA256 of the body in hexadecimal digits, after this prefix; several are
    /// separated by commas.
    Sha256 {
        header: &'static str,
        prefix: &'static str,
    },
    /// The header `stripe-signature` has a time, and HMAC-SHA256 of that time and the body.
    Stripe,
    /// Any one of these.
    AnyOf(&'static [Self]),
}

impl Proof {
    /// Whether a call with these headers and this body proves that its sender knows the secret; `now` in UNIX seconds.
    /// Comparing takes the same time wherever the values differ.
    #[must_use]
    pub fn holds<'a>(
        self,
        secret: &str,
        header: &dyn Fn(&str) -> Option<&'a str>,
        body: &[u8],
        now: i64,
    ) -> bool {
        match self {
            Self::Token(name) => {
                header(name).is_some_and(|token| token.as_bytes().ct_eq(secret.as_bytes()).into())
            }
            Self::Sha256 {
                header: name,
                prefix,
            } => header(name)
                .unwrap_or_default()
                .split(',')
                .filter_map(|one| one.trim().strip_prefix(prefix))
                .any(|digits| is_mac(secret, &[body], digits)),
            Self::Stripe => stripe(
                secret,
                header("stripe-signature").unwrap_or_default(),
                body,
                now,
            ),
            Self::AnyOf(all) => all.iter().any(|one| one.holds(secret, header, body, now)),
        }
    }
}

fn stripe(secret: &str, header: &str, body: &[u8], now: i64) -> bool {
    let parts = || {
        header
            .split(',')
            .filter_map(|part| part.trim().split_once('='))
    };
    let Some((_, time)) = parts().find(|(name, _)| *name == "t") else {
        return false;
    };
    let is_new = time
        .parse()
        .is_ok_and(|time: i64| now.abs_diff(time) <= TOLERANCE.unsigned_abs());
    is_new
        && parts()
            .filter(|(name, _)| *name == "v1")
            .any(|(_, digits)| is_mac(secret, &[time.as_bytes(), b".", body], digits))
}

/// Whether the hexadecimal digits are the HMAC-SHA256 of the parts.
fn is_mac(secret: &str, parts: &[&[u8]], digits: &str) -> bool {
    // A key of any length is one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    parts.iter().for_each(|part| mac.update(part));
    let expected: String = mac
        .finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    digits
        .to_ascii_lowercase()
        .as_bytes()
        .ct_eq(expected.as_bytes())
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HMAC-SHA256 of `payload` with the key `secret`, by another program.
    const DIGITS: &str = "b82fcb791acec57859b989b430a826488ce2e479fdf92326bd0a2e8375a42ba4";

    #[test]
    fn signatures_and_tokens_hold_only_for_their_secret_and_body() {
        let signed = Proof::Sha256 {
            header: "x-signature",
            prefix: "sha256=",
        };
        let with = |value: &'static str| move |name: &str| (name == "x-signature").then_some(value);
        let value: &'static str = Box::leak(format!("sha256={DIGITS}").into_boxed_str());
        assert!(signed.holds("secret", &with(value), b"payload", 0));
        assert!(!signed.holds("secrets", &with(value), b"payload", 0));
        assert!(!signed.holds("secret", &with(value), b"payloads", 0));
        assert!(!signed.holds("secret", &with(DIGITS), b"payload", 0));
        assert!(!signed.holds("secret", &|_| None, b"payload", 0));
        let token = Proof::Token("x-signature");
        assert!(token.holds("abc", &with("abc"), b"", 0));
        assert!(!token.holds("abc", &with("abcd"), b"", 0));
        assert!(!token.holds("abc", &|_| None, b"", 0));
    }

    #[test]
    fn one_of_several_proofs_is_enough() {
        let any = Proof::AnyOf(&[Proof::Token("x-one"), Proof::Token("x-other")]);
        let with = |name: &'static str| move |asked: &str| (asked == name).then_some("abc");
        assert!(any.holds("abc", &with("x-one"), b"", 0));
        assert!(any.holds("abc", &with("x-other"), b"", 0));
        assert!(!any.holds("abd", &with("x-other"), b"", 0));
        assert!(!any.holds("abc", &with("x-third"), b"", 0));
    }

    #[test]
    fn a_signature_with_a_time_ends_after_five_minutes() {
        // HMAC-SHA256 of `100.payload` with the key `secret`.
        let digits = "b7bc1230f29f98ee90f8e9108822621ff8031d7cd4cc81fd305393f37f874919";
        let value: &'static str = Box::leak(format!("t=100,v1=00,v1={digits}").into_boxed_str());
        let header = |name: &str| (name == "stripe-signature").then_some(value);
        assert!(Proof::Stripe.holds("secret", &header, b"payload", 400));
        assert!(!Proof::Stripe.holds("secret", &header, b"payload", 401));
        assert!(!Proof::Stripe.holds("secret", &header, b"other", 100));
    }
}
