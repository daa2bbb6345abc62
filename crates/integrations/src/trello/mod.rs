//! Trello: cards, their lists, comments, members, labels, attachments and checklists, and the board.
//!
//! Trello signs with HMAC-SHA1 in Base64 (`x-trello-webhook`), which is not checked. Left out: changes of the order of
//! cards and lists, of covers and reminders, of the looks of a board, of the set of labels, and of plugins.

mod board;
mod card;
mod checklist;

use crate::text::{bold, code, escape, linked};
use crate::{Call, Integration, Message, Node, Outcome};

const EVENTS: &[&str] = &[
    "addAttachmentToCard",
    "addChecklistToCard",
    "addLabelToCard",
    "addMemberToBoard",
    "addMemberToCard",
    "commentCard",
    "convertToCardFromCheckItem",
    "copyCard",
    "createBoard",
    "createCard",
    "createCheckItem",
    "createList",
    "deleteAttachmentFromCard",
    "deleteCard",
    "deleteCheckItem",
    "deleteComment",
    "emailCard",
    "moveCardFromBoard",
    "moveCardToBoard",
    "other",
    "removeChecklistFromCard",
    "removeLabelFromCard",
    "removeMemberFromBoard",
    "removeMemberFromCard",
    "updateBoard",
    "updateCard",
    "updateCheckItem",
    "updateCheckItemStateOnCard",
    "updateComment",
    "updateList",
];

pub(crate) static TRELLO: Integration = Integration {
    name: "trello",
    display_name: "Trello",
    setup: r#"curl
curl "https://api.trello.com/1/webhooks/?key=API_KEY&token=TOKEN" -d idModel=BOARD --data-urlencode "callbackURL=ADDRESS""#,
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

/// A call: an action of a person, and the board or card that the webhook watches.
#[derive(Clone, Copy)]
struct Action<'a> {
    body: Node<'a>,
    data: Node<'a>,
    kind: &'a str,
}

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (data, kind) = (body.at("action/data"), body.at("action/type").str());
    if kind.is_empty() || !data.exists() {
        return Outcome::Unknown;
    }
    let action = Action { body, data, kind };
    match kind {
        "createLabel" | "updateLabel" | "deleteLabel" | "enablePlugin" | "disablePlugin" => {
            Outcome::Ignored
        }
        _ if data.at("card").exists() => match checklist::read(action) {
            Outcome::Unknown => card::read(action),
            outcome => outcome,
        },
        _ => board::read(action),
    }
}

impl Action<'_> {
    fn who(self) -> String {
        let member = self.body.at("action/memberCreator");
        match member.first(&["fullName", "username"]).str() {
            "" => "Trello".to_owned(),
            name => escape(name),
        }
    }

    /// The name of the person who is added or removed, in bold.
    fn member(self) -> String {
        let paths = ["action/member/fullName", "action/member/username"];
        match self.body.first(&paths).str() {
            "" => "a member".to_owned(),
            name => bold(name),
        }
    }

    /// Whether people add or remove themselves.
    fn is_own(self) -> bool {
        let member = self.body.at("action/member/id").str();
        !member.is_empty() && member == self.body.at("action/memberCreator/id").str()
    }

    /// The card with its link.
    fn card(self) -> String {
        let card = self.data.at("card");
        let title = match card.at("name").str() {
            "" => format!("#{}", escape(&card.at("idShort").text())),
            name => escape(name),
        };
        let url = match card.at("shortLink").str() {
            "" => String::new(),
            id => format!("https://trello.com/c/{id}"),
        };
        format!("card {}", linked(&title, &url))
    }

    fn board_name(self) -> String {
        let name = self.data.at("board/name").str();
        let name = if name.is_empty() {
            self.body.at("model/name").str()
        } else {
            name
        };
        name.to_owned()
    }

    /// The board with its link.
    fn board(self) -> String {
        let url = match self.data.at("board/shortLink").str() {
            "" => self.body.first(&["model/shortUrl", "model/url"]).text(),
            id => format!("https://trello.com/b/{id}"),
        };
        format!("board {}", linked(&escape(&self.board_name()), &url))
    }

    fn topic(self) -> String {
        let card = self.data.at("card");
        let title = match card.at("name").str() {
            "" if card.exists() => format!("#{}", card.at("idShort").text()),
            title => title.to_owned(),
        };
        match (self.board_name(), title) {
            (board, title) if title.is_empty() => board,
            (board, title) if board.is_empty() => title,
            (board, title) => format!("{board} / {title}"),
        }
    }

    /// A message of this action.
    fn message(self, parts: &[&str]) -> Outcome {
        let event = EVENTS.iter().copied().find(|known| *known == self.kind);
        Message::new(
            event.unwrap_or("other"),
            self.topic(),
            parts.iter().copied(),
        )
        .into()
    }

    /// A message about a kind of action that is not known.
    fn other(self, thing: &str) -> Outcome {
        let said = format!("{} changed {thing}: {}.", self.who(), code(self.kind));
        self.message(&[&said])
    }
}
