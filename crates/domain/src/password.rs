//! How hard a password is to guess.
//!
//! Owns the rule for passwords that are chosen: a length, and at least [`PASSWORD_MIN_GUESSES`]
//! guesses. The estimate assumes an attacker who tries what people choose: common words with
//! capitals, digits for letters and a few characters around them, names of the account's owner,
//! runs of keys, repetitions, years. A password is cut into such parts in every way; the cheapest
//! way counts. Keeps no password.
//!
//! `common.txt` holds words by how often they are chosen, ten a line; it was written for this
//! project. Why it is not a library: `docs/adr/0037-passwords.md`.

use crate::limits::{PASSWORD_MAX_LENGTH, PASSWORD_MIN_GUESSES, PASSWORD_MIN_LENGTH};
use std::collections::BTreeMap;
use std::fmt;

const COMMON: &str = include_str!("password/common.txt");

/// Keys that lie in a row, or are pressed in turns.
const TRACKS: [&str; 11] = [
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "wxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujm",
];

/// More parts than this need enough guesses for their order alone.
const MOST_PARTS: u64 = 7;
/// Longest part that can be a word.
const LONGEST_WORD: usize = 24;
/// Guesses for each character of a part without a pattern: people do not choose by chance.
const GUESSES_OF_A_CHARACTER: u64 = 10;

/// Why a password is refused; its text is for people. Of several reasons the last is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weakness {
    /// Too short or too long.
    Length,
    /// Little more than a run or a repetition of characters.
    Pattern,
    /// Little more than common words.
    Common,
    /// Little more than the name or the address of its owner.
    Own,
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::Length => {
                return write!(
                    f,
                    "A password has {PASSWORD_MIN_LENGTH} to {PASSWORD_MAX_LENGTH} characters"
                );
            }
            Self::Common => "it is little more than a word that many people choose",
            Self::Own => "it is little more than your own name or address",
            Self::Pattern => "it is little more than a row or a repetition of characters",
        };
        write!(
            f,
            "The password is too easy to guess: {reason}. Take several words that do not belong together"
        )
    }
}

/// Checks a new password of an account; `own`: the names and addresses of its owner.
///
/// # Errors
/// Why it is refused.
pub fn check(password: &str, own: &[&str]) -> Result<(), Weakness> {
    let length = crate::text::length(password);
    if !(PASSWORD_MIN_LENGTH..=PASSWORD_MAX_LENGTH).contains(&length) {
        return Err(Weakness::Length);
    }
    let enough = u64::try_from(PASSWORD_MIN_GUESSES).unwrap_or(u64::MAX);
    let way = estimate(password, own);
    match way.guesses >= enough {
        true => Ok(()),
        false => Err(way.weakness.unwrap_or(Weakness::Pattern)),
    }
}

/// Guesses that are tried before anything else: common words by their rank, and the owner's own
/// ones.
struct Words {
    common: BTreeMap<&'static str, u64>,
    own: Vec<String>,
}

impl Words {
    fn new(own: &[&str]) -> Self {
        let mut common = BTreeMap::new();
        for (word, rank) in COMMON.split_ascii_whitespace().zip(1..) {
            common.entry(word).or_insert(rank);
        }
        let own = own
            .iter()
            .flat_map(|text| text.split(|character: char| !character.is_alphanumeric()))
            .map(fold)
            .filter(|word| word.chars().count() > 2)
            .collect();
        Self { common, own }
    }

    /// After how many words this one is tried, and why so early.
    fn find(&self, word: &str) -> Option<(u64, Weakness)> {
        let own = self.own.iter().zip(1..).find(|(own, _)| *own == word);
        if let Some((_, rank)) = own {
            return Some((rank, Weakness::Own));
        }
        let rank = self.common.get(word)?;
        Some((*rank, Weakness::Common))
    }

    /// The same for a word that may be disguised.
    fn guess(&self, text: &str, folded: &str) -> Option<(u64, Weakness)> {
        let (rank, weakness, disguises) = self.find_disguised(folded)?;
        Some((rank * disguises * capitals(text), weakness))
    }

    fn find_disguised(&self, folded: &str) -> Option<(u64, Weakness, u64)> {
        if let Some((rank, weakness)) = self.find(folded) {
            return Some((rank, weakness, 1));
        }
        let backwards: String = folded.chars().rev().collect();
        if let Some((rank, weakness)) = self.find(&backwards) {
            return Some((rank, weakness, 2));
        }
        ['i', 'l'].into_iter().find_map(|one| {
            let plain: String = folded
                .chars()
                .map(|character| letter(character, one))
                .collect();
            let (rank, weakness) = self.find(&plain).filter(|_| plain != folded)?;
            Some((rank, weakness, 4))
        })
    }
}

/// One way to guess a text.
#[derive(Debug, Clone, Copy)]
struct Way {
    guesses: u64,
    /// Known facts about its owner; `None` means none.
    weakness: Option<Weakness>,
}

impl Way {
    fn new(guesses: u64, weakness: Weakness) -> Self {
        Self {
            guesses: guesses.max(1),
            weakness: Some(weakness),
        }
    }

    /// Both, in this order.
    fn then(self, next: Self) -> Self {
        Self {
            guesses: self.guesses.saturating_mul(next.guesses),
            weakness: self.weakness.max(next.weakness),
        }
    }
}

