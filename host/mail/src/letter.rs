//! A mail as a text with headers.
//!
//! What people choose (names, texts) gets into headers only after it was cleaned, and as a typed header, which the
//! library encodes: no name can add a header, a recipient or a part.

use lettre::address::Envelope;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use serde_json::{Map, Value};
use spindle_config::MailOptions;

use super::Failure;
use super::templates::Templates;

/// Characters of a name in a header.
const MAX_NAME: usize = 100;
/// Characters of a subject.
const MAX_SUBJECT: usize = 200;

/// A mail to one person.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// The name of its templates.
    pub kind: String,
    /// The address of the recipient.
    pub to: String,
    /// The name of the recipient, where it is known.
    pub to_name: Option<String>,
    /// The same for each attempt at this mail, and for no other one: letters and digits.
    pub id: String,
    /// The id of the conversation that it belongs to, for mail programs; of the same characters.
    pub thread: Option<String>,
    /// The key of the link that switches such mails off, of the same characters.
    pub unsubscription: Option<String>,
    /// The values for its templates. `organization` is the name of the organization; `site` is added.
    pub values: Map<String, Value>,
}

/// What is the same in all mails.
#[derive(Debug)]
pub(super) struct Sender {
    from: Address,
    name: Option<String>,
    reply_to: Option<Address>,
    site: String,
}

impl Sender {
    pub(super) fn new(options: &MailOptions, site: &str) -> Result<Self, String> {
        let address = |name: &str, text: &str| {
            text.parse::<Address>()
                .map_err(|error| format!("{name}: `{text}` is no address: {error}"))
        };
        let from = options.mail_from.as_deref().unwrap_or_default();
        let reply_to = options.mail_reply_to.as_deref();
        Ok(Self {
            from: address("mail_from", from)?,
            name: options.mail_from_name.clone(),
            reply_to: reply_to
                .map(|text| address("mail_reply_to", text))
                .transpose()?,
            site: site.to_owned(),
        })
    }
}

/// Says to programs that answer by themselves that their answer is not read (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// The address that switches such mails off (RFC 2369).
#[derive(Clone)]
struct ListUnsubscribe(String);

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

/// Says that a mail program may call that address itself (RFC 8058).
#[derive(Clone)]
struct ListUnsubscribePost;

impl Header for ListUnsubscribePost {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe-Post")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "List-Unsubscribe=One-Click".to_owned())
    }
}

impl Letter {
    /// Whom the server is given, and the whole text.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the address is none that a mail can go to.
    pub(super) fn compose(
        &self,
        sender: &Sender,
        templates: &Templates,
    ) -> Result<(Envelope, Vec<u8>), Failure> {
        let refused = |error: &dyn std::fmt::Display| Failure::Refused(error.to_string());
        let to: Address = self.to.parse().map_err(|error| {
            Failure::Refused(format!("no mail can go to this address: {error}"))
        })?;
        let mut values = self.values.clone();
        values.insert("site".to_owned(), sender.site.clone().into());
        let key = self.unsubscription.as_deref().map(plain_id);
        let page = key
            .as_ref()
            .map(|key| format!("{}/#unsubscribe/{key}", sender.site));
        values.entry("logo").or_insert_with(|| String::new().into());
        values.insert("unsubscribe".to_owned(), page.unwrap_or_default().into());
        let organization = values.get("organization").and_then(Value::as_str);
        let name = sender.name.as_deref().or(organization).and_then(clean_name);
        let texts = templates
            .render(&self.kind, &values)
            .map_err(|error| refused(&error))?;
        let domain = sender.from.domain();
        let id = |id: &str| format!("<{}@{domain}>", plain_id(id));
        let mut message = Message::builder()
            .from(Mailbox::new(name, sender.from.clone()))
            .to(Mailbox::new(
                self.to_name.as_deref().and_then(clean_name),
                to,
            ))
            .subject(first_chars(&one_line(&texts.subject), MAX_SUBJECT))
            .message_id(Some(id(&self.id)))
            .header(AutoSubmitted);
        if let Some(thread) = &self.thread {
            message = message.in_reply_to(id(thread)).references(id(thread));
        }
        if let Some(key) = key {
            let address = format!("<{}/api/v1/unsubscriptions?key={key}>", sender.site);
            message = message
                .header(ListUnsubscribe(address))
                .header(ListUnsubscribePost);
        }
        if let Some(address) = &sender.reply_to {
            message = message.reply_to(Mailbox::new(None, address.clone()));
        }
        let message = message
            .multipart(MultiPart::alternative_plain_html(texts.plain, texts.html))
            .map_err(|error| refused(&error))?;
        Ok((message.envelope().clone(), message.formatted()))
    }
}

/// An id without characters that mean something in a header.
fn plain_id(id: &str) -> String {
    id.chars()
        .filter(|sign| sign.is_ascii_alphanumeric() || "-_".contains(*sign))
        .collect()
}

