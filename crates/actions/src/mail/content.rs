//! What a kind of mail is made of, and what it says.

use serde_json::{Map, Value};
use spindle_domain::{RealmId, realm_setting, user_setting};

use crate::Actor;
use crate::invitations::InvitationLinks;

/// What one kind of mail has to say.
pub(super) struct Content {
    /// The conversation that it belongs to: hexadecimal digits; none: it stands alone.
    pub(super) thread: Option<String>,
    /// Address and name of the recipient, where the row does not say them.
    pub(super) to: Option<(String, Option<String>)>,
    /// The values of its texts.
    pub(super) values: Map<String, Value>,
}

/// Where a mail comes from.
pub(super) struct Origin<'a> {
    pub(super) realm_id: RealmId,
    /// UNIX seconds.
    pub(super) now: i64,
    pub(super) links: InvitationLinks<'a>,
}

/// Whether mails to a person may contain what others have written, and its place: the person and the organization decide.
pub(super) fn shows_texts(reader: &Actor) -> bool {
    let own = user_setting!("message_content_in_email_notifications");
    let general = realm_setting!("message_content_allowed_in_email_notifications");
    reader.settings().is_on(own) && reader.realm_settings().is_on(general)
}

/// A name for people who do not know the account: no part of it reads as an address, which mail programs make a link.
pub(super) fn without_addresses(name: &str) -> String {
    let signs: Vec<char> = name.chars().collect();
    let is_letter = |place: usize| signs.get(place).is_some_and(|sign| sign.is_alphabetic());
    let cleaned = signs.iter().enumerate().map(|(place, sign)| match sign {
        '/' | '@' => ' ',
        // In "Dr. Ann" and "J.R. Ann" it stays.
        '.' if is_letter(place + 1) && is_letter(place + 2) => ' ',
        sign => *sign,
    });
    let cleaned: String = cleaned.collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The values of texts, from a JSON object.
pub(super) fn values(object: &Value) -> Map<String, Value> {
    object.as_object().cloned().unwrap_or_default()
}

/// A time in days, in hours when it is shorter than two days, and in minutes when it is shorter than two hours.
pub(super) fn duration(seconds: i64) -> String {
    let minutes = (seconds / 60).max(1);
    let (number, unit) = match minutes {
        2880.. => (minutes / 1440, "day"),
        120.. => (minutes / 60, "hour"),
        _ => (minutes, "minute"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::{duration, without_addresses};

    #[test]
    fn names_are_no_addresses() {
        for (name, expected) in [
            (
                "Your prize: https://evil.test/win (click)",
                "Your prize: https: evil test win (click)",
            ),
            ("www.evil.test", "www evil test"),
            ("ann@evil.test", "ann evil test"),
            (
                "Dr. Ann J.R. Smith-O'Neil, 2.5",
                "Dr. Ann J.R. Smith-O'Neil, 2.5",
            ),
        ] {
            assert_eq!(without_addresses(name), expected);
        }
    }

    #[test]
    fn a_time_is_said_in_days_hours_or_minutes() {
        for (seconds, expected) in [
            (10 * 86_400 - 5, "9 days"),
            (2 * 86_400, "2 days"),
            (2 * 86_400 - 1, "47 hours"),
            (3 * 3600 - 1, "2 hours"),
            (3600, "60 minutes"),
            (65, "1 minute"),
            (5, "1 minute"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
