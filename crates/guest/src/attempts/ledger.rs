//! The list of attempts: how accounts are named in it, the limit of attempts, the stored form.
//!
//! Pure: uses neither the store nor the clock. An account is stored under a keyed hash of its name, so that an attacker
//! cannot find a name that collides with another one. Accounts whose hashes have the same prefix share a key of the
//! store and are separate entries in its value. So the numbers of keys and of entries are bounded even if an attacker
//! invents names.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::{BTreeMap, BTreeSet};

/// Attempts for one account in [`WINDOW_SECS`] (docs/protocol/limits.md#rate-limits).
const ATTEMPTS: usize = 5;
/// Seconds after which an attempt is forgotten.
const WINDOW_SECS: i64 = 1800;
/// Hexadecimal digits of the hash that name the key: 65,536 keys.
const KEY_DIGITS: usize = 4;
/// Accounts under one key. To displace another account by chance takes about a million attempts
/// within [`WINDOW_SECS`].
const ACCOUNTS_OF_KEY: usize = 16;
/// Accounts that an instance remembers.
const REMEMBERED: usize = 4096;

/// An account under which attempts are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Account {
    /// Hexadecimal.
    hash: String,
}

impl Account {
    /// The account of this name, however it is written.
    pub(super) fn new(secret: &[u8], name: &str) -> Self {
        let folded = name.trim().to_lowercase();
        let mut hash = String::new();
        // A key of any length is one.
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) {
            mac.update(folded.as_bytes());
            for byte in mac.finalize().into_bytes() {
                hash.push_str(&format!("{byte:02x}"));
            }
        }
        Self { hash }
    }

    /// The key of the store under which it is kept.
    pub(super) fn key(&self) -> String {
        format!("attempts/{}", self.beginning())
    }

    fn beginning(&self) -> &str {
        self.hash.get(..KEY_DIGITS).unwrap_or_default()
    }
}

/// One attempt: its time (UNIX seconds), and a number that distinguishes it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AttemptId {
    time: i64,
    number: u32,
}

impl AttemptId {
    pub(super) const fn new(time: i64, number: u32) -> Self {
        Self { time, number }
    }

    fn parse(text: &str) -> Option<Self> {
        let (time, number) = text.split_once(':')?;
        Some(Self::new(time.parse().ok()?, number.parse().ok()?))
    }

    /// A clock that was set back must not lock a user out for longer than the window.
    fn counts(self, now: i64) -> bool {
        self.time <= now && self.time > now - WINDOW_SECS
    }
}

/// Attempts by account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ledger(BTreeMap<Account, BTreeSet<AttemptId>>);

