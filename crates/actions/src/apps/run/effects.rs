//! One effect after the other, within the transaction that ends the event. An effect that is refused has changed nothing.

use spindle_domain::MessageId;
use spindle_domain::apps::{Effect, limits};
use spindle_domain::errors::ClientError;
use spindle_domain::limits::quotas::Quota;
use spindle_events::Event;
use spindle_store::apps::fetches;
use spindle_store::quotas;

use super::making::{Belongings, Making};
use super::messages::Prepared;
use crate::access::access_message::access_message_in_place;
use crate::app_events::write_log;
use crate::apps::fetch::check_fetch;
use crate::messages::{ReactionInput, add_reaction_in, remove_reaction_in};
use crate::{ActionError, quota};

impl Making<'_> {
    pub(super) fn make(
        &self,
        effect: &Effect,
        prepared: &Prepared,
    ) -> Result<Vec<Event>, ActionError> {
        match effect {
            Effect::Send(draft) => {
                let belongings = Belongings {
                    values: &draft.values,
                    ticks: &draft.ticks,
                };
                self.send(&draft.place, prepared, belongings)
            }
            Effect::Reply {
                only_for: Some(user_id),
                ..
            } => self.answer(*user_id, prepared),
            Effect::Reply { values, ticks, .. } => {
                self.reply(prepared, Belongings { values, ticks })
            }
            Effect::Edit { message_id, .. } => self.edit(*message_id, prepared),
            Effect::React {
                message_id,
                emoji,
                is_added,
            } => self.react(*message_id, emoji, *is_added),
            Effect::Store { scope, key, value } => {
                self.store(*scope, key, value.as_deref())?;
                Ok(Vec::new())
            }
            Effect::Schedule { scope, name, at } => {
                self.schedule(*scope, name, *at)?;
                Ok(Vec::new())
            }
            Effect::Fetch { .. } => {
                self.fetch(effect)?;
                Ok(Vec::new())
            }
            Effect::Log { text } => {
                write_log(self.tx, self.app.row.id, self.now, text)?;
                Ok(Vec::new())
            }
        }
    }

    /// A reaction that is there already, or is not, is no failure.
    fn react(
        &self,
        message_id: MessageId,
        emoji: &str,
        is_added: bool,
    ) -> Result<Vec<Event>, ActionError> {
        let message = access_message_in_place(self.tx, self.bot, message_id)?.message;
        self.check_channel(message.channel_id)?;
        let input = ReactionInput {
            emoji_name: Some(emoji.trim_matches(':').to_owned()),
            ..ReactionInput::default()
        };
        let made = if is_added {
            let count = quotas::count_reactions(self.tx, message_id, self.bot.user_id)?;
            quota::within(Quota::Reactions, count + 1)?;
            add_reaction_in(self.tx, self.bot, self.now, message_id, &input)
        } else {
            remove_reaction_in(self.tx, self.bot, self.now, message_id, &input)
        };
        match made {
            Err(ActionError::Client(
                ClientError::ReactionAlreadyExists | ClientError::ReactionDoesNotExist,
            )) => Ok(Vec::new()),
            made => made,
        }
    }

    /// Notes a request, which the host makes later.
    fn fetch(&self, effect: &Effect) -> Result<(), ActionError> {
        let Effect::Fetch { id, scope, .. } = effect else {
            return Ok(());
        };
        check_fetch(self.app, effect)?;
        let app_id = self.app.row.id;
        if fetches::count(self.tx, app_id)? >= limits::WAITING_FETCHES {
            return Err(ActionError::BadRequest(format!(
                "{} fetches of the app are waiting",
                limits::WAITING_FETCHES
            )));
        }
        let scope = scope.to_string();
        let of_scope = fetches::count_of_scope(self.tx, app_id, &scope)?;
        if of_scope >= limits::WAITING_FETCHES_OF_SCOPE {
            return Err(ActionError::BadRequest(format!(
                "{of_scope} fetches of this scope are waiting"
            )));
        }
        let body = serde_json::to_string(effect)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        fetches::insert(self.tx, app_id, &scope, id, &body, self.now)?;
        Ok(())
    }
}
