//! GitHub: members, teams, organizations and sponsors.

use crate::Outcome;
use crate::forge::Hook;
use crate::text::{bold, code, escape, link};

/// A person by an event's path, linked to the profile.
fn person(hook: &Hook<'_>, path: &str) -> String {
    let user = hook.at(path);
    link(user.at("login").str(), user.at("html_url").str())
}

pub(super) fn member(hook: &Hook<'_>) -> Outcome {
    let (who, repository) = (person(hook, "member"), bold(hook.event.place));
    let deed = match hook.action() {
        "added" => match hook.first(&["changes/role_name/to", "changes/permission/to"]) {
            "" => format!("added {who} to {repository}"),
            role => format!("added {who} to {repository} as {}", escape(role)),
        },
        "removed" => format!("removed {who} from {repository}"),
        "edited" => format!("changed the permissions of {who} in {repository}"),
        _ => format!("{} {who} in {repository}", hook.action_words()),
    };
    hook.did("members", &deed, "")
}

fn team_link(hook: &Hook<'_>) -> String {
    link(hook.str("team/name"), hook.str("team/html_url"))
}

/// The topic of the event's team.
fn team_topic(hook: &Hook<'_>) -> String {
    format!("team {}", hook.str("team/name"))
}

pub(super) fn team_member(hook: &Hook<'_>) -> Outcome {
    let (who, team) = (person(hook, "member"), team_link(hook));
    let deed = match hook.action() {
        "removed" => format!("removed {who} from the team {team}"),
        _ => format!("added {who} to the team {team}"),
    };
    hook.did(&team_topic(hook), &deed, "")
}

pub(super) fn team_add(hook: &Hook<'_>) -> Outcome {
    let repository = link(
        hook.str("repository/full_name"),
        hook.str("repository/html_url"),
    );
    let deed = format!("gave the team {} access to {repository}", team_link(hook));
    hook.did(&team_topic(hook), &deed, "")
}

pub(super) fn team(hook: &Hook<'_>) -> Outcome {
    let (team, changes) = (team_link(hook), hook.at("changes"));
    let repository = link(
        hook.str("repository/full_name"),
        hook.str("repository/html_url"),
    );
    let deed = match hook.action() {
        "created" | "deleted" => format!("{} the team {team}", hook.action_words()),
        "added_to_repository" => format!("gave the team {team} access to {repository}"),
        "removed_from_repository" => format!("took access to {repository} from the team {team}"),
        "edited" if changes.at("name").exists() => {
            format!(
                "renamed the team {} to {team}",
                bold(changes.at("name/from").str())
            )
        }
        "edited" if changes.at("privacy").exists() => match hook.str("team/privacy") {
            "secret" => format!("made the team {team} secret"),
            _ => format!("made the team {team} visible to the organization"),
        },
        "edited" if changes.at("description").exists() => {
            let text = hook.str("team/description");
            let deed = format!("changed the description of the team {team}");
            return hook.did(&team_topic(hook), &deed, text);
        }
        "edited" if changes.at("repository").exists() => {
            format!("changed what the team {team} may do in {repository}")
        }
        _ => format!("{} the team {team}", hook.action_words()),
    };
    hook.did(&team_topic(hook), &deed, "")
}

pub(super) fn organization(hook: &Hook<'_>) -> Outcome {
    let (who, place) = (
        person(hook, "membership/user"),
        bold(hook.str("organization/login")),
    );
    let deed = match hook.action() {
        "member_added" => format!("added {who} to {place}"),
        "member_removed" => format!("removed {who} from {place}"),
        "member_invited" => {
            let invited = hook.first(&["user/login", "invitation/login", "invitation/email"]);
            format!("invited {} to {place}", escape(invited))
        }
        "renamed" => match hook.str("changes/login/from") {
            "" => format!("renamed the organization to {place}"),
            old => format!("renamed the organization {} to {place}", bold(old)),
        },
        "deleted" => format!("deleted the organization {place}"),
        _ => format!("{} {place}", hook.action_words()),
    };
    hook.did("members", &deed, "")
}

pub(super) fn blocked(hook: &Hook<'_>) -> Outcome {
    let (who, place) = (person(hook, "blocked_user"), bold(hook.event.place));
    let deed = match hook.action() {
        "unblocked" => format!("no longer blocks {who} in {place}"),
        _ => format!("blocked {who} in {place}"),
    };
    hook.did("members", &deed, "")
}

