//! Checklists of cards and their items.

use super::Action;
use crate::Outcome;
use crate::text::bold;

pub(super) fn read(action: Action<'_>) -> Outcome {
    let (who, card, data) = (action.who(), action.card(), action.data);
    let list = bold(data.at("checklist/name").str());
    let item = bold(data.at("checkItem/name").str());
    let said = match action.kind {
        "addChecklistToCard" => format!("{who} added the checklist {list} to {card}."),
        "removeChecklistFromCard" => format!("{who} removed the checklist {list} from {card}."),
        "createCheckItem" => format!("{who} added {item} to the checklist {list} of {card}."),
        "deleteCheckItem" => format!("{who} deleted {item} from the checklist {list} of {card}."),
        "updateCheckItem" => format!("{who} changed {item} in the checklist {list} of {card}."),
        "updateCheckItemStateOnCard" if data.at("checkItem/state").str() == "complete" => {
            format!("{who} checked {item} in the checklist {list} of {card}.")
        }
        "updateCheckItemStateOnCard" => {
            format!("{who} unchecked {item} in the checklist {list} of {card}.")
        }
        _ => return Outcome::Unknown,
    };
    action.message(&[&said])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::message;
    use crate::trello::TRELLO;

    #[test]
    fn items_are_checked() {
        let body = json!({"action": {"type": "updateCheckItemStateOnCard", "memberCreator": {"username": "ann"},
            "data": {"board": {"name": "Shop"}, "card": {"name": "Cart", "shortLink": "c1"},
                "checklist": {"name": "Buy"}, "checkItem": {"name": "2 * 3", "state": "complete"}}}});
        assert_eq!(
            message(&TRELLO, &[], &body).content,
            "ann checked **2 &#42; 3** in the checklist **Buy** of card [Cart](https://trello.com/c/c1)."
        );
    }
}
