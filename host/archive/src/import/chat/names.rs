//! Names of which each may be there once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use spindle_actions::fold_name;
use spindle_domain::text::first_chars;

/// Names that are taken. Of each only a digest is kept: of two with the same one, which is next to
/// impossible, one gets a number without need.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<u64, u32>);

impl Names {
    /// Takes `name`, with a number behind it if it is taken, of at most `most` characters.
    pub(super) fn take(&mut self, name: &str, most: usize) -> String {
        let name = first_chars(name, most).trim().to_owned();
        let digest = digest(&name);
        let Some(next) = self.0.get(&digest) else {
            self.0.insert(digest, 2);
            return name;
        };
        let mut number = *next;
        loop {
            let suffix = format!(" ({number})");
            let stem = first_chars(&name, most.saturating_sub(suffix.len()));
            let candidate = format!("{}{suffix}", stem.trim());
            number = number.saturating_add(1);
            let taken = self::digest(&candidate);
            if !self.0.contains_key(&taken) {
                self.0.insert(taken, 2);
                self.0.insert(digest, number);
                return candidate;
            }
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn digest(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    fold_name(name).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_get_a_number() {
        let mut names = Names::default();
        assert_eq!(names.take("Team", 60), "Team");
        assert_eq!(names.take("team (2)", 60), "team (2)");
        assert_eq!(names.take("team", 60), "team (3)");
        assert_eq!(names.take("TEAM", 60), "TEAM (4)");
        assert_eq!(names.take("abcdefgh", 6), "abcdef");
        assert_eq!(names.take("abcdefxy", 6), "ab (2)");
    }
}
