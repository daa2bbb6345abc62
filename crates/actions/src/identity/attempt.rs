//! An attempt to sign in by a provider, between its beginning and the answer of the provider.
//!
//! Nothing is stored: the browser keeps the attempt in a cookie with a signature, and what goes to the provider is derived
//! from the attempt's id, so that an answer fits only the attempt of the same browser (docs/protocol/identity.md#callback).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::ActionError;
use crate::account::link_keys::{Purpose, is_signature, signature};
use crate::account::secrets;

/// How long an attempt may take: people type passwords and look for their phones.
pub const ATTEMPT_SECONDS: i64 = 10 * 60;
/// Longest address within the page to which a browser returns.
const MAX_NEXT_LENGTH: usize = 300;
/// Hexadecimal digits of a one-time password of an app.
const OTP_LENGTH: usize = 64;
/// Addresses within the page that do something by themselves.
const NOT_NEXT: [&str; 4] = ["sign-in", "set-password", "confirm-address", "unsubscribe"];

/// What follows after the browser has a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flow {
    /// The page opens here; empty: where it opens by itself.
    Browser(String),
    /// A phone gets a key, which is encrypted with this one-time password.
    Mobile(String),
    /// The desktop app gets a session likewise.
    Desktop(String),
}

impl Flow {
    /// The flow of a browser that returns to an address within the page: `next` is what follows `#`, or an address of the
    /// page with it. Anything else is left out, so that no link leads from the sign-in to another site.
    #[must_use]
    pub fn browser(next: Option<&str>) -> Self {
        let next = next.unwrap_or_default();
        let next = next.strip_prefix('/').unwrap_or(next);
        let fragment = next.strip_prefix('#').unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
        let is_fragment = fragment.len() <= MAX_NEXT_LENGTH
            && fragment.bytes().all(is_plain)
            && !NOT_NEXT.iter().any(|start| fragment.starts_with(start));
        Self::Browser(if is_fragment {
            fragment.to_owned()
        } else {
            String::new()
        })
    }

    /// The flow of a phone; `None` without a one-time password.
    #[must_use]
    pub fn mobile(otp: &str) -> Option<Self> {
        is_otp(otp).then(|| Self::Mobile(otp.to_owned()))
    }

    /// The flow of the desktop app; `None` without a one-time password.
    #[must_use]
    pub fn desktop(otp: &str) -> Option<Self> {
        is_otp(otp).then(|| Self::Desktop(otp.to_owned()))
    }

    /// What follows the token in the address of the page.
    #[must_use]
    pub fn suffix(&self) -> String {
        match self {
            Self::Browser(next) if next.is_empty() => String::new(),
            Self::Browser(next) => format!("?next={next}"),
            Self::Mobile(otp) => format!("?mobile_flow_otp={otp}"),
            Self::Desktop(otp) => format!("?desktop_flow_otp={otp}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_at_checked(1)?;
        match kind {
            "m" => Self::mobile(rest),
            "d" => Self::desktop(rest),
            "b" => Some(Self::browser(Some(&format!("#{rest}")))),
            _ => None,
        }
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Browser(next) => write!(formatter, "b{next}"),
            Self::Mobile(otp) => write!(formatter, "m{otp}"),
            Self::Desktop(otp) => write!(formatter, "d{otp}"),
        }
    }
}

fn is_otp(text: &str) -> bool {
    text.len() == OTP_LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An attempt as the browser's cookie names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    id: String,
    /// Id of the provider.
    pub provider: String,
    pub flow: Flow,
    /// UNIX seconds.
    until: i64,
}

/// What goes to the provider and comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proofs {
    /// Comes back with the browser.
    pub state: String,
    /// Comes back in the provider's token.
    pub nonce: String,
    /// Proves to the provider that the attempt is this server's (RFC 7636).
    pub verifier: String,
}

impl Proofs {
    fn of(secret: &[u8], id: &str) -> Result<Self, ActionError> {
        let derived = |purpose| {
            let signature = signature(secret, purpose, id.as_bytes())?;
            Ok::<_, ActionError>(URL_SAFE_NO_PAD.encode(signature))
        };
        Ok(Self {
            state: derived(Purpose::IdentityState)?,
            nonce: derived(Purpose::IdentityNonce)?,
            verifier: derived(Purpose::IdentityVerifier)?,
        })
    }

    /// The hash of the verifier, which the provider gets first.
    #[must_use]
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.as_bytes()))
    }
}

/// Why an answer of a provider is refused.
#[derive(Debug)]
pub enum AttemptProblem {
    /// The browser has begun no such attempt, or too long ago.
    NotBegun,
    Failed(ActionError),
}

impl From<ActionError> for AttemptProblem {
    fn from(error: ActionError) -> Self {
        Self::Failed(error)
    }
}

/// Begins an attempt at `now` (UNIX seconds): the value of the browser's cookie, and what goes to the provider.
pub fn begin_attempt(
    secret: &[u8],
    now: i64,
    provider: &str,
    flow: &Flow,
) -> Result<(String, Proofs), ActionError> {
    let id = secrets::new_name()?;
    let until = now.saturating_add(ATTEMPT_SECONDS);
    let signed = format!("{id}!{provider}!{until}!{flow}");
    let signature = signature(secret, Purpose::IdentityAttempt, signed.as_bytes())?;
    let cookie = format!("{signed}!{}", URL_SAFE_NO_PAD.encode(signature));
    Ok((cookie, Proofs::of(secret, &id)?))
}

