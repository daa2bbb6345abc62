//! Rules for email addresses: syntax, lists of addresses, domains that an organization admits, and how often one may
//! change.
//!
//! No mail is sent, so whether an address works is not tested.

use unicode_normalization::UnicodeNormalization;

use crate::disposable::is_disposable;
use crate::limits::{MAX_DOMAIN_LENGTH, MAX_EMAIL_LENGTH};
use crate::text::{is_reserved_address, is_visible, plain_domain};

/// Why a text is not the address of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressProblem {
    /// Malformed, or with an invisible character.
    Malformed,
    /// In a reserved domain.
    Reserved,
}

/// An address as stored: trimmed and composed.
///
/// # Errors
/// Why the address is refused.
pub fn accept(text: &str) -> Result<String, AddressProblem> {
    let address: String = text.trim().nfc().collect();
    let is_well_formed = address.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    let is_written = |c: char| is_visible(c) && !matches!(c, ',' | ':' | '<' | '>' | '"');
    if !is_well_formed || !address.chars().all(is_written) || address.len() > MAX_EMAIL_LENGTH {
        return Err(AddressProblem::Malformed);
    }
    if is_reserved_address(&address) {
        return Err(AddressProblem::Reserved);
    }
    // With empty labels, one mailbox would have several addresses.
    if has_empty_label(&address) {
        return Err(AddressProblem::Malformed);
    }
    Ok(address)
}

/// Returns true if the domain of an address begins or ends with a full stop, or holds two in a row.
fn has_empty_label(address: &str) -> bool {
    let (_, domain) = address.rsplit_once('@').unwrap_or_default();
    plain_domain(domain).split('.').any(str::is_empty)
}

/// Why an organization does not admit an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdmitted {
    /// A plus would make any number of addresses out of one.
    Plus,
    /// Its domain is none of those in the list.
    Domain,
    /// It gives addresses for a few minutes to any visitor.
    Disposable,
}

/// A domain that addresses may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedDomain {
    /// In lower case.
    pub domain: String,
    /// Whether its subdomains count too.
    pub allow_subdomains: bool,
}

impl AllowedDomain {
    fn includes(&self, domain: &str) -> bool {
        let Some(rest) = domain.strip_suffix(&self.domain) else {
            return false;
        };
        rest.is_empty() || self.allow_subdomains && rest.ends_with('.')
    }
}

/// What an organization asks of the addresses of its people (docs/protocol/register.md#sections).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// The domains that addresses may have; `None` allows any domain (`realm_emails_restricted_to_domains`).
    pub domains: Option<Vec<AllowedDomain>>,
    /// Whether domains of disposable addresses are refused
    /// (`realm_disallow_disposable_email_addresses`).
    pub refuses_disposable: bool,
}

impl Admission {
    /// Decides whether an address is admitted. A domain in the list is admitted whatever else is
    /// known of it.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self, address: &str) -> Result<(), NotAdmitted> {
        if let Some(domains) = &self.domains {
            return check_admitted(address, domains);
        }
        let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
        if self.refuses_disposable && is_disposable(domain) {
            return Err(NotAdmitted::Disposable);
        }
        Ok(())
    }
}

/// The addresses in a text, as people write several of them: between commas or on lines of their
/// own, perhaps with a name before each (`Ann <ann@example.org>`). Empty ones are
/// left out; whether the others are addresses is not checked.
pub fn listed(text: &str) -> Vec<&str> {
    text.split([',', '\n'])
        .map(|part| {
            let named = part
                .split_once('<')
                .and_then(|(_, rest)| rest.rsplit_once('>'));
            match named {
                Some((address, _)) if !address.trim().is_empty() => address.trim(),
                _ => part.trim(),
            }
        })
        .filter(|address| !address.is_empty())
        .collect()
}

/// Whether a domain, in lower case, may be put into the list: labels of letters, digits and
/// hyphens, at least two of them.
pub fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    domain.len() <= MAX_DOMAIN_LENGTH && domain.contains('.') && domain.split('.').all(is_label)
}

