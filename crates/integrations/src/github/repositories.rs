//! GitHub: repositories as a whole, their wikis, rules and webhooks.

use crate::forge::{Hook, listed};
use crate::text::{bold, code, escape, link};
use crate::{Message, Outcome};

/// The repository, linked.
fn this(hook: &Hook<'_>) -> String {
    link(
        hook.first(&["repository/full_name", "repository/name"]),
        hook.str("repository/html_url"),
    )
}

pub(super) fn ping(hook: &Hook<'_>) -> Outcome {
    let events: Vec<String> = hook
        .at("hook/events")
        .list()
        .map(|one| code(one.str()))
        .collect();
    let events = match &*events {
        [] => String::new(),
        [one] if one == "`*`" => " It sends all events.".to_owned(),
        some => format!(" It sends {}.", listed(some)),
    };
    let target = if hook.at("repository").exists() {
        this(hook)
    } else {
        bold(hook.event.place)
    };
    let target = if target.is_empty() {
        target
    } else {
        format!(" of {target}")
    };
    let sentence = format!("The webhook{target} is set up.{events}");
    Message::new(hook.event.kind, hook.event.topic(""), [&*sentence]).into()
}

pub(super) fn meta(hook: &Hook<'_>) -> Outcome {
    hook.did("", &format!("{} this webhook", hook.action_words()), "")
}

pub(super) fn fork(hook: &Hook<'_>) -> Outcome {
    let fork = hook.at("forkee");
    let fork = link(fork.at("full_name").str(), fork.at("html_url").str());
    hook.did("forks", &format!("forked {} to {fork}", this(hook)), "")
}

pub(super) fn watch(hook: &Hook<'_>) -> Outcome {
    hook.did(
        "stars",
        &format!("starred {}{}", this(hook), stars(hook)),
        "",
    )
}

pub(super) fn star(hook: &Hook<'_>) -> Outcome {
    let verb = if hook.action() == "deleted" {
        "unstarred"
    } else {
        "starred"
    };
    hook.did(
        "stars",
        &format!("{verb} {}{}", this(hook), stars(hook)),
        "",
    )
}

fn stars(hook: &Hook<'_>) -> String {
    let count = hook.at("repository/stargazers_count").number();
    match count.and_then(|count| usize::try_from(count).ok()) {
        Some(count) if count > 0 => format!(" (now {})", crate::text::count(count, "star")),
        _ => String::new(),
    }
}

pub(super) fn public(hook: &Hook<'_>) -> Outcome {
    hook.did("", &format!("made {} public", this(hook)), "")
}

pub(super) fn repository(hook: &Hook<'_>) -> Outcome {
    let it = this(hook);
    let deed = match hook.action() {
        "publicized" => format!("made {it} public"),
        "privatized" => format!("made {it} private"),
        "renamed" => format!(
            "renamed {} to {it}",
            bold(hook.str("changes/repository/name/from"))
        ),
        "transferred" => {
            let from = hook.first(&[
                "changes/owner/from/user/login",
                "changes/owner/from/organization/login",
            ]);
            format!("transferred {it} from {}", bold(from))
        }
        "edited" => match listed(&edits(hook)) {
            parts if parts.is_empty() => format!("edited the repository {it}"),
            parts => format!("edited the repository {it}: {parts}"),
        },
        _ => format!("{} the repository {it}", hook.action_words()),
    };
    let quoted = if hook.action() == "created" {
        hook.str("repository/description")
    } else {
        ""
    };
    hook.did("", &deed, quoted)
}

/// The changes of a repository that people can name.
fn edits(hook: &Hook<'_>) -> Vec<String> {
    let (changes, repository) = (hook.at("changes"), hook.at("repository"));
    let mut parts = Vec::new();
    if changes.at("default_branch").exists() {
        let now = code(repository.at("default_branch").str());
        parts.push(format!("made {now} the default branch"));
    }
    for field in ["description", "homepage"] {
        if changes.at(field).exists() {
            parts.push(match repository.at(field).str() {
                "" => format!("removed the {field}"),
                now => format!("set the {field} to {}", escape(now)),
            });
        }
    }
    if changes.at("topics").exists() {
        let topics = repository.at("topics").list().map(|one| code(one.str()));
        let topics: Vec<String> = topics.collect();
        parts.push(format!("set the topics to {}", listed(&topics)));
    }
    parts
}

