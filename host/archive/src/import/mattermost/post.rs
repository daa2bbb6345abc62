//! Posts of Mattermost, with their replies.

use anyhow::Result;
use serde_json::Value;

use super::super::chat::text::{add_paragraph, line, link};
use super::super::chat::{Chat, Conversation, Draft, Thread};
use super::super::json::{filled, is_time, list, number, scalar, text};
use super::Export;

/// Prefix of the types of Mattermost's own notices.
const NOTICE: &str = "system_";
/// The type of a `/me` message.
const ME: &str = "me";
/// Most attachments of an integration in one post.
const MOST: usize = 100;

/// The conversation of a post.
struct Context<'p> {
    conversation: Conversation,
    /// The team, whose channels the text may name.
    team: &'p str,
    /// The thread, if there is one.
    thread: Option<Thread>,
}

impl Export {
    /// Adds a post, and all of its replies. `number` distinguishes it from others of the same time.
    pub(super) fn post(&self, chat: &mut Chat, post: &Value, number: u64) -> Result<()> {
        let Some(conversation) = self.conversation(chat, post)? else {
            let count = 1 + list(post, "replies").len() as u64;
            let note = "posts of channels that are not in the archive were left out";
            chat.notes.add(note, count);
            return Ok(());
        };
        let replies = list(post, "replies");
        let time = time(post);
        let thread = time.filter(|_| !replies.is_empty());
        let context = Context {
            conversation,
            team: text(post, "team"),
            thread: thread.map(|time| Thread { time, number }),
        };
        self.one(chat, post, &context)?;
        for reply in replies {
            self.one(chat, reply, &context)?;
        }
        Ok(())
    }

    /// The conversation of a post: a channel, or the direct conversation of its members.
    fn conversation(&self, chat: &mut Chat, post: &Value) -> Result<Option<Conversation>> {
        let key = (
            text(post, "team").to_owned(),
            text(post, "channel").to_owned(),
        );
        if let Some(index) = self.channels.get(&key) {
            return Ok(Some(Conversation::Channel(*index)));
        }
        let names = list(post, "channel_members").iter();
        let mut people = Vec::new();
        for name in names.filter_map(Value::as_str) {
            people.push(Self::known(chat, name)?);
        }
        if people.is_empty() {
            return Ok(None);
        }
        // All who have written in the thread have read it, members or not.
        let replies = list(post, "replies").iter();
        for post in replies.chain([post]) {
            if let Some(user) = filled(post, "user") {
                people.push(Self::known(chat, user)?);
            }
        }
        chat.channels.direct(&people).map(Some)
    }

    /// Takes a post or a reply.
    fn one(&self, chat: &mut Chat, post: &Value, context: &Context<'_>) -> Result<()> {
        let kind = text(post, "type");
        if kind.starts_with(NOTICE) {
            chat.notes.add("notices of Mattermost were left out", 1);
            return Ok(());
        }
        let Some(time) = time(post) else {
            chat.notes.add("posts without a time were left out", 1);
            return Ok(());
        };
        let Some(sender) = self.sender(chat, post, context.conversation)? else {
            chat.notes.add("posts without a sender were left out", 1);
            return Ok(());
        };
        let mut draft = Draft::new(time, context.conversation, sender);
        let markup = self.markup(chat, context.team);
        let converted = markup.convert(&scalar(post, "message"));
        draft.content = converted.content.trim_end().to_owned();
        draft.mentions = converted.mentions;
        draft.mentions_all = converted.mentions_all;
        let props = post.get("props").unwrap_or(&Value::Null);
        for attachment in list(props, "attachments").iter().take(MOST) {
            let more = self.attachment(chat, context.team, attachment);
            add_paragraph(&mut draft.content, &more);
        }
        draft.title = title(&draft.content);
        if kind == ME {
            draft.content = format!("/me {}", draft.content);
        }
        for file in list(post, "attachments") {
            self.file(chat, text(file, "path"), &mut draft)?;
        }
        draft.edited = number(post, "edit_at")
            .filter(|edited| *edited > 0)
            .and_then(|edited| i64::try_from(edited / 1000).ok())
            .filter(|edited| is_time(*edited));
        for name in list(post, "flagged_by").iter().filter_map(Value::as_str) {
            draft.starred.extend(chat.people.id(&name.to_lowercase()));
        }
        for reaction in list(post, "reactions") {
            match chat.people.id(&text(reaction, "user").to_lowercase()) {
                Some(user) => {
                    let name = text(reaction, "emoji_name");
                    draft.reactions.push((user, name.to_owned()));
                }
                None => chat.notes.add(
                    "reactions of people whom the archive does not name were left out",
                    1,
                ),
            }
        }
        chat.message(draft, context.thread)
    }

