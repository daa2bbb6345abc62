//! A message of Slack.

use anyhow::Result;
use serde_json::Value;

use super::super::chat::text::{add_paragraph, link};
use super::super::chat::{Chat, Conversation, Draft, Thread};
use super::super::json::{filled, is_time, list, number, scalar, text};
use super::blocks::Blocks;
use super::markup::Text;
use super::subtypes::{self, Becomes};
use super::{Export, Folder, known};

impl Export {
    /// Takes a message of a conversation.
    pub(super) fn message(&self, chat: &mut Chat, folder: &Folder, message: &Value) -> Result<()> {
        let becomes = subtypes::of(text(message, "subtype"));
        match becomes {
            Becomes::Notice => {
                chat.notes.add("notices of Slack were left out", 1);
                return Ok(());
            }
            Becomes::Deleted => {
                chat.notes
                    .add("messages that were deleted were left out", 1);
                return Ok(());
            }
            Becomes::Message | Becomes::Me => {}
        }
        let Some(time) = time(&scalar(message, "ts")) else {
            chat.notes.add("messages without a time were left out", 1);
            return Ok(());
        };
        let Some(sender) = sender(chat, message)? else {
            chat.notes.add("messages without a sender were left out", 1);
            return Ok(());
        };
        let conversation = match folder {
            Folder::Channel(index) => Conversation::Channel(*index),
            Folder::Direct(people) if people.contains(&sender) => chat.channels.direct(people)?,
            Folder::Direct(people) => {
                let people: Vec<i64> = people.iter().copied().chain([sender]).collect();
                chat.channels.direct(&people)?
            }
        };
        let mut draft = Draft::new(time, conversation, sender);
        self.fill(chat, message, becomes == Becomes::Me, &mut draft)?;
        draft.edited = message
            .get("edited")
            .and_then(|edited| self::time(&scalar(edited, "ts")))
            .and_then(|time| i64::try_from(time / 1_000_000).ok());
        self.reactions(chat, message, &mut draft);
        let thread = self::time(&scalar(message, "thread_ts"));
        let thread = thread.map(|time| Thread { time, number: 0 });
        chat.message(draft, thread)
    }

    /// Text, attachments and files.
    fn fill(&self, chat: &mut Chat, message: &Value, is_me: bool, draft: &mut Draft) -> Result<()> {
        let converted = self.body(chat, message);
        let has_text = !converted.content.trim().is_empty();
        draft.content = converted.content.trim_end().to_owned();
        draft.title = converted.plain;
        draft.mentions = converted.mentions;
        draft.mentions_all = converted.mentions_all;
        if is_me {
            draft.content = format!("/me {}", draft.content);
        }
        for attachment in list(message, "attachments") {
            let more = self.attachment(chat, attachment, has_text);
            add_paragraph(&mut draft.content, &more);
            if draft.title.trim().is_empty() {
                draft.title = more;
            }
        }
        let one = message.get("file").filter(|it| it.is_object());
        for file in list(message, "files").iter().chain(one) {
            self.file(chat, file, draft)?;
        }
        Ok(())
    }

    /// What a message says: its blocks, as clients of Slack show it; else its text.
    fn body(&self, chat: &Chat, message: &Value) -> Text {
        let comment = message.get("comment").filter(|it| it.is_object());
        if let Some(comment) = comment {
            return self.markup(chat).convert(text(comment, "comment"));
        }
        let said = scalar(message, "text");
        let Blocks { text, is_complete } = self.blocks(chat, message, &said);
        let mut all = self.markup(chat).convert(&said);
        if text.content.trim().is_empty() {
            return all;
        }
        if is_complete || text.content.contains(all.content.trim()) {
            return text;
        }
        all.add_paragraph(text);
        all
    }

