//! The account of a request, as a component reports it to the host.

use std::fmt;
use std::str::FromStr;

/// An account, and who answers for it. All bots of one person are counted as one client, and the person as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Account {
    /// The account itself.
    pub user_id: i64,
    /// The owner of a bot; none for a person, and for a bot without an owner, which is counted by itself.
    pub owner_id: Option<i64>,
}

impl Account {
    /// An account that is counted by itself.
    #[must_use]
    pub const fn alone(user_id: i64) -> Self {
        Self {
            user_id,
            owner_id: None,
        }
    }
}

/// `12`, or `57/12` for a bot of account 12.
impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner_id {
            Some(owner_id) => write!(formatter, "{}/{owner_id}", self.user_id),
            None => write!(formatter, "{}", self.user_id),
        }
    }
}

impl FromStr for Account {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once('/') {
            Some((user_id, owner_id)) => Self {
                user_id: user_id.parse()?,
                owner_id: Some(owner_id.parse()?),
            },
            None => Self::alone(text.parse()?),
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
        };
        for (account, text) in [(bot, "57/12"), (Account::alone(12), "12")] {
            assert_eq!(account.to_string(), text);
            assert_eq!(text.parse(), Ok(account));
        }
        for text in ["", "x", "57/", "/12", "1/2/3"] {
            assert!(text.parse::<Account>().is_err(), "{text}");
        }
    }
}
