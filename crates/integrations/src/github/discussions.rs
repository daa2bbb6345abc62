//! GitHub: discussions and their comments.

use super::issues::{change, commented, item};
use crate::Outcome;
use crate::forge::Hook;
use crate::text::{bold, linked};

pub(super) fn discussion(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("discussion");
    let item = item("discussion", node);
    let it = item.link();
    let (deed, quoted) = match hook.action() {
        "created" => (
            format!("started {it} in {}", bold(node.at("category/name").str())),
            node.at("body").str(),
        ),
        "category_changed" => {
            let (old, new) = (
                hook.str("changes/category/from/name"),
                node.at("category/name").str(),
            );
            (
                format!("moved {it} from {} to {}", bold(old), bold(new)),
                "",
            )
        }
        "answered" => {
            let answer = hook.at("answer");
            let url = answer.at("html_url").str();
            (
                format!("chose an {} to {it}", linked("answer", url)),
                answer.at("body").str(),
            )
        }
        "unanswered" => {
            let url = hook.str("old_answer/html_url");
            (
                format!(
                    "no longer takes a {} as the answer to {it}",
                    linked("comment", url)
                ),
                "",
            )
        }
        _ => return change(hook, &item, node),
    };
    hook.did(&item.topic(), &deed, quoted)
}

pub(super) fn comment(hook: &Hook<'_>) -> Outcome {
    commented(hook, &item("discussion", hook.at("discussion")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::github::GITHUB;
    use crate::testing::message;

    fn said(action: &str, more: Value) -> String {
        let mut body = json!({"action": action, "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "discussion": {"number": 3, "title": "Colours", "html_url": "https://g.example/3", "body": "Which?",
                "category": {"name": "Q&A"}}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / discussion #3 Colours");
        said.content
    }

    #[test]
    fn discussions_change() {
        let it = "[discussion #3 Colours](https://g.example/3)";
        for (action, more, expected) in [
            (
                "created",
                json!({}),
                format!("ann started {it} in **Q&A**:\n```quote\nWhich?\n```"),
            ),
            (
                "answered",
                json!({"answer": {"html_url": "https://g.example/a", "body": "Red"}}),
                format!("ann chose an [answer](https://g.example/a) to {it}:\n```quote\nRed\n```"),
            ),
            (
                "category_changed",
                json!({"changes": {"category": {"from": {"name": "Ideas"}}}}),
                format!("ann moved {it} from **Ideas** to **Q&A**."),
            ),
            (
                "labeled",
                json!({"label": {"name": "ui"}}),
                format!("ann added the label **ui** to {it}."),
            ),
            (
                "transferred",
                json!({"changes": {"new_discussion": {"number": 1, "html_url": "https://g.example/n"},
                "new_repository": {"full_name": "ann/n"}}}),
                format!("ann transferred {it} to [ann/n#1](https://g.example/n)."),
            ),
            ("reopened", json!({}), format!("ann reopened {it}.")),
            (
                "created",
                json!({"comment": {"html_url": "https://g.example/c", "body": "Blue"}}),
                format!("ann [commented](https://g.example/c) on {it}:\n```quote\nBlue\n```"),
            ),
        ] {
            assert_eq!(said(action, more), expected);
        }
    }
}
