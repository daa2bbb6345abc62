//! GitHub: releases and packages.

use crate::forge::Hook;
use crate::text::{bold, escape, link};
use crate::{Node, Outcome};

pub(super) fn release(hook: &Hook<'_>) -> Outcome {
    let release = hook.at("release");
    let (tag, name) = (release.at("tag_name").str(), release.at("name").str());
    let named = if name.is_empty() || name == tag {
        tag.to_owned()
    } else {
        format!("{tag} {name}")
    };
    let kind = match (
        release.at("draft").is_true(),
        release.at("prerelease").is_true(),
    ) {
        (true, _) => "draft release",
        (_, true) => "pre-release",
        _ => "release",
    };
    let it = format!("the {kind} {}", link(&named, release.at("html_url").str()));
    let quoted = match hook.action() {
        "published" | "edited" => release.at("body").str(),
        _ => "",
    };
    let deed = match hook.action() {
        // GitHub sends `published` for the same act.
        "released" | "prereleased" => return Outcome::Ignored,
        "created" if !release.at("draft").is_true() => return Outcome::Ignored,
        _ => format!("{} {it}", hook.action_words()),
    };
    hook.did(&format!("release {tag}"), &deed, quoted)
}

pub(super) fn package(hook: &Hook<'_>) -> Outcome {
    versioned(hook, hook.at("package"))
}

pub(super) fn registry_package(hook: &Hook<'_>) -> Outcome {
    versioned(hook, hook.at("registry_package"))
}

fn versioned(hook: &Hook<'_>, package: Node<'_>) -> Outcome {
    let name = package.at("name").str();
    let version = package.at("package_version");
    let named = format!("{name} {}", version.first(&["version", "name"]).str());
    let url = version.first(&["html_url", "package_url"]).str();
    let url = if url.is_empty() {
        package.at("html_url").str()
    } else {
        url
    };
    let kind = match package.first(&["package_type", "ecosystem"]).str() {
        "" => String::new(),
        kind => format!(" ({})", escape(kind)),
    };
    let deed = format!(
        "{} the package {}{kind}",
        hook.action_words(),
        link(named.trim(), url)
    );
    let deed = if named.trim().is_empty() {
        format!(
            "{} a package of {}",
            hook.action_words(),
            bold(hook.event.place)
        )
    } else {
        deed
    };
    hook.did(&format!("package {name}"), &deed, "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Outcome;
    use crate::github::GITHUB;
    use crate::testing::{message, outcome};

    #[test]
    fn a_release_is_one_message() {
        for (action, draft, is_ignored) in [
            ("released", false, true),
            ("created", false, true),
            ("created", true, false),
        ] {
            let body = json!({"action": action, "repository": {"name": "shop"}, "release": {"tag_name": "v1", "draft": draft}});
            assert_eq!(
                outcome(&GITHUB, &[], &body) == Outcome::Ignored,
                is_ignored,
                "{action}"
            );
        }
    }

    #[test]
    fn releases_and_packages_name_their_version() {
        let body = json!({"action": "published", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "release": {"tag_name": "v1", "name": "First", "prerelease": true, "html_url": "https://g.example/v1", "body": "New"}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / release v1");
        assert_eq!(
            said.content,
            "ann published the pre-release [v1 First](https://g.example/v1):\n```quote\nNew\n```"
        );
        let body = json!({"action": "published", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "package": {"name": "cart", "package_type": "npm",
                "package_version": {"version": "1.2", "html_url": "https://g.example/p"}}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / package cart");
        assert_eq!(
            said.content,
            "ann published the package [cart 1.2](https://g.example/p) (npm)."
        );
    }
}
