//! Shortcut, which was Clubhouse: stories, their tasks and comments, epics, and branches and pull requests of stories.
//!
//! One call has several actions: a person who edits three stories at once, or a pull request that moves a story. It
//! becomes one message. Calls name people by an id only, so most sentences do not say who did it. Left out: calls in
//! which only followers, requesters, the order of stories or the links between them change.

mod action;
mod field;

use crate::changes::{Change, capitalized, changed, list};
use crate::text::{bold, escape, linked, quote};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

const EVENTS: &[&str] = &[
    "branch_create",
    "epic_comment_create",
    "epic_comment_delete",
    "epic_comment_update",
    "epic_create",
    "epic_delete",
    "epic_update",
    "iteration_create",
    "iteration_delete",
    "iteration_update",
    "other",
    "project_create",
    "project_delete",
    "project_update",
    "pull_request_close",
    "pull_request_comment",
    "pull_request_create",
    "pull_request_open",
    "pull_request_update",
    "story_comment_create",
    "story_comment_delete",
    "story_comment_update",
    "story_create",
    "story_delete",
    "story_task_create",
    "story_task_delete",
    "story_task_update",
    "story_update",
];

/// Most stories that one message lists.
const MOST: usize = 20;

pub(crate) static CLUBHOUSE: Integration = Integration {
    name: "clubhouse",
    display_name: "Shortcut",
    setup: "Settings > Integrations > Webhooks > Add New Webhook\n\
            Payload URL: ADDRESS\n\
            Secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "payload-signature",
        prefix: "",
    }),
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = Body(call.node());
    let Some(first) = body.primary() else {
        return Outcome::Unknown;
    };
    let event = format!("{}_{}", kind(first), first.at("action").str()).replace('-', "_");
    let event = EVENTS.iter().copied().find(|known| *known == event);
    let mut parts = action::parts(body, first);
    parts.extend(stories(body));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return Outcome::Ignored;
    }
    let parts = parts.iter().map(String::as_str);
    Message::new(event.unwrap_or("other"), topic(body, first), parts).into()
}

/// A body, whose actions refer to each other and to a list of names.
#[derive(Clone, Copy)]
struct Body<'a>(Node<'a>);

impl<'a> Body<'a> {
    fn actions(self) -> impl Iterator<Item = Node<'a>> + Clone {
        self.0.at("actions").list()
    }

    /// The action that the call is about.
    fn primary(self) -> Option<Node<'a>> {
        let id = self.0.at("primary_id").text();
        self.actions()
            .find(|action| action.at("id").text() == id)
            .or_else(|| self.actions().next())
    }

    /// The thing with an id, among the actions and the names.
    fn find(self, id: &str) -> Node<'a> {
        let found = self.0.at("references").list().chain(self.actions());
        let mut found = found.filter(|thing| thing.at("id").text() == id);
        found.next().unwrap_or(self.0.at("references/none"))
    }

    /// Who did it, if the body has the name.
    fn who(self) -> String {
        let member = self.find(&self.0.at("member_id").text());
        escape(member.first(&["name", "profile/name"]).str())
    }

    /// The story or epic that an action belongs to: the one it names, or the one that changes with it.
    fn parent(self, action: Node<'a>) -> Node<'a> {
        let id = action.first(&["story_id", "epic_id"]).text();
        if !id.is_empty() {
            return self.find(&id);
        }
        let mut parents = self
            .actions()
            .filter(|other| ["story", "epic"].contains(&kind(*other)));
        parents.next().unwrap_or(self.0.at("none"))
    }
}

fn kind(thing: Node<'_>) -> &str {
    thing.at("entity_type").str()
}

/// Number and title of a thing; the title may be Markdown.
fn numbered(thing: Node<'_>, title: &str) -> String {
    match thing.first(&["number", "id"]).number() {
        Some(number) => format!("#{number} {title}"),
        None => title.to_owned(),
    }
}

fn title(thing: Node<'_>) -> &str {
    thing.first(&["name", "title", "description"]).str()
}

/// A thing with its number and link, without its kind.
fn named(thing: Node<'_>) -> String {
    let title = numbered(thing, &escape(title(thing)));
    linked(&title, thing.first(&["app_url", "url"]).str())
}

