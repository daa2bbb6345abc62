//! Names of topics that threads become.

use spindle_domain::limits::MAX_TOPIC_LENGTH;

use super::names::Names;
use super::text::beginning;

/// The topics of the channel at hand.
#[derive(Debug, Default)]
pub(super) struct Topics {
    channel: Option<u64>,
    names: Names,
}

impl Topics {
    /// The topic of a thread that begins with `title`. Channels come one after the other. `general`
    /// is the topic of messages outside threads.
    pub(super) fn name(&mut self, channel: u64, title: &str, general: &str) -> String {
        if self.channel != Some(channel) {
            self.channel = Some(channel);
            self.names.clear();
            self.names.take(general, MAX_TOPIC_LENGTH);
        }
        let wanted = match beginning(title, MAX_TOPIC_LENGTH) {
            empty if empty.is_empty() => "thread".to_owned(),
            other => other,
        };
        self.names.take(&wanted, MAX_TOPIC_LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_channel_have_different_names() {
        let mut topics = Topics::default();
        let mut name = |channel, title: &str| topics.name(channel, title, "imported from Slack");
        assert_eq!(name(1, "Deploy on Friday?"), "Deploy on Friday?");
        assert_eq!(name(1, "deploy on friday?"), "deploy on friday? (2)");
        assert_eq!(name(1, "Deploy on Friday?"), "Deploy on Friday? (3)");
        assert_eq!(name(1, "Imported from Slack"), "Imported from Slack (2)");
        assert_eq!(name(1, " "), "thread");
        assert_eq!(name(2, "Deploy on Friday?"), "Deploy on Friday?");
        let long = name(2, &"word ".repeat(40));
        assert!(long.ends_with('…') && long.chars().count() <= MAX_TOPIC_LENGTH);
        let again = name(2, &"word ".repeat(40));
        assert!(again.ends_with("(2)") && again.chars().count() <= MAX_TOPIC_LENGTH);
    }
}
