//! What messages of code hosts have in common: topics, items with a number, pushes.

use crate::message::{self, Commit};
use crate::text::{bold, code, escape, link, linked, quote};
use crate::{Message, Node, Outcome, UrlOption};

/// Restricts the messages about pushes.
pub(crate) const BRANCHES: UrlOption = UrlOption {
    key: "branches",
    label: "Only pushes to these branches, separated by commas",
    input: "text",
};

/// The options in the address of a call.
pub(crate) type Options<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Whether the address asks for pushes to this branch.
pub(crate) fn wants(option: Options<'_>, branch: &str) -> bool {
    let wanted = option("branches").unwrap_or_default();
    let mut names = wanted
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty());
    let first = names.next();
    first.is_none_or(|first| first == branch || names.any(|one| one == branch))
}

/// One event: what happened where, and who did it.
pub(crate) struct Event<'a> {
    /// One of the kinds of the integration.
    pub(crate) kind: &'static str,
    /// Name of the person or program.
    pub(crate) who: &'a str,
    /// Name of the repository, or of the organization for its own events.
    pub(crate) place: &'a str,
}

impl Event<'_> {
    /// The name in Markdown.
    pub(crate) fn who(&self) -> String {
        if self.who.is_empty() {
            "Someone".to_owned()
        } else {
            escape(self.who)
        }
    }

    /// A message of one sentence, given without its full stop, and the quotation that it introduces, if any.
    pub(crate) fn said(&self, about: &str, sentence: &str, quoted: &str) -> Message {
        let quoted = quote(&visible(quoted));
        let end = if quoted.is_empty() { '.' } else { ':' };
        let sentence = format!("{sentence}{end}");
        Message::new(self.kind, self.topic(about), [&*sentence, &*quoted])
    }

    /// A topic on something in the repository.
    pub(crate) fn topic(&self, about: &str) -> String {
        match (self.place, about) {
            ("", "") => self.kind.to_owned(),
            (place, "") => place.to_owned(),
            ("", about) => about.to_owned(),
            (place, about) => format!("{place} / {about}"),
        }
    }
}

/// A call of a code host, and what its messages need of it.
pub(crate) struct Hook<'a> {
    pub(crate) event: Event<'a>,
    pub(crate) body: Node<'a>,
    pub(crate) option: Options<'a>,
    /// Page of the repository; may be empty.
    pub(crate) repository: &'a str,
}

impl<'a> Hook<'a> {
    pub(crate) fn at(&self, path: &str) -> Node<'a> {
        self.body.at(path)
    }

    pub(crate) fn str(&self, path: &str) -> &'a str {
        self.body.at(path).str()
    }

    /// The text at the first of these paths that has one.
    pub(crate) fn first(&self, paths: &[&str]) -> &'a str {
        self.body.first(paths).str()
    }

    pub(crate) fn action(&self) -> &'a str {
        self.str("action")
    }

    /// The action in words: `added to project`.
    pub(crate) fn action_words(&self) -> String {
        escape(&self.action().replace('_', " "))
    }

    pub(crate) fn who(&self) -> String {
        self.event.who()
    }

    /// A page of the repository.
    pub(crate) fn page(&self, path: &str) -> String {
        page(self.repository, path)
    }

    /// The message that this person did something.
    pub(crate) fn did(&self, about: &str, deed: &str, quoted: &str) -> Outcome {
        self.said(about, &format!("{} {deed}", self.who()), quoted)
    }

    pub(crate) fn said(&self, about: &str, sentence: &str, quoted: &str) -> Outcome {
        self.event.said(about, sentence, quoted).into()
    }
}

/// Markdown without the comments of HTML in it, which are instructions to authors.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        let Some((_, behind)) = after.split_once("-->") else {
            break;
        };
        shown.push_str(before);
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// An issue, a pull request, or something else with a number and a title.
pub(crate) struct Item<'a> {
    pub(crate) noun: &'static str,
    /// With its sign: `#7`, `!7`.
    pub(crate) number: String,
    pub(crate) title: &'a str,
    pub(crate) url: &'a str,
}

impl Item<'_> {
    /// Its part of a topic.
    pub(crate) fn topic(&self) -> String {
        format!("{} {} {}", self.noun, self.number, self.title)
    }

    /// It in a sentence, in Markdown.
    pub(crate) fn link(&self) -> String {
        link(&self.topic(), self.url)
    }
}

/// The address of a page below another; nothing below nothing.
pub(crate) fn page(base: &str, path: &str) -> String {
    if base.is_empty() {
        return String::new();
    }
    format!("{base}/{}", in_path(path))
}

/// A name for an address: `#`, `?` and `%` are letters of branches and tags, but would end the path.
pub(crate) fn in_path(name: &str) -> String {
    name.replace('%', "%25")
        .replace('#', "%23")
        .replace('?', "%3F")
}

/// Names as `a, b and c`, in Markdown.
pub(crate) fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names = names.into_iter().filter(|name| !name.is_empty());
    listed(&names.map(escape).collect::<Vec<_>>())
}

/// The branch that something ran for, after `on`; empty without a branch, and `None` where the address selects others.
pub(crate) fn on_branch(option: Options<'_>, branch: &str) -> Option<String> {
    if branch.is_empty() {
        return Some(String::new());
    }
    wants(option, branch).then(|| format!(" on {}", code(branch)))
}

/// What a draft is called before its name.
pub(crate) const fn draft_or_not(is_draft: bool) -> &'static str {
    if is_draft { "the draft " } else { "" }
}

/// The reviewers, in parentheses after a sentence; nothing without any.
pub(crate) fn for_review(people: &str) -> String {
    if people.is_empty() {
        return String::new();
    }
    format!(" (for review by {people})")
}

