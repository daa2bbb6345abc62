//! Cards: their fields, comments, members, labels and attachments.

use super::Action;
use crate::changes::{Change, changed};
use crate::text::{bold, escape, link, quote};
use crate::time::time;
use crate::{Node, Outcome};

pub(super) fn read(action: Action<'_>) -> Outcome {
    let (who, card, data) = (action.who(), action.card(), action.data);
    let list = match data.at("list/name").str() {
        "" => String::new(),
        name => format!(" in list {}", bold(name)),
    };
    let one = |change: Change| action.message(&[&changed(&who, &card, &[change])]);
    let own = action.is_own();
    let label = |is_new: bool| {
        let name = data.first(&["label/name", "label/color", "value"]).str();
        if is_new { bold(name) } else { escape(name) }
    };
    match action.kind {
        "createCard" | "copyCard" | "emailCard" | "convertToCardFromCheckItem" => {
            let said = format!("{who} created {card}{list}.");
            action.message(&[&said, &quote(data.at("card/desc").str())])
        }
        "updateCard" => updated(action),
        "deleteCard" => action.message(&[&format!("{who} deleted {card}{list}.")]),
        "commentCard" => {
            let said = format!("{who} commented on {card}:");
            action.message(&[&said, &quote(data.at("text").str())])
        }
        "updateComment" => {
            let said = format!("{who} edited a comment on {card}:");
            action.message(&[&said, &quote(data.first(&["action/text", "text"]).str())])
        }
        "deleteComment" => action.message(&[&format!("{who} deleted a comment on {card}.")]),
        "addMemberToCard" if own => action.message(&[&format!("{who} joined {card}.")]),
        "removeMemberFromCard" if own => action.message(&[&format!("{who} left {card}.")]),
        "addMemberToCard" => {
            action.message(&[&format!("{who} added {} to {card}.", action.member())])
        }
        "removeMemberFromCard" => {
            action.message(&[&format!("{who} removed {} from {card}.", action.member())])
        }
        "addLabelToCard" => one(Change::added("label", label(true))),
        "removeLabelFromCard" => one(Change::removed("label", label(false))),
        "addAttachmentToCard" => {
            let file = data.at("attachment");
            let name = file.first(&["name", "url"]).str();
            one(Change::added(
                "attachment",
                link(name, file.at("url").str()),
            ))
        }
        "deleteAttachmentFromCard" => {
            let name = escape(data.at("attachment/name").str());
            one(Change::removed("attachment", name))
        }
        "moveCardToBoard" => {
            let from = bold(data.at("boardSource/name").str());
            action.message(&[&format!("{who} moved {card} here{list} from board {from}.")])
        }
        "moveCardFromBoard" => {
            let to = bold(data.at("boardTarget/name").str());
            action.message(&[&format!("{who} moved {card} to board {to}.")])
        }
        _ => action.other(&card),
    }
}

fn updated(action: Action<'_>) -> Outcome {
    let old = action.data.at("old");
    let changes: Vec<Change> = old
        .fields()
        .filter_map(|(name, _)| change(action, name))
        .collect();
    if changes.is_empty() {
        return Outcome::Ignored;
    }
    let said = changed(&action.who(), &action.card(), &changes);
    let description = if old.at("desc").value().is_some() {
        quote(action.data.at("card/desc").str())
    } else {
        String::new()
    };
    action.message(&[&said, &description])
}

