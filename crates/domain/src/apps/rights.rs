//! What an administrator has granted to an app.

use serde::{Deserialize, Serialize};

use super::manifest::ANY_HOST;
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
    /// [`ANY_HOST`] stands for every public host. If the manifest asks for that, other hosts can be granted in its place.
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
            hosts: (self.hosts.iter())
                .filter(|host| manifest.asks_for_host(host))
                .cloned()
                .collect(),
            channels: match (&self.channels, manifest.channels) {
                (None, Channels::Chosen) => Some(Vec::new()),
                (channels, _) => channels.clone(),
            },
        }
    }

    /// Sorts all lists, and removes repetitions.
    pub fn sort(&mut self) {
        self.events.sort_unstable();
        self.events.dedup();
        for names in [&mut self.commands, &mut self.hosts] {
            names.sort_unstable();
            names.dedup();
        }
        if let Some(channels) = &mut self.channels {
            channels.sort_unstable();
            channels.dedup();
        }
    }

    /// What the manifest names and was not granted. Channels are not missing: they are chosen.
    #[must_use]
    pub fn missing(&self, manifest: &Manifest) -> Self {
        let all = Self::all_of(manifest);
        Self {
            events: others(&all.events, &self.events),
            commands: others(&all.commands, &self.commands),
            hosts: self.missing_hosts(manifest),
            channels: Some(Vec::new()),
        }
    }

    /// Any host is not missing if the administrator has chosen hosts in its place, and with it no other host is.
    fn missing_hosts(&self, manifest: &Manifest) -> Vec<String> {
        let has_any = self.hosts.iter().any(|host| host == ANY_HOST);
        let is_chosen = |host: &String| !manifest.hosts.contains(host);
        if has_any {
            return Vec::new();
        }
        let mut missing = others(&manifest.hosts, &self.hosts);
        if self.hosts.iter().any(is_chosen) {
            missing.retain(|host| host != ANY_HOST);
        }
        missing
    }

    /// Those that the manifest does not name, for people: `the event click`.
    #[must_use]
    pub fn beyond(&self, manifest: &Manifest) -> Vec<String> {
        let all = Self::all_of(manifest);
        let events = others(&self.events, &all.events).into_iter();
        let events = events.map(|kind| format!("the event {}", kind.name()));
        let commands = others(&self.commands, &all.commands).into_iter();
        let commands = commands.map(|name| format!("the command {name:?}"));
        let hosts = self.hosts.iter();
        let hosts = hosts.filter(|host| !manifest.asks_for_host(host));
        let hosts = hosts.map(|host| format!("the host {host:?}"));
        let mut beyond: Vec<String> = events.chain(commands).chain(hosts).collect();
        if self.channels.is_none() && manifest.channels == Channels::Chosen {
            beyond.push("all channels".to_owned());
        }
        beyond
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
        with_hosts(channels, r#"["a.example"]"#)
    }

    fn with_hosts(channels: &str, hosts: &str) -> Option<Manifest> {
        let text = format!(
            r#"{{"name":"a","title":"A","version":"1","events":["command","answer"],
            "commands":[{{"name":"one","description":"1"}},{{"name":"two","description":"2"}}],
            "hosts":{hosts},"channels":"{channels}"}}"#
        );
        Manifest::parse(text.as_bytes()).ok()
    }

    #[test]
    fn effective_rights_are_those_that_both_name() {
        let manifest = manifest("chosen").unwrap();
        let all = Rights::all_of(&manifest);
        assert!(all.beyond(&manifest).is_empty());
        assert_eq!(all.channels, Some(Vec::new()));
        let granted = Rights {
            events: vec![EventKind::Click, EventKind::Command],
            commands: vec!["two".to_owned(), "three".to_owned()],
            hosts: Vec::new(),
            channels: None,
        };
        assert_eq!(
            granted.beyond(&manifest),
            ["the event click", "the command \"three\"", "all channels"]
        );
        let hosts = Rights {
            hosts: vec!["b.example".to_owned()],
            ..all.clone()
        };
        assert_eq!(hosts.beyond(&manifest), ["the host \"b.example\""]);
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

    fn hosts(names: &[&str]) -> Rights {
        Rights {
            hosts: names.iter().map(|&name| name.to_owned()).collect(),
            channels: Some(Vec::new()),
            ..Rights::default()
        }
    }

    #[test]
    fn any_host_can_be_narrowed_to_some() {
        let any = with_hosts("chosen", r#"["*","a.example"]"#).unwrap();
        let named = manifest("chosen").unwrap();
        let missing = |granted: &[&str]| hosts(granted).missing(&any).hosts;
        for granted in [
            &["*"][..],
            &["*", "a.example"],
            &["b.example", "localhost:8080"],
        ] {
            let granted = hosts(granted);
            assert!(granted.beyond(&any).is_empty());
            assert_eq!(granted.within(&any).hosts, granted.hosts);
            assert!(!granted.beyond(&named).is_empty());
        }
        assert_eq!(
            hosts(&["*", "b.example"]).within(&named),
            hosts(&[]).within(&named)
        );
        assert!(!hosts(&["http://b.example"]).beyond(&any).is_empty());
        assert!(!hosts(&["*.example"]).beyond(&any).is_empty());
        assert_eq!(missing(&["*"]), [] as [&str; 0]);
        assert_eq!(missing(&["a.example"]), ["*"]);
        assert_eq!(missing(&["b.example"]), ["a.example"]);
        assert_eq!(missing(&[]), ["*", "a.example"]);
    }

    #[test]
    fn all_channels_need_a_manifest_that_names_them() {
        let manifest = manifest("all").unwrap();
        let all = Rights::all_of(&manifest);
        assert!(all.beyond(&manifest).is_empty() && all.has_channel(ChannelId(1)));
        let some = Rights {
            channels: Some(vec![ChannelId(2)]),
            ..all
        };
        let some = some.within(&manifest);
        assert!(some.has_channel(ChannelId(2)) && !some.has_channel(ChannelId(1)));
    }
}