/// Markdown as `a, b and c`.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The usual short form of a commit's id.
pub(crate) fn short(id: &str) -> String {
    id.chars().take(7).collect()
}

/// Whether an id of a commit stands for none.
pub(crate) fn is_zero(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|digit| digit == b'0')
}

/// What a conclusion says of its check.
pub(crate) fn verdict(conclusion: &str) -> String {
    let words = match conclusion {
        "success" => "passed",
        "failure" => "failed",
        "error" => "ended with an error",
        "cancelled" => "was cancelled",
        "timed_out" => "timed out",
        "action_required" => "needs action",
        "neutral" => "ended neutrally",
        "skipped" => "was skipped",
        "stale" => "became stale",
        "startup_failure" => "could not start",
        other => return format!("ended as {}", bold(other)),
    };
    bold(words)
}

/// What a push did to its branch or tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Created,
    Updated,
    Forced,
    Deleted,
}

/// A push to one branch or tag.
pub(crate) struct Push<'a> {
    pub(crate) change: Change,
    pub(crate) name: &'a str,
    pub(crate) is_tag: bool,
    /// Page of the branch or tag; may be empty.
    pub(crate) url: &'a str,
    /// Page of the changes; may be empty.
    pub(crate) compare: &'a str,
    pub(crate) commits: Vec<Commit<'a>>,
    /// Number of commits, of which the call may list a part.
    pub(crate) total: usize,
    /// Whether there are more than `total`; the service does not say how many.
    pub(crate) has_more: bool,
}

impl<'a> Push<'a> {
    /// Kind and name of a reference: `refs/tags/v1`.
    pub(crate) fn reference(reference: &'a str) -> (bool, &'a str) {
        let tag = reference.strip_prefix("refs/tags/");
        let branch = reference.strip_prefix("refs/heads/");
        (tag.is_some(), tag.or(branch).unwrap_or(reference))
    }

    /// The message, if the address asks for this branch.
    pub(crate) fn outcome(self, event: &Event<'_>, option: Options<'_>) -> Outcome {
        Self::all(vec![self], event, option)
    }

    /// One message about all pushes that the address asks for.
    pub(crate) fn all(pushes: Vec<Self>, event: &Event<'_>, option: Options<'_>) -> Outcome {
        let is_wanted = |push: &Self| push.is_tag || wants(option, push.name);
        let pushes: Vec<Self> = pushes.into_iter().filter(is_wanted).collect();
        let topic = match &*pushes {
            [] => return Outcome::Ignored,
            [one] => event.topic(one.name),
            _ => event.topic(""),
        };
        let texts: Vec<String> = pushes.into_iter().map(|push| push.text(event)).collect();
        // Without the blank line, a sentence would continue the list before it.
        Message::new(event.kind, topic, [&*texts.join("\n\n")]).into()
    }

    fn text(self, event: &Event<'_>) -> String {
        let sentence = format!("{} {}.", event.who(), self.done());
        if self.is_tag || self.total == 0 {
            return sentence;
        }
        let list = message::commits(self.commits.into_iter(), self.total);
        match (list.is_empty(), self.has_more) {
            (true, _) => sentence,
            (false, true) => format!("{sentence}\n{list}\n* and more"),
            (false, false) => format!("{sentence}\n{list}"),
        }
    }

    fn done(&self) -> String {
        let page = linked(&code(self.name), self.url);
        let bare = code(self.name);
        let more = if self.has_more { "more than " } else { "" };
        let commits = format!("{more}{}", crate::text::count(self.total, "commit"));
        let commits = linked(&commits, self.compare);
        match (self.is_tag, self.change) {
            (true, Change::Created) => format!("pushed the tag {page}"),
            (true, Change::Deleted) => format!("deleted the tag {bare}"),
            (true, _) => format!("moved the tag {page}"),
            (false, Change::Deleted) => format!("deleted the branch {bare}"),
            (false, Change::Created) if self.total == 0 => format!("created the branch {page}"),
            (false, Change::Created) => format!("pushed {commits} to the new branch {page}"),
            (false, Change::Forced) if self.total == 0 => {
                let back = linked("removed commits", self.compare);
                format!("force-pushed {page} and {back}")
            }
            (false, Change::Forced) => format!("force-pushed {commits} to {page}"),
            (false, Change::Updated) if self.total == 0 && self.has_more => {
                format!("pushed {} to {page}", linked("commits", self.compare))
            }
            (false, Change::Updated) if self.total == 0 => {
                format!(
                    "pushed to {page} {}",
                    linked("without new commits", self.compare)
                )
            }
            (false, Change::Updated) => format!("pushed {commits} to {page}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_comments_stay_hidden() {
        assert_eq!(visible("a <!-- b\n --> c <!-- d"), "a  c <!-- d");
    }

    #[test]
    fn addresses_keep_the_whole_name() {
        assert_eq!(
            page("https://g.example/a", "tree/f#1?"),
            "https://g.example/a/tree/f%231%3F"
        );
        assert_eq!(page("", "tree/x"), "");
    }

    #[test]
    fn the_address_may_name_branches() {
        for (option, wanted) in [
            ("", true),
            ("main, dev", true),
            ("dev,main", true),
            ("x", false),
        ] {
            let named = |_: &str| Some(option.to_owned());
            assert_eq!(wants(&named, "main"), wanted, "{option}");
        }
    }

    #[test]
    fn people_are_listed_in_a_sentence() {
        assert_eq!(names(["ann"]), "ann");
        assert_eq!(names(["ann", "bob", "cy"]), "ann, bob and cy");
    }
}