impl Ledger {
    /// The stored attempts under the key of `account`, with those of this ledger that belong there.
    pub(super) fn with(&self, account: &Account, kept: &str, now: i64) -> Self {
        let mut all = Self::default();
        for line in kept.lines() {
            let mut words = line.split(' ');
            let hash = words.next().unwrap_or_default().to_owned();
            let attempts: BTreeSet<AttemptId> = words.filter_map(AttemptId::parse).collect();
            all.0.entry(Account { hash }).or_default().extend(attempts);
        }
        let from = Account {
            hash: account.beginning().to_owned(),
        };
        let own = self.0.range(from..);
        for (other, attempts) in own.take_while(|(other, _)| other.key() == account.key()) {
            all.0.entry(other.clone()).or_default().extend(attempts);
        }
        all.forget(now);
        all
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// The seconds until another attempt is allowed, when there were too many.
    pub(super) fn admit(
        &mut self,
        account: &Account,
        attempt: AttemptId,
        now: i64,
    ) -> Result<(), f64> {
        let attempts = self.0.entry(account.clone()).or_default();
        if attempts.len() >= ATTEMPTS
            && let Some(oldest) = attempts.first()
        {
            return Err((oldest.time + WINDOW_SECS - now).max(1) as f64);
        }
        attempts.insert(attempt);
        self.make_room(account, ACCOUNTS_OF_KEY);
        Ok(())
    }

    /// Counts an attempt that was admitted.
    pub(super) fn remember(&mut self, account: &Account, attempt: AttemptId, now: i64) {
        if self.0.len() >= REMEMBERED {
            self.forget(now);
        }
        self.0.entry(account.clone()).or_default().insert(attempt);
        self.make_room(account, REMEMBERED);
    }

    /// Removes an attempt that does not count.
    pub(super) fn take_back(&mut self, account: &Account, attempt: AttemptId) {
        if let Some(attempts) = self.0.get_mut(account) {
            attempts.remove(&attempt);
            if attempts.is_empty() {
                self.0.remove(account);
            }
        }
    }

    /// The stored form.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for (account, attempts) in &self.0 {
            text.push_str(&account.hash);
            for attempt in attempts {
                text.push_str(&format!(" {}:{}", attempt.time, attempt.number));
            }
            text.push('\n');
        }
        text
    }

    fn forget(&mut self, now: i64) {
        self.0.retain(|_, attempts| {
            attempts.retain(|attempt| attempt.counts(now));
            !attempts.is_empty()
        });
    }

    /// Removes the accounts with the oldest last attempts, but never `account`.
    fn make_room(&mut self, account: &Account, most: usize) {
        while self.0.len() > most {
            let others = self.0.iter().filter(|(other, _)| *other != account);
            let Some((oldest, _)) = others.min_by_key(|(_, attempts)| attempts.last()) else {
                return;
            };
            let oldest = oldest.clone();
            self.0.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str) -> Account {
        Account::new(b"secret", name)
    }

    /// As an instance does it that finds `kept`.
    fn admit(own: &mut Ledger, kept: &str, name: &str, attempt: AttemptId) -> Result<String, f64> {
        let account = account(name);
        let mut ledger = own.with(&account, kept, attempt.time);
        ledger.admit(&account, attempt, attempt.time)?;
        own.remember(&account, attempt, attempt.time);
        Ok(ledger.to_text())
    }

    #[test]
    fn the_sixth_attempt_within_half_an_hour_waits_for_the_first_to_be_forgotten() {
        let mut own = Ledger::default();
        let mut kept = String::new();
        for (number, now) in (0..).zip([1000, 1000, 1002, 1003, 1004]) {
            kept = admit(&mut own, &kept, "ann", AttemptId::new(now, number)).unwrap();
        }
        assert_eq!(
            admit(&mut own, &kept, "ann", AttemptId::new(1010, 9)),
            Err(1790.0)
        );
        assert_eq!(
            admit(&mut own, &kept, "ann", AttemptId::new(2799, 9)),
            Err(1.0)
        );
        assert!(admit(&mut own, &kept, "bob", AttemptId::new(1010, 9)).is_ok());
        let kept = admit(&mut own, &kept, "ann", AttemptId::new(2800, 9)).unwrap();
        assert!(kept.ends_with(" 1002:2 1003:3 1004:4 2800:9\n"), "{kept}");
    }

    #[test]
    fn attempts_at_the_same_moment_are_counted_in_an_instance() {
        let mut own = Ledger::default();
        // All of them have read the store before any of them has written to it.
        let admitted = (0..32)
            .filter(|number| admit(&mut own, "", "ann", AttemptId::new(1000, *number)).is_ok());
        assert_eq!(admitted.count(), ATTEMPTS);
    }

    #[test]
    fn taking_one_back_takes_no_other_back() {
        let (ann, mut own) = (account("ann"), Ledger::default());
        let mut kept = String::new();
        for number in 0..5 {
            kept = admit(&mut own, &kept, "ann", AttemptId::new(1000, number)).unwrap();
        }
        // Two that end at the same moment: both have read the same.
        for number in [1, 3] {
            own.take_back(&ann, AttemptId::new(1000, number));
        }
        let mut ledger = own.with(&ann, &kept, 1001);
        for number in [1, 3] {
            ledger.take_back(&ann, AttemptId::new(1000, number));
        }
        assert!(ledger.to_text().ends_with(" 1000:0 1000:2 1000:4\n"));
        let kept = admit(&mut own, &ledger.to_text(), "ann", AttemptId::new(1001, 7)).unwrap();
        let kept = admit(&mut own, &kept, "ann", AttemptId::new(1001, 8)).unwrap();
        assert!(admit(&mut own, &kept, "ann", AttemptId::new(1001, 9)).is_err());
    }

    #[test]
    fn nonsense_and_times_to_come_do_not_count() {
        let ann = account("ann");
        let kept = format!("{} x 99999:1 -5000:2 7\n\nx\n", ann.hash);
        assert_eq!(Ledger::default().with(&ann, &kept, 1000), Ledger::default());
    }

    #[test]
    fn accounts_are_told_apart_and_room_is_bounded() {
        assert_eq!(account(" Ann@Example.org"), account("ann@example.org "));
        assert_ne!(account("ann@example.org"), account("bob@example.org"));
        assert_ne!(account("ann").hash, Account::new(b"other", "ann").hash);
        assert_eq!(account("x").key().len(), "attempts/".len() + KEY_DIGITS);
        assert_eq!(account("x").hash.len(), 64);
        let mut ledger = Ledger::default();
        for number in 0..100 {
            let attempt = AttemptId::new(1000 + i64::from(number), number);
            let account = account(&number.to_string());
            ledger.admit(&account, attempt, 2000).unwrap();
            assert!(ledger.0.contains_key(&account));
        }
        assert_eq!(ledger.0.len(), ACCOUNTS_OF_KEY);
        assert!(ledger.0.contains_key(&account("84")) && !ledger.0.contains_key(&account("83")));
    }
}