pub(super) fn sponsorship(hook: &Hook<'_>) -> Outcome {
    let (who, whom) = (
        person(hook, "sponsorship/sponsor"),
        person(hook, "sponsorship/sponsorable"),
    );
    let tier = bold(hook.str("sponsorship/tier/name"));
    let old = bold(hook.str("changes/tier/from/name"));
    let date = escape(
        hook.str("effective_date")
            .split('T')
            .next()
            .unwrap_or_default(),
    );
    let from = if date.is_empty() {
        String::new()
    } else {
        format!(" on {date}")
    };
    let sentence = match hook.action() {
        "created" => format!("{who} began to sponsor {whom} with {tier}"),
        "cancelled" => format!("{who} no longer sponsors {whom} (was {tier})"),
        "edited" if hook.at("changes/privacy_level").exists() => {
            let now = code(hook.str("sponsorship/privacy_level"));
            format!("{who} changed the privacy of the sponsorship of {whom} to {now}")
        }
        "edited" => format!("{who} edited the sponsorship of {whom} ({tier})"),
        "tier_changed" => format!("{who} changed the sponsorship of {whom} from {old} to {tier}"),
        "pending_cancellation" => {
            format!("{who} will end the sponsorship of {whom} ({tier}){from}")
        }
        "pending_tier_change" => {
            format!("{who} will change the sponsorship of {whom} from {old} to {tier}{from}")
        }
        _ => format!(
            "{who}: {} the sponsorship of {whom} ({tier})",
            hook.action_words()
        ),
    };
    hook.said("sponsors", &sentence, "")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::github::GITHUB;
    use crate::testing::message;

    fn said(body: Value) -> (String, String) {
        let mut body = body;
        body["sender"] = json!({"login": "ann"});
        let said = message(&GITHUB, &[], &body);
        (said.topic, said.content)
    }

    fn pair(topic: &str, content: &str) -> (String, String) {
        (topic.to_owned(), content.to_owned())
    }

    #[test]
    fn members_come_and_go() {
        let bob = json!({"login": "bob", "html_url": "https://g.example/bob"});
        let repository =
            json!({"name": "shop", "full_name": "org/shop", "html_url": "https://g.example/shop"});
        let organization = json!({"login": "org"});
        assert_eq!(
            said(json!({"action": "added", "member": bob, "repository": repository})),
            pair(
                "shop / members",
                "ann added [bob](https://g.example/bob) to **shop**."
            )
        );
        assert_eq!(
            said(
                json!({"action": "removed", "scope": "team", "member": bob, "team": {"name": "Core"}, "organization": organization})
            ),
            pair(
                "org / team Core",
                "ann removed [bob](https://g.example/bob) from the team Core."
            )
        );
        assert_eq!(
            said(
                json!({"action": "member_added", "membership": {"user": bob}, "organization": organization})
            ),
            pair(
                "org / members",
                "ann added [bob](https://g.example/bob) to **org**."
            )
        );
        assert_eq!(
            said(
                json!({"team": {"name": "Core"}, "repository": repository, "organization": organization})
            ),
            pair(
                "shop / team Core",
                "ann gave the team Core access to [org/shop](https://g.example/shop)."
            )
        );
    }

    #[test]
    fn organizations_change() {
        let organization = json!({"login": "org"});
        let mut body = json!({"sender": {"login": "ann"}, "organization": organization, "action": "member_invited",
            "user": {"login": "bob"}, "invitation": {}});
        let invited = message(&GITHUB, &[("x-github-event", "organization")], &body);
        assert_eq!(invited.content, "ann invited bob to **org**.");
        body["action"] = json!("renamed");
        body["changes"] = json!({"login": {"from": "old"}});
        let renamed = message(&GITHUB, &[("x-github-event", "organization")], &body);
        assert_eq!(
            renamed.content,
            "ann renamed the organization **old** to **org**."
        );
        assert_eq!(
            said(
                json!({"action": "blocked", "blocked_user": {"login": "bob"}, "organization": organization})
            ),
            pair("org / members", "ann blocked bob in **org**.")
        );
    }

    #[test]
    fn teams_change() {
        let body = |changes: Value| {
            json!({"action": "edited", "changes": changes, "organization": {"login": "org"},
                "team": {"name": "Core", "privacy": "closed"}})
        };
        assert_eq!(
            said(body(json!({"name": {"from": "Base"}}))).1,
            "ann renamed the team **Base** to Core."
        );
        assert_eq!(
            said(body(json!({"privacy": {"from": "secret"}}))).1,
            "ann made the team Core visible to the organization."
        );
    }

    #[test]
    fn sponsors() {
        let body = json!({"action": "pending_tier_change", "effective_date": "2026-01-05T00:00:00+00:00",
            "changes": {"tier": {"from": {"name": "$10 a month"}}},
            "sponsorship": {"sponsor": {"login": "bob"}, "sponsorable": {"login": "cy"}, "tier": {"name": "$5 a month"}}});
        assert_eq!(
            said(body),
            pair(
                "cy / sponsors",
                "bob will change the sponsorship of cy from **$10 a month** to **$5 a month** on 2026-01-05."
            )
        );
    }
}
