//! Changes of fields, as trackers of issues report them.

use crate::text::{bold, escape};

/// A change of one field. Its parts are Markdown.
pub(crate) struct Change {
    name: String,
    kind: Kind,
}

enum Kind {
    /// One value follows another; either may be empty.
    Value { from: String, to: String },
    /// A field of several values got one.
    Added(String),
    /// A field of several values lost one.
    Removed(String),
    /// A long value is gone.
    Cleared,
    /// Something that has a verb of its own.
    Done,
}

impl Change {
    /// A field with one value, which may be empty before or after. Things are assigned
    /// to an `assignee` and move to another `status` or `list`.
    pub(crate) fn value(name: &str, from: &str, to: &str) -> Self {
        Self::markdown(name, escape(from), bold(to))
    }

    /// As [`Change::value`], for values that are Markdown already.
    pub(crate) fn markdown(name: &str, from: String, to: String) -> Self {
        let kind = Kind::Value { from, to };
        Self {
            name: escape(name),
            kind,
        }
    }

    /// A field whose values are not shown, because they are long or not in the body.
    pub(crate) fn unseen(name: &str) -> Self {
        Self::value(name, "", "")
    }

    /// A field of several values that got this one, which is Markdown.
    pub(crate) fn added(name: &str, value: String) -> Self {
        Self {
            name: escape(name),
            kind: Kind::Added(value),
        }
    }

    /// A field of several values that lost this one, which is Markdown.
    pub(crate) fn removed(name: &str, value: String) -> Self {
        Self {
            name: escape(name),
            kind: Kind::Removed(value),
        }
    }

    /// A field whose long value was removed.
    pub(crate) fn cleared(name: &str) -> Self {
        Self {
            name: escape(name),
            kind: Kind::Cleared,
        }
    }

    /// A change with a verb of its own: `archived`.
    pub(crate) fn done(verb: &'static str) -> Self {
        Self {
            name: verb.to_owned(),
            kind: Kind::Done,
        }
    }

    fn by(&self, who: &str, thing: &str) -> String {
        let name = &self.name;
        match &self.kind {
            Kind::Done => format!("{who} {name} {thing}"),
            Kind::Cleared => format!("{who} removed the {name} of {thing}"),
            Kind::Added(value) => format!("{who} added the {name} {value} to {thing}"),
            Kind::Removed(value) => format!("{who} removed the {name} {value} from {thing}"),
            Kind::Value { from, to } => match (&**name, from.is_empty(), to.is_empty()) {
                (_, true, true) => format!("{who} changed the {name} of {thing}"),
                ("assignee", true, false) => format!("{who} assigned {thing} to {to}"),
                ("assignee", false, false) => {
                    format!("{who} reassigned {thing} from {from} to {to}")
                }
                ("assignee", false, true) => format!("{who} unassigned {from} from {thing}"),
                ("status" | "list", false, false) => {
                    format!("{who} moved {thing} from {from} to {to}")
                }
                (_, true, false) => format!("{who} set the {name} of {thing} to {to}"),
                (_, false, true) => format!("{who} removed the {name} ({from}) from {thing}"),
                (_, false, false) => {
                    format!("{who} changed the {name} of {thing} from {from} to {to}")
                }
            },
        }
    }

    fn of(&self, thing: &str) -> String {
        let name = &self.name;
        match &self.kind {
            Kind::Done => format!("{thing} was {name}"),
            Kind::Cleared => format!("the {name} of {thing} was removed"),
            Kind::Added(value) => format!("the {name} {value} was added to {thing}"),
            Kind::Removed(value) => format!("the {name} {value} was removed from {thing}"),
            Kind::Value { from, to } => match (&**name, from.is_empty(), to.is_empty()) {
                (_, true, true) => format!("the {name} of {thing} changed"),
                ("status" | "list", false, false) => format!("{thing} moved from {from} to {to}"),
                (_, true, false) => format!("the {name} of {thing} is now {to}"),
                (_, false, true) => format!("the {name} ({from}) was removed from {thing}"),
                (_, false, false) => format!("the {name} of {thing} changed from {from} to {to}"),
            },
        }
    }

