//! The syntax of mentions and of channel, topic and message links.
//!
//! The renderer and [`crate::references`] both use it, so that the references include every name that rendering
//! looks up. Must not resolve names.
//! (docs/protocol/markdown.md#mentions, docs/protocol/markdown.md#channel-links)

/// A mention, after an `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mention<'t> {
    pub(crate) name: &'t str,
    pub(crate) is_silent: bool,
    /// Whether it is `@*name*` instead of `@**name**`.
    pub(crate) is_group: bool,
    /// Length in bytes, including the `@`.
    pub(crate) length: usize,
}

/// The target of a user mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserTarget<'t> {
    Channel(&'t str),
    Topic,
    Name(&'t str),
    Id { name: &'t str, id: i64 },
}

/// A channel link, after a `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelLink<'t> {
    pub(crate) channel: &'t str,
    pub(crate) topic: Option<&'t str>,
    pub(crate) message_id: Option<i64>,
    /// Length in bytes, including the `#`.
    pub(crate) length: usize,
}

/// Whether a mention or channel link may directly follow `before`.
pub(crate) fn may_follow(before: &str) -> bool {
    before
        .chars()
        .next_back()
        .is_none_or(|c| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | '{' | '[' | '/' | '<'))
}

impl<'t> Mention<'t> {
    /// Reads the mention that begins with the `@` at the start of `text`.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let body = text.strip_prefix('@')?;
        let is_silent = body.starts_with('_');
        let body = body.strip_prefix('_').unwrap_or(body);
        let stars = if body.starts_with("**") { 2 } else { 1 };
        let name = starred_name(body, stars)?;
        Some(Self {
            name,
            is_silent,
            is_group: stars == 1,
            length: 1 + usize::from(is_silent) + stars * 2 + name.len(),
        })
    }

    pub(crate) fn user_target(&self) -> UserTarget<'t> {
        match self.name {
            "all" | "everyone" | "stream" | "channel" => return UserTarget::Channel(self.name),
            "topic" => return UserTarget::Topic,
            _ => {}
        }
        match self.name.rsplit_once('|') {
            Some((name, digits)) => match decimal(digits) {
                Some(id) => UserTarget::Id { name, id },
                None => UserTarget::Name(self.name),
            },
            None => UserTarget::Name(self.name),
        }
    }
}

impl<'t> ChannelLink<'t> {
    /// Reads the link that begins with the `#` at the start of `text`.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let name = starred_name(text.strip_prefix('#')?, 2)?;
        let length = 1 + 4 + name.len();
        let Some((channel, topic)) = name.split_once('>') else {
            return Some(Self {
                channel: name,
                topic: None,
                message_id: None,
                length,
            });
        };
        let message = topic
            .rsplit_once('@')
            .and_then(|(topic, digits)| Some((topic, decimal(digits)?)));
        Some(Self {
            channel,
            topic: Some(message.map_or(topic, |(topic, _)| topic)),
            message_id: message.map(|(_, id)| id),
            length,
        })
    }
}

/// The name between `stars` asterisks at the start of `text`; names contain none.
fn starred_name(text: &str, stars: usize) -> Option<&str> {
    let marker = if stars == 2 { "**" } else { "*" };
    let rest = text.strip_prefix(marker)?;
    let end = rest.find('*');
    crate::steps::spend(end.unwrap_or(rest.len()));
    let end = end?;
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    rest.get(end..)?.starts_with(marker).then_some(name)
}

/// A positive decimal number, digits only.
fn decimal(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_read() {
        let mention = Mention::read("@_**Mark Member|12**s").unwrap();
        assert_eq!(mention.name, "Mark Member|12");
        assert!(mention.is_silent && !mention.is_group);
        assert_eq!(mention.length, "@_**Mark Member|12**".len());
        let target = UserTarget::Id {
            name: "Mark Member",
            id: 12,
        };
        assert_eq!(mention.user_target(), target);
        let group = Mention::read("@*devs* x").unwrap();
        assert!(group.is_group && group.length == 7);
        for bad in ["@", "@x", "@**", "@****", "@**a*", "@**", "@*a", "@__**a**"] {
            assert_eq!(Mention::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn targets_are_told_apart() {
        let target = |text| Mention::read(text).unwrap().user_target();
        assert_eq!(target("@**all**"), UserTarget::Channel("all"));
        assert_eq!(target("@**All**"), UserTarget::Name("All"));
        assert_eq!(target("@**topic**"), UserTarget::Topic);
        assert_eq!(target("@**|12**"), UserTarget::Id { name: "", id: 12 });
        assert_eq!(target("@**a|+1**"), UserTarget::Name("a|+1"));
    }

    #[test]
    fn channel_links_are_read() {
        let link = ChannelLink::read("#**a>b>c@5**").unwrap();
        assert_eq!(
            (link.channel, link.topic, link.message_id),
            ("a", Some("b>c"), Some(5))
        );
        let link = ChannelLink::read("#**a>**").unwrap();
        assert_eq!(
            (link.channel, link.topic, link.message_id),
            ("a", Some(""), None)
        );
        let link = ChannelLink::read("#**a>b@x**").unwrap();
        assert_eq!((link.topic, link.message_id), (Some("b@x"), None));
        assert_eq!(ChannelLink::read("#*a*"), None);
    }
}
