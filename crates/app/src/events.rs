//! What an app can ask of an event.

use std::str::FromStr;

use crate::{Event, Happening, Message};

impl Event {
    /// The value of a setting, or its default.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        let entry = self.settings.iter().find(|entry| entry.key == name)?;
        Some(&entry.value)
    }

    /// The value of a setting as a number, a switch (`bool`) or another type.
    #[must_use]
    pub fn setting_as<T: FromStr>(&self, name: &str) -> Option<T> {
        self.setting(name)?.parse().ok()
    }

    /// The message of a person that the event brings.
    #[must_use]
    pub const fn message(&self) -> Option<&Message> {
        match &self.what {
            Happening::Message(message) => Some(message),
            Happening::Command(command) => Some(&command.message),
            _ => None,
        }
    }

    /// Random numbers, the same in a repeated call.
    #[must_use]
    pub const fn random(&self) -> Random {
        Random(self.seed)
    }
}

/// Random numbers without an end (SplitMix64); not for secrets.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next()
            .map_or(0, |number| number.checked_rem(end).unwrap_or(0))
    }
}

impl Iterator for Random {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(mixed ^ (mixed >> 31))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Person, Scope, Tick};

    #[test]
    fn settings_and_random_numbers() {
        let event = Event {
            id: 1,
            time: 0,
            seed: 0,
            scope: Scope::App,
            me: Person {
                id: 1,
                name: "Bot".to_owned(),
                is_guest: false,
                is_administrator: false,
            },
            settings: vec![("limit", "5").into()],
            what: Happening::Tick(Tick {
                name: "end".to_owned(),
            }),
        };
        assert_eq!(event.setting("limit"), Some("5"));
        assert_eq!(event.setting_as("limit"), Some(5));
        assert_eq!(event.setting_as::<bool>("other"), None);
        assert_eq!(event.message(), None);
        // The first number of the reference implementation for the seed 0.
        assert_eq!(event.random().next(), Some(0xe220_a839_7b1d_cdaf));
        assert_eq!(event.random().below(0), 0);
        assert!(event.random().below(6) < 6);
    }
}