fn change(action: Action<'_>, name: &str) -> Option<Change> {
    let data = action.data;
    let (old, new) = (data.at("old").at(name), data.at("card").at(name));
    let moment = |label: &str| {
        let shown = |value: Node<'_>| match value.str() {
            "" => String::new(),
            text => time(text),
        };
        Change::markdown(label, shown(old), shown(new))
    };
    let change = match name {
        "name" => Change::value("title", old.str(), new.str()),
        "desc" if new.str().is_empty() => Change::cleared("description"),
        "desc" => Change::unseen("description"),
        "due" => moment("due date"),
        "start" => moment("start date"),
        "dueComplete" if new.is_true() => Change::done("completed"),
        "dueComplete" => Change::done("reopened"),
        "closed" if new.is_true() => Change::done("archived"),
        "closed" => Change::done("unarchived"),
        "idList" => Change::value(
            "list",
            data.at("listBefore/name").str(),
            data.at("listAfter/name").str(),
        ),
        _ => return None,
    };
    Some(change)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{message, outcome};
    use crate::trello::TRELLO;
    use crate::{Message, Outcome};

    fn body(kind: &str, more: &Value) -> Value {
        let mut data = json!({"board": {"name": "Shop", "shortLink": "b1"},
            "card": {"name": "Cart", "shortLink": "c1", "idShort": 3}});
        for (name, value) in more.as_object().into_iter().flatten() {
            if name == "card" {
                data["card"]["closed"] = value["closed"].clone();
                data["card"]["due"] = value["due"].clone();
                data["card"]["desc"] = value["desc"].clone();
            } else {
                data[name] = value.clone();
            }
        }
        json!({"model": {"name": "Shop"}, "action": {"type": kind, "data": data,
            "member": {"id": "m2", "fullName": "Bo"}, "memberCreator": {"id": "m1", "fullName": "Ann"}}})
    }

    fn said(kind: &str, more: &Value) -> Message {
        message(&TRELLO, &[], &body(kind, more))
    }

    const CARD: &str = "card [Cart](https://trello.com/c/c1)";

    #[test]
    fn cards_are_created_moved_and_archived() {
        let created = said("createCard", &json!({"list": {"name": "To Do"}}));
        assert_eq!(created.topic, "Shop / Cart");
        assert_eq!(
            created.content,
            format!("Ann created {CARD} in list **To Do**.")
        );
        for (more, expected) in [
            (
                json!({"old": {"idList": "1"}, "listBefore": {"name": "A"}, "listAfter": {"name": "B"}}),
                format!("Ann moved {CARD} from A to **B**."),
            ),
            (
                json!({"old": {"closed": false}, "card": {"closed": true}}),
                format!("Ann archived {CARD}."),
            ),
            (
                json!({"old": {"due": "2026-03-04T12:00:00.000Z"}, "card": {"due": null}}),
                format!("Ann removed the due date (<time:2026-03-04T12:00:00.000Z>) from {CARD}."),
            ),
            (
                json!({"old": {"desc": ""}, "card": {"desc": "Hi @**all**"}}),
                format!("Ann changed the description of {CARD}.\n```quote\nHi &#64;**all**\n```"),
            ),
        ] {
            assert_eq!(said("updateCard", &more).content, expected);
        }
        let order = body("updateCard", &json!({"old": {"pos": 1}}));
        assert_eq!(outcome(&TRELLO, &[], &order), Outcome::Ignored);
    }

    #[test]
    fn comments_members_labels_and_attachments() {
        for (kind, more, expected) in [
            (
                "commentCard",
                json!({"text": "Fine"}),
                format!("Ann commented on {CARD}:\n```quote\nFine\n```"),
            ),
            (
                "addMemberToCard",
                json!({}),
                format!("Ann added **Bo** to {CARD}."),
            ),
            (
                "addLabelToCard",
                json!({"label": {"name": "", "color": "green"}}),
                format!("Ann added the label **green** to {CARD}."),
            ),
            (
                "addAttachmentToCard",
                json!({"attachment": {"name": "a_b", "url": "https://x.org/a"}}),
                format!("Ann added the attachment [a_b](https://x.org/a) to {CARD}."),
            ),
            (
                "voteOnCard",
                json!({}),
                format!("Ann changed {CARD}: `voteOnCard`."),
            ),
        ] {
            assert_eq!(said(kind, &more).content, expected);
        }
    }

    #[test]
    fn names_and_titles_format_nothing() {
        let mut body = body("commentCard", &json!({"text": "x"}));
        body["action"]["memberCreator"]["fullName"] = json!("`a` @*b*");
        body["action"]["data"]["card"]["name"] = json!("@**all** *x* [y](z)");
        let said = message(&TRELLO, &[], &body);
        assert_eq!(said.topic, "Shop / @**all** *x* [y](z)");
        assert_eq!(
            said.content.lines().next(),
            Some(
                "&#96;a&#96; @&#42;b&#42; commented on card \
                 [@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z)](https://trello.com/c/c1):"
            )
        );
    }
}