    /// A file: a link to it here, if the archive has it, else one to where it is.
    fn file(&self, chat: &mut Chat, file: &Value, draft: &mut Draft) -> Result<()> {
        let id = text(file, "id");
        let name = filled(file, "name")
            .or_else(|| filled(file, "title"))
            .unwrap_or("file");
        if let Some(place) = self.files.get(id) {
            let created = i64::try_from(draft.time / 1_000_000)?;
            let content_type = filled(file, "mimetype");
            let (index, link) =
                chat.files
                    .add(*place, name, draft.sender, created, content_type)?;
            draft.files.push(index);
            add_paragraph(&mut draft.content, &link);
        } else {
            let url = ["external_url", "url_private", "permalink"]
                .into_iter()
                .find_map(|field| filled(file, field))
                .filter(|url| url.starts_with("https://") || url.starts_with("http://"));
            let Some(url) = url else {
                chat.notes
                    .add("files that Slack does not have any more were left out", 1);
                return Ok(());
            };
            add_paragraph(&mut draft.content, &link(name, &without_token(url)));
            chat.notes.add(
                "files that are not in the archive are links to where they were",
                1,
            );
        }
        if draft.title.trim().is_empty() {
            draft.title = name.to_owned();
        }
        Ok(())
    }

    fn reactions(&self, chat: &mut Chat, message: &Value, draft: &mut Draft) {
        for reaction in list(message, "reactions") {
            let name = text(reaction, "name");
            let mut known = 0;
            for user in list(reaction, "users").iter().filter_map(Value::as_str) {
                if let Some(user) = chat.people.id(user) {
                    draft.reactions.push((user, name.to_owned()));
                    known += 1;
                }
            }
            let count = number(reaction, "count").unwrap_or(known).min(1_000_000);
            chat.notes.add(
                "reactions of people whom the archive does not name were left out",
                count.saturating_sub(known),
            );
        }
    }
}

/// The sender of a message.
fn sender(chat: &mut Chat, message: &Value) -> Result<Option<i64>> {
    let profile = message.get("user_profile");
    let comment = message.get("comment").and_then(|it| filled(it, "user"));
    if let Some(user) = comment.or_else(|| filled(message, "user")) {
        return known(chat, user, profile).map(Some);
    }
    let bot = filled(message, "bot_id");
    let profile = message.get("bot_profile").unwrap_or(&Value::Null);
    let name = filled(message, "username").or_else(|| filled(profile, "name"));
    // An integration that calls itself by a name is one account by that name.
    if name.is_none()
        && let Some(id) = bot.and_then(|bot| chat.people.id(bot))
    {
        return Ok(Some(id));
    }
    match name.or(bot) {
        Some(name) => chat.integration(name).map(Some),
        None => Ok(None),
    }
}

/// Microseconds since 1970 of a time as Slack writes it: seconds, a point, digits.
fn time(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let seconds: u64 = seconds.parse().ok()?;
    if !is_time(i64::try_from(seconds).ok()?) {
        return None;
    }
    let fraction: String = fraction.chars().chain("000000".chars()).take(6).collect();
    Some(seconds * 1_000_000 + fraction.parse::<u64>().ok()?)
}

/// An address without the token that exports add, which gives every reader access.
fn without_token(url: &str) -> String {
    let Some((path, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.starts_with("t="))
        .collect();
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_microseconds() {
        assert_eq!(time("1355517523.000005"), Some(1_355_517_523_000_005));
        assert_eq!(time("1355517523"), Some(1_355_517_523_000_000));
        assert_eq!(time("1355517523.5"), Some(1_355_517_523_500_000));
        for bad in ["", "x", "-1.0", "1.-5", "99999999999999.0", "1.x"] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn links_lose_the_token_of_the_export() {
        assert_eq!(
            without_token("https://files.slack.com/a/b.png?t=xoxe-123"),
            "https://files.slack.com/a/b.png"
        );
        assert_eq!(
            without_token("https://x/?a=1&t=2&b=3"),
            "https://x/?a=1&b=3"
        );
    }
}
