//! Lists and members of the board, and the board itself.

use super::Action;
use crate::Outcome;
use crate::changes::{Change, changed};
use crate::text::{bold, quote};

pub(super) fn read(action: Action<'_>) -> Outcome {
    let (who, board, data) = (action.who(), action.board(), action.data);
    let list = bold(data.at("list/name").str());
    let own = action.is_own();
    let said = match action.kind {
        "createBoard" => format!("{who} created {board}."),
        "createList" => format!("{who} added the list {list} to {board}."),
        "updateList" => return updated(action, "list", &format!("list {list} of {board}")),
        "updateBoard" => return updated(action, "board", &board),
        "addMemberToBoard" if own => format!("{who} joined {board}."),
        "removeMemberFromBoard" if own => format!("{who} left {board}."),
        "addMemberToBoard" => format!("{who} added {} to {board}.", action.member()),
        "removeMemberFromBoard" => format!("{who} removed {} from {board}.", action.member()),
        _ => return action.other(&board),
    };
    action.message(&[&said])
}

fn updated(action: Action<'_>, kind: &str, thing: &str) -> Outcome {
    let (old, new) = (action.data.at("old"), action.data.at(kind));
    let change = |name: &str| match name {
        "name" => {
            let (old, new) = (old.at(name).str(), new.at(name).str());
            Some(Change::value("name", old, new))
        }
        "desc" if new.at(name).str().is_empty() => Some(Change::cleared("description")),
        "desc" => Some(Change::unseen("description")),
        "closed" if !new.at(name).is_true() => Some(Change::done("reopened")),
        "closed" if kind == "list" => Some(Change::done("archived")),
        "closed" => Some(Change::done("closed")),
        _ => None,
    };
    let changes: Vec<Change> = old.fields().filter_map(|(name, _)| change(name)).collect();
    if changes.is_empty() {
        return Outcome::Ignored;
    }
    let said = changed(&action.who(), thing, &changes);
    action.message(&[&said, &quote(new.at("desc").str())])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Outcome;
    use crate::testing::{message, outcome};
    use crate::trello::TRELLO;

    #[test]
    fn boards_and_lists_change() {
        let mut body = json!({"action": {"type": "updateBoard", "memberCreator": {"fullName": "Ann"},
            "data": {"board": {"name": "Shop", "shortLink": "b1"}, "old": {"name": "Store"}}}});
        let said = message(&TRELLO, &[], &body);
        assert_eq!(said.topic, "Shop");
        assert_eq!(
            said.content,
            "Ann changed the name of board [Shop](https://trello.com/b/b1) from Store to **Shop**."
        );
        body["action"]["data"]["old"] = json!({"prefs": {"background": "lime"}});
        assert_eq!(outcome(&TRELLO, &[], &body), Outcome::Ignored);
        body["action"]["type"] = json!("createList");
        body["action"]["data"]["list"] = json!({"name": "Later"});
        assert_eq!(
            message(&TRELLO, &[], &body).content,
            "Ann added the list **Later** to board [Shop](https://trello.com/b/b1)."
        );
    }
}