pub(super) fn wiki(hook: &Hook<'_>) -> Outcome {
    let pages = hook.at("pages").list().map(|page| {
        let name = page.first(&["title", "page_name"]).str();
        let summary = match page.at("summary").str() {
            "" => String::new(),
            summary => format!(": {}", escape(summary)),
        };
        format!(
            "{} {}{summary}",
            escape(page.at("action").str()),
            link(name, page.at("html_url").str())
        )
    });
    let mut pages: Vec<String> = pages.collect();
    pages.dedup();
    let (first, who) = (pages.first().cloned().unwrap_or_default(), hook.who());
    let text = if pages.len() == 1 {
        format!("{who} {first} in the wiki.")
    } else {
        let lines: Vec<String> = pages
            .iter()
            .take(20)
            .map(|page| format!("* {page}"))
            .collect();
        format!("{who} changed the wiki:\n{}", lines.join("\n"))
    };
    Message::new(hook.event.kind, hook.event.topic("wiki"), [&*text]).into()
}

pub(super) fn deploy_key(hook: &Hook<'_>) -> Outcome {
    let rights = if hook.at("key/read_only").is_true() {
        "read-only "
    } else {
        ""
    };
    let title = bold(hook.str("key/title"));
    hook.did(
        "deploy keys",
        &format!("{} the {rights}deploy key {title}", hook.action_words()),
        "",
    )
}

pub(super) fn branch_rule(hook: &Hook<'_>) -> Outcome {
    let name = bold(hook.str("rule/name"));
    hook.did(
        "branch protection",
        &format!("{} the branch protection rule {name}", hook.action_words()),
        "",
    )
}

pub(super) fn ruleset(hook: &Hook<'_>) -> Outcome {
    let set = hook.at("repository_ruleset");
    let it = link(set.at("name").str(), set.at("_links/html/href").str());
    hook.did(
        "branch protection",
        &format!("{} the ruleset {it}", hook.action_words()),
        "",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::github::GITHUB;
    use crate::testing::message;

    fn said(event: &str, more: Value) -> (String, String) {
        let mut body = json!({"sender": {"login": "ann"}, "repository": {"name": "shop", "full_name": "org/shop",
            "html_url": "https://g.example/shop", "stargazers_count": 2, "default_branch": "main"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&GITHUB, &[("x-github-event", event)], &body);
        assert_eq!(said.event, event);
        (said.topic, said.content)
    }

    #[test]
    fn pings_say_what_works() {
        let (topic, content) = said(
            "ping",
            json!({"zen": "Calm.", "hook": {"events": ["push", "issues"]}}),
        );
        assert_eq!(topic, "shop");
        assert_eq!(
            content,
            "The webhook of [org/shop](https://g.example/shop) is set up. It sends `push` and `issues`."
        );
        let (topic, content) = said(
            "ping",
            json!({"zen": "Calm.", "repository": null, "organization": {"login": "org"}, "hook": {"events": ["*"]}}),
        );
        assert_eq!(topic, "org");
        assert_eq!(
            content,
            "The webhook of **org** is set up. It sends all events."
        );
    }

    #[test]
    fn repositories_change() {
        let it = "[org/shop](https://g.example/shop)";
        for (event, more, topic, content) in [
            (
                "watch",
                json!({"action": "started"}),
                "shop / stars",
                format!("ann starred {it} (now 2 stars)."),
            ),
            (
                "star",
                json!({"action": "deleted"}),
                "shop / stars",
                format!("ann unstarred {it} (now 2 stars)."),
            ),
            (
                "public",
                json!({}),
                "shop",
                format!("ann made {it} public."),
            ),
            (
                "fork",
                json!({"forkee": {"full_name": "bob/shop", "html_url": "https://g.example/bob"}}),
                "shop / forks",
                format!("ann forked {it} to [bob/shop](https://g.example/bob)."),
            ),
            (
                "repository",
                json!({"action": "renamed", "changes": {"repository": {"name": {"from": "old"}}}}),
                "shop",
                format!("ann renamed **old** to {it}."),
            ),
            (
                "repository",
                json!({"action": "archived"}),
                "shop",
                format!("ann archived the repository {it}."),
            ),
            (
                "deploy_key",
                json!({"action": "created", "key": {"title": "ci", "read_only": true}}),
                "shop / deploy keys",
                "ann created the read-only deploy key **ci**.".to_owned(),
            ),
        ] {
            assert_eq!(said(event, more), (topic.to_owned(), content));
        }
    }

    #[test]
    fn wiki_pages() {
        let home = json!({"action": "edited", "title": "Home", "html_url": "https://g.example/w", "summary": "typo"});
        let one = said("gollum", json!({"pages": [home]}));
        assert_eq!(
            one.1,
            "ann edited [Home](https://g.example/w): typo in the wiki."
        );
        let faq = json!({"action": "created", "title": "FAQ", "html_url": "https://g.example/f"});
        let two = said("gollum", json!({"pages": [home, faq]}));
        assert_eq!(two.0, "shop / wiki");
        assert_eq!(
            two.1,
            "ann changed the wiki:\n* edited [Home](https://g.example/w): typo\n* created [FAQ](https://g.example/f)"
        );
    }
}
