//! Terms about what a message holds and what it is to the caller.

use spindle_domain::narrow::{MessagePart, MessageScope, MessageState};
use spindle_store::messages::{flag, property};

use super::{Builder, require};

impl Builder<'_> {
    pub(super) fn state(&mut self, state: MessageState, negated: bool) {
        match state {
            MessageState::Dm => {
                require(&mut self.filter.direct, !negated, &mut self.nothing);
                if !negated {
                    self.scope.push("dm".into());
                }
            }
            MessageState::Starred => self.flag(flag::STARRED, negated),
            MessageState::Unread => self.flag(flag::READ, !negated),
            MessageState::Alerted => self.flag(flag::HAS_ALERT_WORD, negated),
            MessageState::Mentioned if negated => self.filter.flags_none |= flag::ANY_MENTION,
            MessageState::Mentioned => self.filter.flags_any |= flag::ANY_MENTION,
            MessageState::Resolved => {
                require(&mut self.filter.resolved, !negated, &mut self.nothing);
            }
            MessageState::Followed => {
                require(&mut self.filter.followed, !negated, &mut self.nothing);
            }
            MessageState::Muted => require(&mut self.filter.muted, !negated, &mut self.nothing),
        }
    }

    fn flag(&mut self, bit: i64, negated: bool) {
        if negated {
            self.filter.flags_none |= bit;
        } else {
            self.filter.flags_all |= bit;
        }
    }

    pub(super) fn part(&mut self, part: MessagePart, negated: bool) {
        let bit = match part {
            MessagePart::Link => property::HAS_LINK,
            MessagePart::Image => property::HAS_IMAGE,
            MessagePart::Attachment => property::HAS_ATTACHMENT,
            MessagePart::Reaction => {
                require(&mut self.filter.has_reaction, !negated, &mut self.nothing);
                return;
            }
        };
        if negated {
            self.filter.properties_none |= bit;
        } else {
            self.filter.properties_all |= bit;
        }
    }

    /// `in:home` is everything that is not muted.
    pub(super) fn within(&mut self, scope: MessageScope, negated: bool) {
        match scope {
            MessageScope::Home => require(&mut self.filter.muted, negated, &mut self.nothing),
            MessageScope::All => self.nothing |= negated,
        }
    }
}
