//! The texts of mails: for each kind a subject, a plain text and HTML.
//!
//! They are part of the program; a file of the same name in the operator's folder replaces one. Values in HTML are
//! escaped. A template of the operator's that fails is replaced by the program's own, because a mail with another text
//! is better than none.

use std::path::Path;
use std::{fs, io};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde_json::{Map, Value, json};

/// Bytes of a template.
const MAX_TEMPLATE: u64 = 256 * 1024;

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../templates/", $name)))),+]
    };
}

/// The templates of the program.
const BUILT_IN: &[(&str, &str)] = built_in![
    "layout.html",
    "footer.txt",
    "test.subject",
    "test.txt",
    "test.html",
    "invitation.subject",
    "invitation.txt",
    "invitation.html",
    "invitation_reminder.subject",
    "invitation_reminder.txt",
    "invitation_reminder.html",
    "password_reset.subject",
    "password_reset.txt",
    "password_reset.html",
    "password_changed.subject",
    "password_changed.txt",
    "password_changed.html",
    "address_confirmation.subject",
    "address_confirmation.txt",
    "address_confirmation.html",
    "address_changed.subject",
    "address_changed.txt",
    "address_changed.html",
    "new_sign_in.subject",
    "new_sign_in.txt",
    "new_sign_in.html",
    "missed_messages.subject",
    "missed_messages.txt",
    "missed_messages.html",
    "digest.subject",
    "digest.txt",
    "digest.html",
    "second_factor_changed.subject",
    "second_factor_changed.txt",
    "second_factor_changed.html",
];

/// The kinds of mails, with values for a check of their templates.
fn kinds() -> Vec<(&'static str, Value)> {
    let invitation = json!({
        "inviter": "Ann Smith",
        "link": "https://chat.example.org/join/key",
        "lasts": "9 days",
    });
    let with_link = json!({
        "name": "Ann Smith",
        "link": "https://chat.example.org/#confirm-address/key",
        "lasts": "24 hours",
    });
    let at = json!({"at": 1_800_000_000, "name": "Ann Smith", "client": "Firefox on Linux"});
    let missed = json!({
        "place": "",
        "number": 1,
        "messages": [{"sender": "Ann Smith", "at": 1_800_000_000, "text": "Hello"}],
        "link": "https://chat.example.org/#narrow/near/1",
    });
    let digest = json!({
        "number": 12,
        "topics": [{"place": "#general > lunch", "messages": 12, "people": 3, "link": "https://chat.example.org/#narrow/near/1"}],
    });
    vec![
        ("test", json!({})),
        ("invitation", invitation.clone()),
        ("invitation_reminder", invitation),
        ("password_reset", with_link.clone()),
        ("password_changed", at.clone()),
        ("address_confirmation", with_link),
        ("address_changed", at.clone()),
        ("new_sign_in", at),
        ("missed_messages", missed),
        ("digest", digest),
        (
            "second_factor_changed",
            json!({"at": 1_800_000_000, "what": "set"}),
        ),
    ]
}

/// What all kinds have.
fn common() -> Value {
    json!({
        "organization": "Example",
        "site": "https://chat.example.org",
        "unsubscribe": "https://chat.example.org/#unsubscribe/key",
        "logo": "https://chat.example.org/user_avatars/1/realm/logo.png?version=2",
    })
}

/// The three texts of a mail.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) subject: String,
    pub(super) plain: String,
    pub(super) html: String,
}

/// The templates of all kinds.
#[derive(Debug)]
pub struct Templates {
    built_in: Environment<'static>,
    /// With the operator's files, where there are any.
    own: Option<Environment<'static>>,
}

impl Templates {
    /// The templates of the program, and those of a folder in their place.
    ///
    /// # Errors
    /// The folder cannot be read, or has a file that is no template or has no place among them.
    pub fn load(folder: Option<&Path>) -> Result<Self, String> {
        let built_in = environment().map_err(|error| error.to_string())?;
        let own = folder.map(of_operator).transpose()?;
        Ok(Self { built_in, own })
    }

    /// Renders a mail of this kind.
    ///
    /// # Errors
    /// There is no such kind, or a value is missing.
    pub(super) fn render(&self, kind: &str, values: &Map<String, Value>) -> Result<Texts, Error> {
        let own = self
            .own
            .as_ref()
            .and_then(|own| render(own, kind, values).ok());
        match own {
            Some(texts) => Ok(texts),
            None => render(&self.built_in, kind, values),
        }
    }
}

fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::None,
    });
    environment.add_filter("date", date);
    for (name, text) in BUILT_IN {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// A time (UNIX seconds) for people, since a mail does not know the time zone of its reader.
fn date(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%-d %B %Y, %H:%M UTC").to_string()
}

/// The program's templates with those in `folder` in their place; each kind is rendered once as a test.
fn of_operator(folder: &Path) -> Result<Environment<'static>, String> {
    let cannot_read = |error: io::Error| format!("mail_templates: {}: {error}", folder.display());
    let mut environment = environment().map_err(|error| error.to_string())?;
    for entry in fs::read_dir(folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with('.') {
            continue;
        }
        if BUILT_IN.iter().all(|(known, _)| *known != name) {
            return Err(format!(
                "mail_templates: {} replaces no template; their names are {}",
                path.display(),
                names()
            ));
        }
        if fs::metadata(&path).map_err(cannot_read)?.len() > MAX_TEMPLATE {
            return Err(format!("mail_templates: {} is too large", path.display()));
        }
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("mail_templates: {}: {error}", path.display()))?;
        environment
            .add_template_owned(name, text)
            .map_err(|error| format!("mail_templates: {}: {error}", path.display()))?;
    }
    for (kind, sample) in kinds() {
        render(&environment, kind, &all_values(&sample))
            .map_err(|error| format!("mail_templates: the mail `{kind}`: {error}"))?;
    }
    Ok(environment)
}

fn names() -> String {
    let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

fn all_values(sample: &Value) -> Map<String, Value> {
    let parts = [common(), sample.clone()];
    let members = parts.into_iter().filter_map(|part| match part {
        Value::Object(members) => Some(members),
        _ => None,
    });
    members.flatten().collect()
}

fn render(
    environment: &Environment<'static>,
    kind: &str,
    values: &Map<String, Value>,
) -> Result<Texts, Error> {
    let text = |end: &str| {
        environment
            .get_template(&format!("{kind}.{end}"))?
            .render(Serde(values))
    };
    Ok(Texts {
        subject: text("subject")?,
        plain: text("txt")?,
        html: text("html")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_all_texts_and_shows_the_organization() {
        let templates = Templates::load(None).unwrap();
        for (kind, sample) in kinds() {
            let texts = templates.render(kind, &all_values(&sample)).unwrap();
            for text in [&texts.subject, &texts.plain, &texts.html] {
                assert!(text.contains("Example"), "{kind}: {text}");
            }
            assert!(!texts.subject.trim().contains('\n'), "{kind}");
        }
        assert!(templates.render("unknown", &Map::new()).is_err());
    }

    #[test]
    fn a_time_is_a_date() {
        assert_eq!(date(1_800_000_000), "15 January 2027, 08:00 UTC");
        assert_eq!(date(i64::MAX), "1 January 1970, 00:00 UTC");
    }

    #[test]
    fn values_in_html_are_escaped() {
        let templates = Templates::load(None).unwrap();
        for (kind, sample) in kinds() {
            let mut values = all_values(&sample);
            for value in values.values_mut().filter(|value| value.is_string()) {
                *value = "<script>alert('x')</script>\"><a href='https://evil.example'>".into();
            }
            let texts = templates.render(kind, &values).unwrap();
            assert!(texts.plain.contains("<script>"), "{kind}");
            for raw in ["<script", "<a href='https://evil", "\"><a"] {
                assert!(!texts.html.contains(raw), "{kind}: {}", texts.html);
            }
        }
    }

    #[test]
    fn a_folder_replaces_templates_and_its_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let load = || Templates::load(Some(folder.path()));
        let values = all_values(&json!({}));
        write("test.subject", "Hello from {{ organization }}");
        let texts = load().unwrap().render("test", &values).unwrap();
        assert_eq!(texts.subject, "Hello from Example");
        assert!(texts.plain.contains("Example"));
        for (name, text, named) in [
            ("tset.html", "x", "tset.html"),
            ("test.txt", "{{ organization", "test.txt"),
            ("test.txt", "Hello\n{{ organisation }}", "test.txt:2"),
        ] {
            write(name, text);
            let refusal = load().unwrap_err();
            assert!(refusal.contains(named), "{refusal}");
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        assert!(Templates::load(Some(Path::new("/nowhere"))).is_err());
    }
}
