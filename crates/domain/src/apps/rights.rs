//! What an administrator has granted to an app.

use serde::{Deserialize, Serialize};

use super::{Channels, EventKind, Manifest};
use crate::ChannelId;

/// Granted rights. Effective are those that the manifest also has, see [`Self::within`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rights {
    #[serde(default)]
    pub events: Vec<EventKind>,
    /// Names.
    #[serde(default)]
    pub commands: Vec<String>,
    #[serde(default)]
    pub hosts: Vec<String>,
    /// `None`: all that the account can read.
    pub channels: Option<Vec<ChannelId>>,
}

impl Rights {
    /// All that a manifest names. If it leaves channels to be chosen, there are none yet.
    #[must_use]
    pub fn all_of(manifest: &Manifest) -> Self {
        Self {
            events: manifest.events.clone(),
            commands: (manifest.commands.iter())
                .map(|command| command.name.clone())
                .collect(),
            hosts: manifest.hosts.clone(),
            channels: match manifest.channels {
                Channels::All => None,
                Channels::Chosen => Some(Vec::new()),
            },
        }
    }

    /// The effective rights: what was granted and is in the manifest, which an update may have narrowed.
    #[must_use]
    pub fn within(&self, manifest: &Manifest) -> Self {
        let all = Self::all_of(manifest);
        Self {
            events: common(&all.events, &self.events),
            commands: common(&all.commands, &self.commands),
            hosts: common(&all.hosts, &self.hosts),
            channels: match (&self.channels, manifest.channels) {
                (None, Channels::Chosen) => Some(Vec::new()),
                (channels, _) => channels.clone(),
            },
        }
    }

    /// What the manifest names and was not granted. Channels are not missing: they are chosen.
    #[must_use]
    pub fn missing(&self, manifest: &Manifest) -> Self {
        let all = Self::all_of(manifest);
        Self {
            events: others(&all.events, &self.events),
            commands: others(&all.commands, &self.commands),
            hosts: others(&all.hosts, &self.hosts),
            channels: Some(Vec::new()),
        }
    }

    /// Whether the manifest names all of them.
    #[must_use]
    pub fn is_within(&self, manifest: &Manifest) -> bool {
        let all = Self::all_of(manifest);
        others(&self.events, &all.events).is_empty()
            && others(&self.commands, &all.commands).is_empty()
            && others(&self.hosts, &all.hosts).is_empty()
            && (self.channels.is_some() || manifest.channels == Channels::All)
    }

    /// Whether the app may see and send messages in a channel. Its account must be able to as well.
    #[must_use]
    pub fn has_channel(&self, channel: ChannelId) -> bool {
        (self.channels.as_ref()).is_none_or(|channels| channels.contains(&channel))
    }
}

fn common<T: PartialEq + Clone>(first: &[T], second: &[T]) -> Vec<T> {
    let both = first.iter().filter(|one| second.contains(one));
    both.cloned().collect()
}

fn others<T: PartialEq + Clone>(first: &[T], second: &[T]) -> Vec<T> {
    let rest = first.iter().filter(|one| !second.contains(one));
    rest.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(channels: &str) -> Option<Manifest> {
        let text = format!(
            r#"{{"name":"a","title":"A","version":"1","events":["command","answer"],
            "commands":[{{"name":"one","description":"1"}},{{"name":"two","description":"2"}}],
            "hosts":["a.example"],"channels":"{channels}"}}"#
        );
        Manifest::parse(text.as_bytes()).ok()
    }

    #[test]
    fn effective_rights_are_those_that_both_name() {
        let manifest = manifest("chosen").unwrap();
        let all = Rights::all_of(&manifest);
        assert!(all.is_within(&manifest));
        assert_eq!(all.channels, Some(Vec::new()));
        let granted = Rights {
            events: vec![EventKind::Click, EventKind::Command],
            commands: vec!["two".to_owned(), "three".to_owned()],
            hosts: Vec::new(),
            channels: None,
        };
        assert!(!granted.is_within(&manifest));
        assert_eq!(
            granted.within(&manifest),
            Rights {
                events: vec![EventKind::Command],
                commands: vec!["two".to_owned()],
                hosts: Vec::new(),
                channels: Some(Vec::new()),
            }
        );
        assert_eq!(
            granted.missing(&manifest),
            Rights {
                events: vec![EventKind::Answer],
                commands: vec!["one".to_owned()],
                hosts: vec!["a.example".to_owned()],
                channels: Some(Vec::new()),
            }
        );
    }

    #[test]
    fn all_channels_need_a_manifest_that_names_them() {
        let manifest = manifest("all").unwrap();
        let all = Rights::all_of(&manifest);
        assert!(all.is_within(&manifest) && all.has_channel(ChannelId(1)));
        let some = Rights {
            channels: Some(vec![ChannelId(2)]),
            ..all
        };
        let some = some.within(&manifest);
        assert!(some.has_channel(ChannelId(2)) && !some.has_channel(ChannelId(1)));
    }
}