    /// The sender of a post; a webhook in a channel may have a name of its own.
    fn sender(
        &self,
        chat: &mut Chat,
        post: &Value,
        conversation: Conversation,
    ) -> Result<Option<i64>> {
        let props = post.get("props").unwrap_or(&Value::Null);
        if text(props, "from_webhook") == "true"
            && matches!(conversation, Conversation::Channel(_))
            && let Some(name) = filled(props, "override_username")
        {
            return chat.integration(name).map(Some);
        }
        match filled(post, "user") {
            Some(user) => Self::known(chat, user).map(Some),
            None => Ok(None),
        }
    }

    fn file(&self, chat: &mut Chat, path: &str, draft: &mut Draft) -> Result<()> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(place) = self.find(path) else {
            add_paragraph(&mut draft.content, &format!("({})", line(name, 255)));
            chat.notes
                .add("attachments that are not in the archive were left out", 1);
            return Ok(());
        };
        let created = i64::try_from(draft.time / 1_000_000)?;
        let (index, link) = chat.files.add(place, name, draft.sender, created, None)?;
        draft.files.push(index);
        add_paragraph(&mut draft.content, &link);
        if draft.title.trim().is_empty() {
            name.clone_into(&mut draft.title);
        }
        Ok(())
    }

    /// Markdown of the attachments of an integration.
    fn attachment(&self, chat: &Chat, team: &str, attachment: &Value) -> String {
        let convert = |markdown: &str| self.markup(chat, team).convert(markdown).content;
        let mut all = convert(text(attachment, "pretext"));
        if let Some(author) = filled(attachment, "author_name") {
            add_paragraph(&mut all, author);
        }
        if let Some(title) = filled(attachment, "title") {
            let title = match filled(attachment, "title_link") {
                Some(url) => link(title, url),
                None => format!("**{}**", title.replace('*', "")),
            };
            add_paragraph(&mut all, &title);
        }
        add_paragraph(&mut all, &convert(text(attachment, "text")));
        for field in list(attachment, "fields").iter().take(MOST) {
            let value = convert(&scalar(field, "value"));
            let field = match scalar(field, "title") {
                title if title.trim().is_empty() => value,
                title => format!("**{}**: {value}", title.replace('*', "")),
            };
            add_paragraph(&mut all, &field);
        }
        if all.is_empty() {
            all = scalar(attachment, "fallback").into_owned();
        }
        all
    }
}

/// Microseconds since 1970 of a post.
fn time(post: &Value) -> Option<u64> {
    let milliseconds = number(post, "create_at").filter(|time| *time > 0)?;
    let seconds = i64::try_from(milliseconds / 1000).ok()?;
    is_time(seconds).then(|| milliseconds * 1000)
}

/// A text as a title: its first line that is not empty, without emphasis.
fn title(markdown: &str) -> String {
    let first = markdown
        .lines()
        .map(|line| line.trim_start_matches(['#', '>', ' ', '-']))
        .find(|line| !line.trim().is_empty() && !line.starts_with("```"))
        .unwrap_or_default();
    // A mention becomes its visible text.
    let mut plain = String::new();
    let mut rest = first;
    while let Some((before, behind)) = rest.split_once("@**") {
        plain.push_str(before);
        let Some((mention, behind)) = behind.split_once("**") else {
            rest = behind;
            break;
        };
        let name = mention.rsplit_once('|').map_or(mention, |(name, _)| name);
        plain.push('@');
        plain.push_str(name);
        rest = behind;
    }
    plain.push_str(rest);
    let plain = plain.replace(['*', '`'], "").replace("~~", "");
    // Characters that were escaped.
    let characters = "*`~[:<|$#>-+.)".chars();
    characters.fold(plain, |plain, character| {
        plain.replace(
            &format!("&#{};", u32::from(character)),
            character.encode_utf8(&mut [0; 4]),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_no_markup() {
        for (markdown, expected) in [
            ("# Deploy **on** `Friday`\nmore", "Deploy on Friday"),
            (
                "\n> @**Ann Lee|12** and #**general**",
                "@Ann Lee and #general",
            ),
            ("```\nx\n```", "x"),
            ("2 &#42; 3", "2 * 3"),
            ("", ""),
        ] {
            assert_eq!(title(markdown), expected, "{markdown:?}");
        }
    }
}
