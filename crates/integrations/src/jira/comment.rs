//! Comments on issues.

use super::{issue_link, issue_url, person, topic, wiki};
use crate::text::{linked, quote};
use crate::{Message, Node, Outcome};

/// A comment, as an event of its own or as an update of its issue.
pub(super) fn read(body: Node<'_>, event: &'static str) -> Outcome {
    let (issue, comment) = (body.at("issue"), body.at("comment"));
    if issue.at("key").str().is_empty() {
        return Outcome::Unknown;
    }
    let user = body.at("user");
    let thing = issue_link(issue);
    if event.ends_with("deleted") {
        // A call about the comment alone names its author, not the person who deleted it.
        let said = if user.exists() {
            format!("{} deleted a comment on {thing}.", person(user))
        } else {
            let author = person(comment.at("author"));
            format!("The comment of {author} on {thing} was deleted.")
        };
        return Message::new(event, topic(issue), [&*said]).into();
    }
    let (who, did) = if event == "comment_updated" || event == "issue_comment_edited" {
        (
            comment.first(&["updateAuthor", "author"]),
            "edited a comment",
        )
    } else {
        (comment.at("author"), "commented")
    };
    let url = match (issue_url(issue), comment.at("id").str()) {
        (url, "") => url,
        (url, id) => format!("{url}?focusedCommentId={id}"),
    };
    let who = person(if who.exists() { who } else { user });
    let said = format!("{who} {} on {thing}:", linked(did, &url));
    let text = quote(&wiki::markdown(&wiki::source(comment.at("body"))));
    Message::new(event, topic(issue), [&*said, &*text]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::jira::JIRA;
    use crate::testing::message;

    #[test]
    fn comments_are_quoted() {
        let mut body = json!({"webhookEvent": "comment_created",
            "issue": {"self": "https://j.example.org/rest/api/2/issue/1", "key": "A-1", "fields": {"summary": "T"}},
            "comment": {"id": "7", "author": {"displayName": "Ann"}, "updateAuthor": {"displayName": "Bo"},
                "body": "See {{x}} of @**all**"}});
        let said = message(&JIRA, &[], &body);
        assert_eq!(said.topic, "A-1: T");
        let on = "(https://j.example.org/browse/A-1?focusedCommentId=7) on \
                  [A-1: T](https://j.example.org/browse/A-1)";
        let quoted = "```quote\nSee `x` of &#64;**all**\n```";
        assert_eq!(said.content, format!("Ann [commented]{on}:\n{quoted}"));
        body["webhookEvent"] = json!("comment_updated");
        let said = message(&JIRA, &[], &body);
        assert_eq!(
            said.content,
            format!("Bo [edited a comment]{on}:\n{quoted}")
        );
        body["webhookEvent"] = json!("comment_deleted");
        assert_eq!(
            message(&JIRA, &[], &body).content,
            "The comment of Ann on [A-1: T](https://j.example.org/browse/A-1) was deleted."
        );
    }

    #[test]
    fn an_update_of_an_issue_may_be_a_comment() {
        let body = json!({"webhookEvent": "jira:issue_updated", "issue_event_type_name": "issue_comment_deleted",
            "user": {"displayName": "Ann"}, "issue": {"key": "A-1", "fields": {"summary": "T"}}});
        let said = message(&JIRA, &[], &body);
        assert_eq!(said.event, "issue_comment_deleted");
        assert_eq!(said.content, "Ann deleted a comment on A-1: T.");
    }
}