/// A name that is shown as it is: without ends of lines, other control characters, and characters that turn text
/// around. None when nothing is left.
fn clean_name(name: &str) -> Option<String> {
    let name = first_chars(&one_line(name), MAX_NAME);
    (!name.is_empty()).then_some(name)
}

/// A text with single spaces in place of control characters.
fn one_line(text: &str) -> String {
    let cleaned: String = text
        .chars()
        .filter(|sign| !turns_text(*sign))
        .map(|sign| {
            if sign.is_control() || is_line_end(sign) {
                ' '
            } else {
                sign
            }
        })
        .collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

const fn is_line_end(sign: char) -> bool {
    matches!(sign, '\u{2028}' | '\u{2029}')
}

/// Overrides of the direction of text, with which a name could make others read wrongly.
const fn turns_text(sign: char) -> bool {
    matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn first_chars(text: &str, number: usize) -> String {
    text.chars().take(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sender() -> Sender {
        Sender {
            from: "chat@example.org".parse().unwrap(),
            name: None,
            reply_to: Some("help@example.org".parse().unwrap()),
            site: "https://chat.example.org".to_owned(),
        }
    }

    fn letter(to: &str, name: &str, organization: &str) -> Letter {
        let values = json!({"organization": organization});
        Letter {
            kind: "test".to_owned(),
            to: to.to_owned(),
            to_name: Some(name.to_owned()),
            id: "0a1b".to_owned(),
            thread: Some("2c".to_owned()),
            unsubscription: Some("key".to_owned()),
            values: values.as_object().unwrap().clone(),
        }
    }

    fn composed(letter: &Letter) -> (Envelope, String) {
        let templates = Templates::load(None).unwrap();
        let (envelope, text) = letter.compose(&sender(), &templates).unwrap();
        (envelope, String::from_utf8(text).unwrap())
    }

    #[test]
    fn headers_are_those_of_a_notice() {
        let (envelope, text) = composed(&letter("ann@x.org", "Ann Smith", "Tea Club"));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        for header in [
            "From: \"Tea Club\" <chat@example.org>",
            "To: \"Ann Smith\" <ann@x.org>",
            "Reply-To: help@example.org",
            "Message-ID: <0a1b@example.org>",
            "References: <2c@example.org>",
            "In-Reply-To: <2c@example.org>",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe: <https://chat.example.org/api/v1/unsubscriptions?key=key>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(head.contains(header), "{header} in {head}");
        }
        assert_eq!(envelope.to().len(), 1);
        assert!(body.contains("https://chat.example.org"));
        assert!(body.contains("text/plain") && body.contains("text/html"));
    }

    #[test]
    fn no_name_adds_a_header_or_a_recipient() {
        for hostile in [
            "Eve\r\nBcc: all@x.org",
            "Eve\nBcc: all@x.org\n\nHello",
            "Eve\u{2028}Bcc: all@x.org",
            "Eve\rBcc: all@x.org",
            "\"Eve\" <all@x.org>, ",
            "Eve\0\u{1b}[31m",
            "\u{e9}\r\nBcc: all@x.org",
            &format!("{}\r\nBcc: all@x.org", "x".repeat(500)),
        ] {
            let (envelope, text) = composed(&letter("ann@x.org", hostile, hostile));
            let (head, _) = text.split_once("\r\n\r\n").unwrap();
            let headers: Vec<&str> = head
                .split("\r\n")
                .filter(|line| !line.starts_with([' ', '\t']))
                .collect();
            assert!(
                headers
                    .iter()
                    .all(|line| !line.to_lowercase().starts_with("bcc")),
                "{hostile:?}: {head}"
            );
            assert_eq!(
                headers
                    .iter()
                    .filter(|line| line.starts_with("To:"))
                    .count(),
                1
            );
            assert_eq!(envelope.to().len(), 1, "{hostile:?}");
            assert_eq!(AsRef::<str>::as_ref(&envelope.to()[0]), "ann@x.org");
            assert!(
                !head
                    .replace("\r\n", "")
                    .contains(['\r', '\n', '\0', '\u{1b}'])
            );
        }
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        let templates = Templates::load(None).unwrap();
        for bad in [
            "",
            "ann",
            "ann@x.org\r\nRCPT TO:<b@x.org>",
            "ann@x.org, b@x.org",
            "<ann@x.org>",
            "a b@x.org",
        ] {
            let refusal = letter(bad, "Ann", "Tea").compose(&sender(), &templates);
            assert!(matches!(refusal, Err(Failure::Refused(_))), "{bad:?}");
        }
    }

    #[test]
    fn names_are_readable_and_short() {
        assert_eq!(clean_name(" \r\n "), None);
        assert_eq!(clean_name("A\u{202e}nn").as_deref(), Some("Ann"));
        assert_eq!(clean_name(&"x".repeat(999)).unwrap().len(), MAX_NAME);
    }
}