/// Whether an address has one of the domains.
fn check_admitted(address: &str, domains: &[AllowedDomain]) -> Result<(), NotAdmitted> {
    let (user, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    if user.contains('+') {
        return Err(NotAdmitted::Plus);
    }
    let domain = domain.trim().to_lowercase();
    if domains.iter().any(|allowed| allowed.includes(&domain)) {
        Ok(())
    } else {
        Err(NotAdmitted::Domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for email in ["a@b", "ann+x@chat.example.org", "\u{FC}@\u{F6}.example"] {
            assert_eq!(accept(&format!(" {email}\n")).as_deref(), Ok(email));
        }
        assert_eq!(accept("u\u{308}@b").as_deref(), Ok("\u{FC}@b"));
        for email in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b\nc",
            "a,b@c",
            "<a@b>",
            "a\u{A0}b@c",
            "a@b\u{200B}",
            "a\u{AD}b@c",
            "a\u{E000}@b",
            "a@b\u{FDD0}",
            "a\u{3164}@b",
            "a\u{FE0F}@b",
            "a@b.",
            "a@b\u{3002}",
            "a@.b",
            "a@b..c",
        ] {
            assert_eq!(accept(email), Err(AddressProblem::Malformed), "{email:?}");
        }
        assert!(accept(&format!("{}@x", "a".repeat(254))).is_err());
        for email in ["user5@hidden.invalid", "Welcome-Bot@Spindle.INVALID."] {
            assert_eq!(accept(email), Err(AddressProblem::Reserved), "{email}");
        }
    }

    #[test]
    fn domains() {
        for domain in ["x.org", "a-b.example.co", "1.2", "xn--bcher-kva.example"] {
            assert!(is_domain(domain), "{domain}");
        }
        let long = format!("{}.org", "a".repeat(64));
        for domain in [
            "", "org", ".org", "x.", "x..org", "-x.org", "x-.org", "x_y.org", "X.org", "a@x.org",
            "x .org", &long,
        ] {
            assert!(!is_domain(domain), "{domain}");
        }
        assert!(!is_domain(&format!("{}x.org", "a.".repeat(125))));
    }

    fn allowed(domain: &str, allow_subdomains: bool) -> AllowedDomain {
        AllowedDomain {
            domain: domain.to_owned(),
            allow_subdomains,
        }
    }

    #[test]
    fn admitted_addresses() {
        let domains = [allowed("x.org", false), allowed("y.org", true)];
        let check = |address: &str| check_admitted(address, &domains);
        for address in ["ann@x.org", "Ann@X.ORG", "ann@y.org", "ann@a.b.y.org"] {
            assert_eq!(check(address), Ok(()), "{address}");
        }
        for address in [
            "ann@a.x.org",
            "ann@zy.org",
            "ann@org",
            "ann",
            "ann@x.org.evil",
        ] {
            assert_eq!(check(address), Err(NotAdmitted::Domain), "{address}");
        }
        assert_eq!(check("ann+1@x.org"), Err(NotAdmitted::Plus));
        assert_eq!(check_admitted("ann@x.org", &[]), Err(NotAdmitted::Domain));
    }

    #[test]
    fn disposable_addresses() {
        let open = Admission {
            domains: None,
            refuses_disposable: true,
        };
        let refused = Err(NotAdmitted::Disposable);
        for address in [
            "x@mailinator.com",
            "x@MAILINATOR.com",
            "x@inbox.mailinator.com",
            "x@mailinator\u{3002}com",
            "x@\u{FF4D}ailinator.com",
            "x@mailinator.com.",
            "x@mailinator..com",
            "x@yah\u{F3}o.com",
            "x@YAH\u{D3}O.com",
            "x@mail.yah\u{F3}o.com",
            "x@xn--yaho-sqa.com",
        ] {
            assert_eq!(open.check(address), refused, "{address}");
            assert_eq!(Admission::default().check(address), Ok(()), "{address}");
        }
        for address in ["x@example.com", "x+1@gmail.com", "x@org", "x", ""] {
            assert_eq!(open.check(address), Ok(()), "{address}");
        }
        let listed = Admission {
            domains: Some(vec![allowed("mailinator.com", false)]),
            ..open
        };
        assert_eq!(listed.check("x@mailinator.com"), Ok(()));
        assert_eq!(listed.check("x@example.com"), Err(NotAdmitted::Domain));
    }

    #[test]
    fn lists_of_addresses() {
        let text = " ann@x.org,Bob B. <bob@x.org>\r\n\n, <c@x.org> ,d,<>, >e<";
        let expected = ["ann@x.org", "bob@x.org", "c@x.org", "d", "<>", ">e<"];
        assert_eq!(listed(text), expected);
        assert_eq!(listed(" ,\n "), [""; 0]);
    }
}
