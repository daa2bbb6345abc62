//! Mentions of users, of all subscribers, of topic participants and of user groups.
//!
//! Owns their output and the record of notified users. Must not check whether the sender may mention a group
//! or all subscribers: the caller does, with the outcome.
//! (docs/protocol/markdown.md#mentions)

use super::parser::Parser;
use super::rewrite::{Rewrite, head, tail};
use crate::node::{Element, Node};
use crate::syntax::{self, Mention, UserTarget};

pub(super) fn user_pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    pass(parser, text, false, Parser::user_mention)
}

pub(super) fn group_pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    pass(parser, text, true, Parser::group_mention)
}

fn pass<'p, 'c, 'o>(
    parser: &mut Parser<'p, 'c, 'o>,
    text: &str,
    is_group: bool,
    element: impl Fn(&mut Parser<'p, 'c, 'o>, &Mention<'_>) -> Option<Element>,
) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find('@') {
        let at = from + offset;
        from = at + 1;
        if !syntax::may_follow(head(text, at)) {
            continue;
        }
        let mention = Mention::read(tail(text, at)).filter(|found| found.is_group == is_group);
        let Some(mention) = mention else {
            continue;
        };
        if let Some(element) = element(parser, &mention) {
            from = at + mention.length;
            parser.replace(&mut rewrite, at..from, Node::Element(element));
        }
    }
    rewrite.finish()
}

impl Parser<'_, '_, '_> {
    fn user_mention(&mut self, mention: &Mention<'_>) -> Option<Element> {
        let is_silent = mention.is_silent || self.scope.is_quoted;
        let directory = self.scope.context.directory;
        let user = match mention.user_target() {
            UserTarget::Channel(word) => {
                self.scope.outcome.channel_wildcard |= !is_silent;
                let element = span("user-mention channel-wildcard-mention", is_silent, word);
                return Some(element.attribute("data-user-id", "*"));
            }
            UserTarget::Topic => {
                self.scope.outcome.topic_wildcard |= !is_silent;
                return Some(span("topic-mention", is_silent, "topic"));
            }
            UserTarget::Name(name) => directory.user_named(name)?,
            UserTarget::Id { name, id } => directory.user_called(name, id)?,
        };
        let is_silent = is_silent || !user.is_active;
        if !is_silent {
            self.scope.outcome.mentioned_user_ids.insert(user.id);
        }
        let element = span("user-mention", is_silent, &user.full_name);
        Some(element.attribute("data-user-id", user.id.to_string()))
    }

    fn group_mention(&mut self, mention: &Mention<'_>) -> Option<Element> {
        let group = self.scope.context.directory.group(mention.name)?;
        let is_silent = mention.is_silent || self.scope.is_quoted || !group.is_active;
        if !is_silent {
            self.scope.outcome.mentioned_group_ids.insert(group.id);
        }
        let name = group.display_name.as_ref().unwrap_or(&group.name);
        let element = span("user-group-mention", is_silent, name);
        Some(element.attribute("data-user-group-id", group.id.to_string()))
    }
}

fn span(class: &str, is_silent: bool, name: &str) -> Element {
    let (class, text) = if is_silent {
        (format!("{class} silent"), name.to_owned())
    } else {
        (class.to_owned(), format!("@{name}"))
    };
    Element::with_text("span", text).attribute("class", class)
}