/// Reads the attempt of a cookie at `now` (UNIX seconds), which an answer with this `state` from this provider must belong
/// to: an answer of one provider is not taken for one of another.
///
/// # Errors
/// [`AttemptProblem`].
pub fn read_attempt(
    secret: &[u8],
    now: i64,
    cookie: &str,
    (provider, state): (&str, &str),
) -> Result<(Attempt, Proofs), AttemptProblem> {
    let attempt = read(secret, cookie)?.ok_or(AttemptProblem::NotBegun)?;
    let proofs = Proofs::of(secret, &attempt.id)?;
    let is_answered = secrets::is_equal(proofs.state.as_bytes(), state.as_bytes());
    if !is_answered || attempt.provider != provider || now >= attempt.until {
        return Err(AttemptProblem::NotBegun);
    }
    Ok((attempt, proofs))
}

fn read(secret: &[u8], cookie: &str) -> Result<Option<Attempt>, ActionError> {
    let Some((signed, signature)) = cookie.rsplit_once('!') else {
        return Ok(None);
    };
    let Ok(signature) = URL_SAFE_NO_PAD.decode(signature) else {
        return Ok(None);
    };
    if !is_signature(
        secret,
        Purpose::IdentityAttempt,
        signed.as_bytes(),
        &signature,
    )? {
        return Ok(None);
    }
    let mut parts = signed.splitn(4, '!');
    let mut next = || parts.next();
    Ok((|| {
        let (id, provider, until, flow) = (next()?, next()?, next()?, next()?);
        Some(Attempt {
            id: id.to_owned(),
            provider: provider.to_owned(),
            flow: Flow::read(flow)?,
            until: until.parse().ok()?,
        })
    })())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"secret";
    const OTP: &str = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

    fn begun(flow: &Flow) -> (String, Proofs) {
        begin_attempt(SECRET, 100, "kc", flow).unwrap()
    }

    fn is_taken(now: i64, cookie: &str, provider: &str, state: &str) -> bool {
        read_attempt(SECRET, now, cookie, (provider, state)).is_ok()
    }

    #[test]
    fn an_answer_fits_its_own_attempt_only() {
        let flow = Flow::browser(None);
        let (cookie, proofs) = begun(&flow);
        let (other_cookie, other) = begun(&flow);
        assert!(is_taken(100, &cookie, "kc", &proofs.state));
        assert!(is_taken(
            100 + ATTEMPT_SECONDS - 1,
            &cookie,
            "kc",
            &proofs.state
        ));
        assert!(!is_taken(
            100 + ATTEMPT_SECONDS,
            &cookie,
            "kc",
            &proofs.state
        ));
        assert!(!is_taken(100, &cookie, "google", &proofs.state));
        assert!(!is_taken(100, &cookie, "kc", &other.state));
        assert!(!is_taken(100, &other_cookie, "kc", &proofs.state));
        assert!(!is_taken(100, &cookie, "kc", ""));
        assert!(!is_taken(100, "", "kc", &proofs.state));
        let forged = cookie.replacen("!kc!", "!google!", 1);
        assert!(!is_taken(100, &forged, "google", &proofs.state));
        let later = cookie.replacen("!700!", "!900!", 1);
        assert_ne!(later, cookie);
        assert!(!is_taken(700, &later, "kc", &proofs.state));
        let elsewhere = read_attempt(b"another", 100, &cookie, ("kc", &proofs.state));
        assert!(matches!(elsewhere, Err(AttemptProblem::NotBegun)));
    }

    #[test]
    fn what_goes_to_the_provider_is_of_three_kinds() {
        let (_, proofs) = begun(&Flow::browser(None));
        let all = [
            &proofs.state,
            &proofs.nonce,
            &proofs.verifier,
            &proofs.challenge(),
        ];
        for (at, one) in all.iter().enumerate() {
            // RFC 7636 asks for 43 characters of a verifier.
            assert_eq!(one.len(), 43);
            assert!(!all[..at].contains(one));
        }
    }

    #[test]
    fn flows_return_as_they_were() {
        for flow in [
            Flow::Browser(String::new()),
            Flow::browser(Some("#narrow/channel/3-a.20b/topic/x%2Fy")),
            Flow::mobile(OTP).unwrap(),
            Flow::desktop(OTP).unwrap(),
        ] {
            let (cookie, proofs) = begun(&flow);
            let read = read_attempt(SECRET, 100, &cookie, ("kc", &proofs.state));
            assert_eq!(read.unwrap().0.flow, flow);
        }
        let short = OTP.get(1..).unwrap();
        for wrong in ["", short, &format!("{OTP}0"), &OTP.replacen('0', "g", 1)] {
            assert_eq!(Flow::mobile(wrong), None);
            assert_eq!(Flow::desktop(wrong), None);
        }
    }

    #[test]
    fn no_address_leads_elsewhere() {
        for (next, expected) in [
            (Some("#inbox"), "?next=inbox"),
            (Some("/#narrow/dm/3"), "?next=narrow/dm/3"),
            (None, ""),
            (Some(""), ""),
            (Some("https://evil.example/#x"), ""),
            (Some("//evil.example"), ""),
            (Some("/\\evil.example"), ""),
            (Some("javascript:alert(1)"), ""),
            (Some("#x?next=y"), ""),
            (Some("#a b"), ""),
            (Some("#sign-in/00"), ""),
            (Some("#set-password/00"), ""),
        ] {
            assert_eq!(Flow::browser(next).suffix(), expected, "{next:?}");
        }
        let long = format!("#{}", "x".repeat(MAX_NEXT_LENGTH + 1));
        assert_eq!(Flow::browser(Some(&long)).suffix(), "");
    }
}
