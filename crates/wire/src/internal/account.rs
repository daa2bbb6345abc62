//! The account of a request, as a component reports it to the host.

use std::fmt;
use std::str::FromStr;

/// An account and its owner. All bots of a person count as one client, the person as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Account {
    /// The account itself.
    pub user_id: i64,
    /// The owner of a bot. `None` for a person and for a bot without an owner, which count alone.
    pub owner_id: Option<i64>,
    /// The rate that the operator has set for this bot alone. Its requests are then not counted with those of its owner's
    /// other bots.
    pub requests_per_minute: Option<u32>,
}

impl Account {
    /// An account that is counted on its own.
    #[must_use]
    pub const fn alone(user_id: i64) -> Self {
        Self {
            user_id,
            owner_id: None,
            requests_per_minute: None,
        }
    }
}

/// `12`, or `57/12` for a bot of account 12; with `@3000` for a bot with a rate of its own.
impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.user_id)?;
        if let Some(owner_id) = self.owner_id {
            write!(formatter, "/{owner_id}")?;
        }
        if let Some(rate) = self.requests_per_minute {
            write!(formatter, "@{rate}")?;
        }
        Ok(())
    }
}

impl FromStr for Account {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (ids, rate) = match text.split_once('@') {
            Some((ids, rate)) => (ids, Some(rate.parse()?)),
            None => (text, None),
        };
        let (user_id, owner_id) = match ids.split_once('/') {
            Some((user_id, owner_id)) => (user_id, Some(owner_id.parse()?)),
            None => (ids, None),
        };
        Ok(Self {
            user_id: user_id.parse()?,
            owner_id,
            requests_per_minute: rate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_read_as_it_was_written() {
        let bot = Account {
            user_id: 57,
            owner_id: Some(12),
            requests_per_minute: None,
        };
        let fast = |account: Account| Account {
            requests_per_minute: Some(3000),
            ..account
        };
        for (account, text) in [
            (bot, "57/12"),
            (fast(bot), "57/12@3000"),
            (Account::alone(12), "12"),
            (fast(Account::alone(12)), "12@3000"),
        ] {
            assert_eq!(account.to_string(), text);
            assert_eq!(text.parse(), Ok(account));
        }
        for text in ["", "x", "57/", "/12", "1/2/3", "1@", "1@x", "@1"] {
            assert!(text.parse::<Account>().is_err(), "{text}");
        }
    }
}