    fn line(&self) -> String {
        let name = capitalized(&self.name);
        match &self.kind {
            Kind::Done => format!("* {name}"),
            Kind::Cleared => format!("* {name} removed"),
            Kind::Added(value) => format!("* {name} added: {value}"),
            Kind::Removed(value) => format!("* {name} removed: {value}"),
            Kind::Value { from, to } => match (from.is_empty(), to.is_empty()) {
                (true, true) => format!("* {name} changed"),
                (true, false) => format!("* {name}: {to}"),
                (false, true) => format!("* {name} removed: {from}"),
                (false, false) => format!("* {name}: {from} → {to}"),
            },
        }
    }
}

/// A sentence about the changes of a thing, and a list if there are several. Both texts are Markdown; `who` is empty if
/// the body does not name a person.
pub(crate) fn changed(who: &str, thing: &str, changes: &[Change]) -> String {
    let sentence = match (changes, who.is_empty()) {
        ([one], true) => format!("{}.", one.of(thing)),
        ([one], false) => format!("{}.", one.by(who, thing)),
        ([], true) => format!("{thing} was updated."),
        ([], false) => format!("{who} updated {thing}."),
        (_, true) => format!("{thing} was updated:"),
        (_, false) => format!("{who} updated {thing}:"),
    };
    // A name of a person keeps its letters.
    let mut lines = vec![if who.is_empty() {
        capitalized(&sentence)
    } else {
        sentence
    }];
    if changes.len() > 1 {
        lines.push(list(changes));
    }
    lines.join("\n")
}

/// A list of changes.
pub(crate) fn list(changes: &[Change]) -> String {
    let lines: Vec<String> = changes.iter().map(Change::line).collect();
    lines.join("\n")
}

/// A text that begins with a capital letter, also inside a link.
pub(crate) fn capitalized(text: &str) -> String {
    let (bracket, rest) = match text.strip_prefix('[') {
        Some(rest) => ("[", rest),
        None => ("", text),
    };
    let mut letters = rest.chars();
    match letters.next() {
        Some(first) if first.is_ascii_lowercase() => {
            format!(
                "{bracket}{}{}",
                first.to_ascii_uppercase(),
                letters.as_str()
            )
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, changed};

    #[test]
    fn one_change_is_a_sentence() {
        for (change, by, of) in [
            (
                Change::value("status", "Open", "Done"),
                "ann moved X from Open to **Done**.",
                "X moved from Open to **Done**.",
            ),
            (
                Change::value("assignee", "", "Bo"),
                "ann assigned X to **Bo**.",
                "The assignee of X is now **Bo**.",
            ),
            (
                Change::value("due date", "May", ""),
                "ann removed the due date (May) from X.",
                "The due date (May) was removed from X.",
            ),
            (
                Change::added("label", "a".to_owned()),
                "ann added the label a to X.",
                "The label a was added to X.",
            ),
            (
                Change::done("archived"),
                "ann archived X.",
                "X was archived.",
            ),
            (
                Change::cleared("description"),
                "ann removed the description of X.",
                "The description of X was removed.",
            ),
            (
                Change::unseen("description"),
                "ann changed the description of X.",
                "The description of X changed.",
            ),
        ] {
            let changes = [change];
            assert_eq!(changed("ann", "X", &changes), by);
            assert_eq!(changed("", "X", &changes), of);
        }
    }

    #[test]
    fn several_changes_are_a_list() {
        let changes = [
            Change::value("status", "Open", "Done"),
            Change::value("assignee", "Bo", ""),
            Change::removed("label", "a".to_owned()),
        ];
        assert_eq!(
            changed("", "story X", &changes),
            "Story X was updated:\n* Status: Open → **Done**\n* Assignee removed: Bo\n* Label removed: a"
        );
    }
}
