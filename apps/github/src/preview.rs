//! What GitHub's answers say, in one line. Everything in them was written by strangers.

use serde_json::Value;
use spindle_app::text::{escape, link};

const MAX_TITLE: usize = 200;
const MAX_NAME: usize = 60;
const MAX_LABELS: usize = 10;
const MAX_URL: usize = 500;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    NewIssue,
    Issue,
    Pull,
    Commit,
    File,
}

impl Shown {
    const ALL: [Self; 5] = [
        Self::NewIssue,
        Self::Issue,
        Self::Pull,
        Self::Commit,
        Self::File,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NewIssue => "new",
            Self::Issue => "issue",
            Self::Pull => "pull",
            Self::Commit => "commit",
            Self::File => "file",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The beginning of a sentence about what failed.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::NewIssue => "Opening an issue",
            Self::Issue => "Showing an issue",
            Self::Pull => "Showing a pull request",
            Self::Commit => "Showing a commit",
            Self::File => "Showing a file",
        }
    }
}

pub(crate) fn draw(shown: Shown, repository: &str, json: &Value) -> String {
    match shown {
        Shown::NewIssue => format!("Opened {}", numbered("issue", repository, json)),
        Shown::Issue => item("Issue", repository, json),
        Shown::Pull => item("Pull request", repository, json),
        Shown::Commit => commit(repository, json),
        Shown::File => file(repository, json),
    }
}

/// `issue [octo/hello#5 Title](…)`.
pub(crate) fn numbered(kind: &str, repository: &str, json: &Value) -> String {
    let number = json
        .get("number")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let name = format!("{}#{number}", escape(repository, 140));
    let text = format!("{name} {}", escape(text(json, "title"), MAX_TITLE));
    format!(
        "{kind} {}",
        link(text.trim_end(), url_of(json, &["html_url"]))
    )
}

fn item(kind: &str, repository: &str, json: &Value) -> String {
    let is = |name: &str| json.get(name).and_then(Value::as_bool).unwrap_or(false);
    let state = match text(json, "state") {
        _ if is("merged") => "merged",
        "open" if is("draft") => "draft",
        "open" => "open",
        _ if text(json, "state_reason") == "not_planned" => "closed as not planned",
        _ => "closed",
    };
    let labels: Vec<String> = (json.get("labels").and_then(Value::as_array))
        .into_iter()
        .flatten()
        .filter_map(|label| label.get("name").and_then(Value::as_str))
        .take(MAX_LABELS)
        .map(|label| escape(label, MAX_NAME))
        .collect();
    let labels = match labels.is_empty() {
        true => String::new(),
        false => format!(" · {}", labels.join(", ")),
    };
    format!(
        "{} · {state} · by {}{labels}",
        numbered(kind, repository, json),
        author(text_of(json, &["user", "login"]))
    )
}

fn commit(repository: &str, json: &Value) -> String {
    let hash: String = text(json, "sha").chars().take(7).collect();
    let subject = text_of(json, &["commit", "message"]).lines().next();
    let text = format!(
        "{}@{} {}",
        escape(repository, 140),
        escape(&hash, 7),
        escape(subject.unwrap_or_default(), MAX_TITLE)
    );
    let login = text_of(json, &["author", "login"]);
    let name = match login.is_empty() {
        true => text_of(json, &["commit", "author", "name"]),
        false => login,
    };
    format!(
        "Commit {} · by {}",
        link(text.trim_end(), url_of(json, &["html_url"])),
        author(name)
    )
}

fn file(repository: &str, json: &Value) -> String {
    // The answer for a folder is a list.
    let path = text(json, "path");
    if path.is_empty() {
        return "This link is no file.".to_owned();
    }
    let size = json.get("size").and_then(Value::as_u64).unwrap_or_default();
    let size = match size {
        0..1024 => format!("{size} bytes"),
        _ => format!("{} KiB", size / 1024),
    };
    let text = format!("{}: {}", escape(repository, 140), escape(path, MAX_TITLE));
    format!("File {} · {size}", link(&text, url_of(json, &["html_url"])))
}

/// The name of an account, which mentions no one.
pub(crate) fn author(login: &str) -> String {
    match escape(login, MAX_NAME) {
        name if name.is_empty() => "a deleted account".to_owned(),
        name => name,
    }
}

fn text<'a>(json: &'a Value, name: &str) -> &'a str {
    text_of(json, &[name])
}

/// The address at a path; none if it is too long for a message.
pub(crate) fn url_of<'a>(json: &'a Value, path: &[&str]) -> &'a str {
    match text_of(json, path) {
        url if url.len() <= MAX_URL => url,
        _ => "",
    }
}

/// The text at a path; empty if there is none.
pub(crate) fn text_of<'a>(json: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(json, |json, name| json.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}
