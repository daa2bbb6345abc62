//! The kinds of mails: how many of each may be written, and how long each is worth sending.

use crate::limits::ADDRESS_CONFIRMATION_SECONDS;
use crate::{UserSetting, user_setting};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Seconds between later attempts.
const LONGEST_PAUSE: i64 = HOUR / 2;

/// A window of [`MailKind::bounds`], in seconds.
pub const MAIL_WINDOW_SECS: i64 = DAY;
/// Seconds for which a mail that was sent or given up is kept, for the operator.
pub const ENDED_MAIL_SECS: i64 = 7 * DAY;

/// Why a mail is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// An address was invited, or invited again.
    Invitation,
    /// An invitation ends soon.
    InvitationReminder,
    /// A person asked for a link that sets a new password.
    PasswordReset,
    /// A new password was set with a link.
    PasswordChanged,
    /// A person wants another address, which has to be confirmed.
    AddressConfirmation,
    /// An account has another address; goes to the former one.
    AddressChanged,
    /// A browser or client that the account did not have before has signed in.
    NewSignIn,
    /// Messages were not read for a while: direct ones, mentions, and in topics that the person follows.
    MissedMessages,
    /// What happened in a week, for a person who did not use the chat.
    Digest,
    /// The account got a second factor or recovery codes, or lost them.
    SecondFactorChanged,
}

/// Mails of a kind within [`MAIL_WINDOW_SECS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailBounds {
    /// To one account or address.
    pub for_recipient: i64,
    /// To all, and twenty times what one person may cause; none: as many as the recipients allow.
    pub for_organization: Option<i64>,
}

impl MailKind {
    /// Every kind; a new one goes to the end, since links that switch mails off name the position.
    pub const ALL: &[Self] = &[
        Self::Invitation,
        Self::InvitationReminder,
        Self::PasswordReset,
        Self::PasswordChanged,
        Self::AddressConfirmation,
        Self::AddressChanged,
        Self::NewSignIn,
        Self::MissedMessages,
        Self::Digest,
        Self::SecondFactorChanged,
    ];

    /// The name in the database, and of the templates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::InvitationReminder => "invitation_reminder",
            Self::PasswordReset => "password_reset",
            Self::PasswordChanged => "password_changed",
            Self::AddressConfirmation => "address_confirmation",
            Self::AddressChanged => "address_changed",
            Self::NewSignIn => "new_sign_in",
            Self::MissedMessages => "missed_messages",
            Self::Digest => "digest",
            Self::SecondFactorChanged => "second_factor_changed",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// How many may be written. Beyond it the cause happens without a mail.
    #[must_use]
    pub const fn bounds(self) -> MailBounds {
        let (for_recipient, for_organization) = match self {
            Self::Invitation => (5, Some(10_000)),
            Self::InvitationReminder => (2, Some(10_000)),
            // Includes the ones for addresses without an account, which send nothing.
            Self::PasswordReset => (5, Some(20_000)),
            Self::AddressConfirmation => (5, Some(5000)),
            Self::PasswordChanged
            | Self::AddressChanged
            | Self::NewSignIn
            | Self::SecondFactorChanged => (10, Some(5000)),
            Self::MissedMessages => (100, None),
            Self::Digest => (1, None),
        };
        MailBounds {
            for_recipient,
            for_organization,
        }
    }

    /// The settings that a person switches off to get no more of them; empty for mails that belong to an account and
    /// cannot be switched off.
    #[must_use]
    pub const fn switches(self) -> &'static [UserSetting] {
        match self {
            Self::MissedMessages => &[
                user_setting!("enable_offline_email_notifications"),
                user_setting!("enable_followed_topic_email_notifications"),
            ],
            Self::Digest => &[user_setting!("enable_digest_emails")],
            Self::NewSignIn => &[user_setting!("enable_login_emails")],
            _ => &[],
        }
    }

    /// How often sending is tried: for about three days, or as long as the link in the mail works.
    #[must_use]
    pub const fn most_attempts(self) -> i64 {
        match self {
            // 42 minutes.
            Self::PasswordReset => 5,
            Self::AddressConfirmation => ADDRESS_CONFIRMATION_SECONDS / LONGEST_PAUSE,
            _ => 3 * DAY / LONGEST_PAUSE,
        }
    }

    /// Seconds until a mail that was not taken is tried again: soon at first, later every half an hour. None when it is given
    /// up after `attempts`.
    #[must_use]
    pub const fn pause(self, attempts: i64) -> Option<i64> {
        if attempts >= self.most_attempts() {
            return None;
        }
        Some(match attempts {
            ..=1 => 30,
            2 => 120,
            3 => 600,
            _ => LONGEST_PAUSE,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::PASSWORD_RESET_SECONDS;

    #[test]
    fn names_are_read_back() {
        for kind in MailKind::ALL {
            assert_eq!(MailKind::by_name(kind.name()), Some(*kind));
        }
        assert_eq!(MailKind::by_name("spam"), None);
    }

    #[test]
    fn a_mail_is_tried_less_and_less_often_and_then_given_up() {
        let kind = MailKind::Invitation;
        let pauses: Vec<_> = (1..).map_while(|attempts| kind.pause(attempts)).collect();
        assert_eq!(pauses[..5], [30, 120, 600, 1800, 1800]);
        let days = pauses.iter().sum::<i64>() as f64 / DAY as f64;
        assert!((2.9..3.1).contains(&days), "{days}");
        // No link is dead when it comes.
        for (kind, lives) in [
            (MailKind::PasswordReset, PASSWORD_RESET_SECONDS),
            (MailKind::AddressConfirmation, ADDRESS_CONFIRMATION_SECONDS),
        ] {
            let tried: i64 = (1..).map_while(|attempts| kind.pause(attempts)).sum();
            assert!(tried < lives, "{kind:?}");
        }
    }
}