/// A thing with its kind.
fn name(thing: Node<'_>) -> String {
    if !thing.exists() {
        return "a story".to_owned();
    }
    format!("{} {}", escape(kind(thing)).replace('-', " "), named(thing))
}

fn topic(body: Body<'_>, first: Node<'_>) -> String {
    let stories = body.actions().filter(|action| kind(*action) == "story");
    let count = stories.clone().count();
    let thing = match kind(first) {
        "story" if body.0.at("primary_id").exists() || count == 1 => first,
        "story" => return "Several stories".to_owned(),
        "epic" => first,
        _ if count < 2 && body.parent(first).exists() => body.parent(first),
        _ => first,
    };
    let kind = escape(kind(thing)).replace('-', " ");
    capitalized(&format!("{kind} {}", numbered(thing, title(thing))))
}

/// Sentences about the stories and epics that change. Stories with equal changes share one.
fn stories(body: Body<'_>) -> Vec<String> {
    let updates = body.actions().filter(|action| {
        ["story", "epic"].contains(&kind(*action)) && action.at("action").str() == "update"
    });
    let mut groups: Vec<(Vec<Node<'_>>, Vec<Change>)> = Vec::new();
    for update in updates {
        let changes = field::changes(body, update);
        let alike = groups.iter_mut().find(|(members, known)| {
            let same_kind = members
                .first()
                .is_some_and(|one| kind(*one) == kind(update));
            same_kind && list(known) == list(&changes)
        });
        match alike {
            _ if changes.is_empty() => {}
            Some((members, _)) => members.push(update),
            None => groups.push((vec![update], changes)),
        }
    }
    let who = body.who();
    let said = |(members, changes): &(Vec<Node<'_>>, Vec<Change>)| {
        let said = if let [one] = &**members {
            changed(&who, &name(*one), changes)
        } else {
            let shown = members.iter().take(MOST).map(|one| named(*one));
            let mut names: Vec<String> = shown.collect();
            if members.len() > MOST {
                names.push(format!("and {} more", members.len() - MOST));
            }
            let of = members.first().map(|one| kind(*one));
            let noun = if of == Some("epic") {
                "epics"
            } else {
                "stories"
            };
            let count = format!("{} {noun} were updated", members.len());
            format!("{count}: {}\n{}", names.join(", "), list(changes))
        };
        let description = members
            .first()
            .map(|one| one.at("changes/description/new").str());
        format!("{said}\n{}", quote(description.unwrap_or_default()))
            .trim_end()
            .to_owned()
    };
    let mut lines: Vec<String> = groups.iter().take(MOST).map(said).collect();
    if groups.len() > MOST {
        lines.push(format!("{} more were updated.", groups.len() - MOST));
    }
    lines
}

/// Text in bold, or a name for what has none.
fn bold_or(text: &str, otherwise: &str) -> String {
    if text.is_empty() {
        otherwise.to_owned()
    } else {
        bold(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::CLUBHOUSE;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    fn story(id: u32, action: &str, more: &Value) -> Value {
        let mut story = json!({"id": id, "entity_type": "story", "action": action, "name": "Cart",
            "app_url": format!("https://app.shortcut.com/shop/story/{id}")});
        for (name, value) in more.as_object().into_iter().flatten() {
            story[name] = value.clone();
        }
        story
    }

    fn body(primary: u32, actions: &[Value]) -> Value {
        json!({"primary_id": primary, "member_id": "m", "actions": actions, "references": [
            {"id": 500, "entity_type": "workflow-state", "name": "To Do"},
            {"id": 501, "entity_type": "workflow-state", "name": "Done"},
            {"id": 7, "entity_type": "label", "name": "a_b"}]})
    }

    fn said(primary: u32, actions: &[Value]) -> Message {
        message(&CLUBHOUSE, &[], &body(primary, actions))
    }

    const STORY: &str = "[#3 Cart](https://app.shortcut.com/shop/story/3)";

    #[test]
    fn a_new_story_has_its_state_and_description() {
        let new =
            json!({"story_type": "bug", "workflow_state_id": 500, "description": "Hi @**all**"});
        let said = said(3, &[story(3, "create", &new)]);
        assert_eq!(
            (said.event, &*said.topic),
            ("story_create", "Story #3 Cart")
        );
        assert_eq!(
            said.content,
            format!(
                "Story {STORY} was created.\nType: **bug**, status: **To Do**\n\
                 ```quote\nHi &#64;**all**\n```"
            )
        );
    }

    #[test]
    fn changes_of_a_story_say_from_and_to() {
        for (changes, expected) in [
            (
                json!({"workflow_state_id": {"old": 500, "new": 501}, "position": {"new": 1}}),
                format!("Story {STORY} moved from To Do to **Done**."),
            ),
            (
                json!({"estimate": {"old": 1}}),
                format!("The estimate (1 point) was removed from story {STORY}."),
            ),
            (
                json!({"archived": {"new": true}}),
                format!("Story {STORY} was archived."),
            ),
            (
                json!({"description": {"old": "a", "new": ""}}),
                format!("The description of story {STORY} was removed."),
            ),
            (
                json!({"label_ids": {"adds": [7]}, "owner_ids": {"adds": ["m"]}}),
                format!("Story {STORY} was updated:\n* Label added: **a_b**\n* Owners changed"),
            ),
        ] {
            let said = said(3, &[story(3, "update", &json!({"changes": changes}))]);
            assert_eq!(said.content, expected);
        }
        let followers = json!({"changes": {"follower_ids": {"adds": ["m"]}}});
        let followers = body(3, &[story(3, "update", &followers)]);
        assert_eq!(outcome(&CLUBHOUSE, &[], &followers), Outcome::Ignored);
    }

    #[test]
    fn stories_that_change_alike_share_a_list() {
        let moved = json!({"changes": {"workflow_state_id": {"old": 500, "new": 501}}});
        let mut body = body(0, &[story(3, "update", &moved), story(4, "update", &moved)]);
        body["primary_id"] = json!(null);
        let said = message(&CLUBHOUSE, &[], &body);
        assert_eq!(said.topic, "Several stories");
        assert_eq!(
            said.content,
            format!(
                "2 stories were updated: {STORY}, [#4 Cart](https://app.shortcut.com/shop/story/4)\n\
                 * Status: To Do → **Done**"
            )
        );
    }

    #[test]
    fn tasks_and_comments_name_their_story() {
        let task = json!({"id": 9, "entity_type": "story-task", "action": "update", "story_id": 3,
            "description": "*Pay*", "changes": {"complete": {"old": false, "new": true}}});
        let done = said(9, &[task, story(3, "update", &json!({"changes": {}}))]);
        assert_eq!(
            (done.event, &*done.topic),
            ("story_task_update", "Story #3 Cart")
        );
        assert_eq!(
            done.content,
            format!("Task **&#42;Pay&#42;** of story {STORY} was completed.")
        );
        let comment = json!({"id": 9, "entity_type": "story-comment", "action": "create", "text": "Fine",
            "app_url": "https://app.shortcut.com/shop/story/3#activity-9"});
        let commented = json!({"changes": {"comment_ids": {"adds": [9]}}});
        assert_eq!(
            said(9, &[comment, story(3, "update", &commented)]).content,
            format!(
                "[A comment](https://app.shortcut.com/shop/story/3#activity-9) was added to story {STORY}:\n\
                 ```quote\nFine\n```"
            )
        );
    }

    #[test]
    fn a_pull_request_moves_its_story() {
        let request = json!({"id": 9, "entity_type": "pull-request", "action": "create", "number": 2,
            "title": "Fix [x]", "url": "https://github.com/a/b/pull/2"});
        let update = json!({"changes": {"pull_request_ids": {"adds": [9]}}});
        let said = said(9, &[request, story(3, "update", &update)]);
        assert_eq!(
            (said.event, &*said.topic),
            ("pull_request_create", "Story #3 Cart")
        );
        assert_eq!(
            said.content,
            format!(
                "The pull request [#2 Fix [x]](https://github.com/a/b/pull/2) was added to story {STORY}."
            )
        );
    }
}
