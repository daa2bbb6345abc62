//! Compares texts that look alike, and knows the reserved names and domains.

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use crate::SystemBot;

/// Domains of generated addresses: those of system bots and stand-ins for hidden ones. No mail server can have them
/// (RFC 2606).
pub const RESERVED_DOMAINS: [&str; 2] = [HIDDEN_DOMAIN, "spindle.invalid"];

/// The domain of stand-ins for hidden addresses.
pub const HIDDEN_DOMAIN: &str = "hidden.invalid";

/// The skeletons (UTS 39) by which texts are compared: two look alike if they share one. A skeleton depends on case,
/// since a capital `I` looks like `l` and a small one does not. So there is one for the text and one for its lower
/// case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    as_written: String,
    in_lower_case: String,
}

impl Look {
    /// The forms of a text.
    pub fn new(text: &str) -> Self {
        let composed: String = text.nfkc().collect();
        let composed = super::normal_name(&composed);
        Self {
            as_written: bones(&composed),
            in_lower_case: bones(&composed.to_lowercase()),
        }
    }

    /// The letters and digits alone.
    fn without_punctuation(mut self) -> Self {
        self.as_written.retain(char::is_alphanumeric);
        self.in_lower_case.retain(char::is_alphanumeric);
        self
    }

    /// The two skeletons, first the one of the text as written.
    pub fn skeletons(self) -> [String; 2] {
        [self.as_written, self.in_lower_case]
    }

    /// Returns true if one could be mistaken for the other.
    pub fn is_like(&self, other: &Self) -> bool {
        self.as_written == other.as_written || self.in_lower_case == other.in_lower_case
    }
}

/// The skeleton in lower case. The table of UTS 39 does not know that two `v` look like a `w`.
fn bones(text: &str) -> String {
    let bones: String = skeleton(text).flat_map(char::to_lowercase).collect();
    bones.replace('w', "vv")
}

/// Returns true if a name looks like a system bot's; spaces and punctuation do not count.
pub fn is_reserved_name(name: &str) -> bool {
    let look = Look::new(name).without_punctuation();
    SystemBot::ALL
        .into_iter()
        .any(|bot| look.is_like(&Look::new(bot.full_name()).without_punctuation()))
}

/// A domain in lower case, in which every look-alike of a full stop is replaced by one.
pub(crate) fn plain_domain(domain: &str) -> String {
    let domain: String = domain.nfkc().collect::<String>().to_lowercase();
    domain.replace(['\u{3002}', '\u{FF61}'], ".")
}

/// Returns true if a domain is, is below, or looks like one of [`RESERVED_DOMAINS`].
pub fn is_reserved_address(address: &str) -> bool {
    let Some((_, domain)) = address.rsplit_once('@') else {
        return false;
    };
    let domain = plain_domain(domain);
    let labels: Vec<&str> = domain.trim_end_matches('.').rsplitn(3, '.').collect();
    let [top, second, ..] = labels.as_slice() else {
        return false;
    };
    let look = Look::new(&format!("{second}.{top}"));
    RESERVED_DOMAINS
        .into_iter()
        .any(|reserved| look.is_like(&Look::new(reserved)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_like(one: &str, other: &str) -> bool {
        let is_like = Look::new(one).is_like(&Look::new(other));
        assert_eq!(is_like, Look::new(other).is_like(&Look::new(one)));
        is_like
    }

    #[test]
    fn names_that_look_alike() {
        for name in [
            "olive OWNER",
            "Olive\u{200B} Owner",
            "\u{202E}Olive Owner",
            "\u{41E}live Owner",
            "0live  Owner",
            "\u{FF2F}live \u{2060}Owner",
            "Olive\u{A0}Owner",
            "Ol\u{456}ve Owner",
        ] {
            assert!(is_like("Olive Owner", name), "{name:?}");
        }
        assert!(is_like("IRIS", "iris"));
        assert!(is_like("Iris", "lris"));
        assert!(is_like("William", "VVilliam"));
        assert!(is_like("\u{2615}", "\u{2615}\u{FE0F}"));
        for name in ["Olive Owners", "OliveOwner", "Olive", ""] {
            assert!(!is_like("Olive Owner", name), "{name:?}");
        }
        assert!(!is_like("Zo\u{EB}", "Zoe"));
    }

    #[test]
    fn names_and_addresses_of_the_server() {
        for name in [
            "Notification Bot",
            "welcome  BOT",
            "W\u{435}lcome Bot",
            "VVelcome Bot",
            "vvelcome b\u{43E}t",
            "Notification-Bot",
            "Notification  Bot",
            "NotificationBot",
            "\u{2705} Notification Bot.",
            "Email_Gateway\u{FE0F}",
            "Email Gateway",
        ] {
            assert!(is_reserved_name(name), "{name:?}");
        }
        for name in ["Welcome", "Bot", "Welcome Bots", "Robot", "\u{2705}"] {
            assert!(!is_reserved_name(name), "{name:?}");
        }
        for address in [
            "user1@hidden.invalid",
            "x@HIDDEN.Invalid",
            "x@hidden.invalid.",
            "x@a.b.hidden.invalid",
            "x@hidden\u{3002}invalid",
            "x@\u{FF48}idden\u{FF0E}invalid",
            "x@h\u{456}dden.invalid",
            "x@hid\u{AD}den.invalid",
            "welcome-bot@spindle.invalid",
            "x@sp\u{131}ndle.invalid",
        ] {
            assert!(is_reserved_address(address), "{address:?}");
        }
        for address in [
            "x@invalid",
            "x@hidden.example",
            "x@nothidden.invalid",
            "x@spindle.invalid.example",
            "hidden.invalid",
        ] {
            assert!(!is_reserved_address(address), "{address:?}");
        }
    }
}