/// The cheapest way to guess a text of at most the longest length.
fn estimate(password: &str, own: &[&str]) -> Way {
    let characters: Vec<char> = password.chars().take(PASSWORD_MAX_LENGTH).collect();
    let words = Words::new(own);
    let whole = cheapest(&characters, &words);
    match repeated(&characters, &words) {
        Some(repeated) if repeated.guesses < whole.guesses => repeated,
        _ => whole,
    }
}

/// The cheapest way to put a text together from parts.
fn cheapest(characters: &[char], words: &Words) -> Way {
    let parts: Vec<Vec<Way>> = (0..characters.len())
        .map(|start| {
            let rest = characters.get(start..).unwrap_or_default();
            let lengths = 1..=rest.len();
            lengths
                .filter_map(|length| Some(part(rest.get(..length)?, words)))
                .collect()
        })
        .collect();
    let nothing = Way {
        guesses: 1,
        weakness: None,
    };
    let mut best = Way {
        guesses: u64::MAX,
        weakness: None,
    };
    // The cheapest way to each position with this many parts.
    let mut ways: Vec<Option<Way>> = vec![None; characters.len() + 1];
    if let Some(start) = ways.first_mut() {
        *start = Some(nothing);
    }
    let mut orders = 1;
    for count in 1..=MOST_PARTS {
        orders *= count;
        let mut longer: Vec<Option<Way>> = vec![None; characters.len() + 1];
        for (start, (way, parts)) in ways.iter().zip(&parts).enumerate() {
            let Some(way) = way else {
                continue;
            };
            for (part, end) in parts.iter().zip(longer.iter_mut().skip(start + 1)) {
                let way = way.then(*part);
                if end.is_none_or(|known| way.guesses < known.guesses) {
                    *end = Some(way);
                }
            }
        }
        if let Some(Some(way)) = longer.last() {
            let guesses = way.guesses.saturating_mul(orders);
            if guesses < best.guesses {
                best = Way { guesses, ..*way };
            }
        }
        ways = longer;
    }
    best
}

/// A text that is one thing again and again, the last time perhaps not to its end.
fn repeated(characters: &[char], words: &Words) -> Option<Way> {
    let period = (1..=characters.len() / 2).find(|period| {
        let shifted = characters.get(*period..).unwrap_or_default();
        characters
            .iter()
            .zip(shifted)
            .all(|(one, other)| one == other)
    })?;
    let unit = cheapest(characters.get(..period)?, words);
    let times = (characters.len() / period) as u64;
    Some(unit.then(Way::new(times, Weakness::Pattern)))
}

/// The cheapest way to guess a text as one thing.
fn part(characters: &[char], words: &Words) -> Way {
    let length = u32::try_from(characters.len()).unwrap_or(u32::MAX);
    let by_chance = Way {
        guesses: GUESSES_OF_A_CHARACTER.saturating_pow(length),
        weakness: None,
    };
    if characters.len() < 3 {
        return by_chance;
    }
    let patterned = |guesses| Way::new(guesses, Weakness::Pattern);
    let mut ways = vec![by_chance];
    ways.extend(run(characters).map(patterned));
    if characters.len() <= LONGEST_WORD {
        let text: String = characters.iter().collect();
        let folded = fold(&text);
        ways.extend(year(&text).map(patterned));
        ways.extend(track(&folded).map(patterned));
        let word = words.guess(&text, &folded);
        ways.extend(word.map(|(guesses, weakness)| Way::new(guesses, weakness)));
    }
    let cheapest = ways.iter().min_by_key(|way| way.guesses);
    cheapest.copied().unwrap_or(by_chance)
}

/// Characters that follow each other (`abc`, `9753`), or one character again and again.
fn run(characters: &[char]) -> Option<u64> {
    let code = |character: &char| i64::from(u32::from(*character));
    let mut steps = characters
        .iter()
        .zip(characters.iter().skip(1))
        .map(|(one, next)| code(next) - code(one));
    let step = steps.next()?;
    let is_run = step.abs() <= 3 && steps.all(|other| other == step);
    is_run.then_some(8 * characters.len() as u64)
}

/// Keys in a row, forwards or backwards.
fn track(folded: &str) -> Option<u64> {
    let backwards: String = folded.chars().rev().collect();
    let is_track = TRACKS
        .iter()
        .any(|track| track.contains(folded) || track.contains(&backwards));
    is_track.then_some(10 * folded.len() as u64)
}

/// A year of birth, or another one that people choose.
fn year(text: &str) -> Option<u64> {
    let year: u32 = text.parse().ok().filter(|_| text.len() == 4)?;
    (1900..=2060).contains(&year).then_some(20)
}

/// The letter that a character often replaces; `one` is the letter for `1`.
fn letter(character: char, one: char) -> char {
    match character {
        '0' => 'o',
        '1' | '!' | '|' => one,
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    }
}

/// How many ways to write capitals are tried before this one.
fn capitals(text: &str) -> u64 {
    let mut characters = text.chars();
    let first = characters.next().is_some_and(char::is_uppercase);
    let rest = characters
        .clone()
        .filter(|character| character.is_uppercase())
        .count();
    match (first, rest) {
        (false, 0) => 1,
        (true, 0) => 2,
        (true, rest) if rest == characters.count() => 2,
        _ => 10,
    }
}

fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
