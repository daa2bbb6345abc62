//! Narrows: from their terms to the part of the history that they are about
//! (docs/protocol/narrow.md#operators), and windows of it.
//!
//! When the narrow names channels whose history the caller may read, all of it is searched, otherwise only messages
//! that were delivered to the caller. Messages that the caller may no longer read are always left out. Names of objects
//! that the caller may not see count as unknown.

mod channels;
mod people;
mod states;
mod window;

use spindle_domain::MessageId;
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::{NarrowFilter, NarrowTerm, contradicts_itself};
use spindle_store::message_windows::{self, Filter, Side};
use spindle_store::messages::MessageRow;
use spindle_store::{Db, Dialect, search_words};

use crate::access::access_message::access_message;
use crate::messages::search::SearchQuery;
use crate::{ActionError, Actor};

pub(crate) use channels::{may_read_row, unreadable_channels};
pub(crate) use window::window;
pub use window::{Anchor, Window};

/// A part of the history as one caller may read it.
pub(crate) struct History {
    filter: Filter,
    /// The words to search for, if any.
    pub(crate) search: Option<SearchQuery>,
}

impl History {
    /// The part that a narrow is about.
    ///
    /// # Errors
    /// [`ClientError::BadNarrow`].
    pub(crate) fn new(
        db: &dyn Db,
        actor: &Actor,
        narrow: &[NarrowTerm],
    ) -> Result<Self, ActionError> {
        Builder::new(db, actor).build(narrow)
    }

    /// As [`History::new`], of messages that were delivered to the caller only.
    ///
    /// # Errors
    /// [`ClientError::BadNarrow`].
    pub(crate) fn received(
        db: &dyn Db,
        actor: &Actor,
        narrow: &[NarrowTerm],
    ) -> Result<Self, ActionError> {
        let mut history = Self::new(db, actor, narrow)?;
        history.filter.is_received = true;
        Ok(history)
    }

    /// Those of these messages that belong to it, ascending.
    ///
    /// # Errors
    /// [`ActionError`] when the database fails.
    pub(crate) fn among(
        &self,
        db: &dyn Db,
        ids: Vec<MessageId>,
    ) -> Result<Vec<MessageId>, ActionError> {
        let limit = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        let mut filter = self.filter.clone();
        restrict(&mut filter.ids, ids);
        let ids = message_windows::ids(db, &filter, Side::After, MessageId(i64::MIN), limit)?;
        Ok(ids)
    }

    fn ids(
        &self,
        db: &dyn Db,
        side: Side,
        bound: MessageId,
        limit: i64,
    ) -> Result<Vec<MessageId>, ActionError> {
        let ids = message_windows::ids(db, &self.filter, side, bound, limit)?;
        Ok(ids)
    }
}

/// Collects the conditions of the terms.
struct Builder<'a> {
    db: &'a dyn Db,
    actor: &'a Actor,
    filter: Filter,
    /// The terms name one channel, which the caller may read.
    is_readable: bool,
    /// The terms exclude each other.
    nothing: bool,
    /// Tokens of the index that say where a search is made.
    scope: Vec<String>,
    search: Option<SearchQuery>,
    search_not: Vec<String>,
}

impl<'a> Builder<'a> {
    fn new(db: &'a dyn Db, actor: &'a Actor) -> Self {
        Self {
            db,
            actor,
            filter: Filter {
                user_id: actor.user_id,
                is_received: true,
                ..Filter::default()
            },
            is_readable: false,
            nothing: false,
            scope: Vec::new(),
            search: None,
            search_not: Vec::new(),
        }
    }

    fn build(mut self, narrow: &[NarrowTerm]) -> Result<History, ActionError> {
        let conversation = self.conversation_of(narrow)?;
        let replaces = conversation.is_some();
        let terms: Vec<&NarrowTerm> = narrow
            .iter()
            .filter(|term| !replaces || !names_conversation(term))
            .collect();
        if contradicts_itself(&terms.iter().copied().cloned().collect::<Vec<_>>()) {
            let text = "messages are in a channel or direct, never both";
            return Err(ClientError::BadNarrow { desc: text.into() }.into());
        }
        if let Some(row) = conversation {
            self.conversation(&row)?;
        }
        for term in terms {
            self.add(&term.filter, term.negated)?;
        }
        self.finish()
    }

    fn add(&mut self, filter: &NarrowFilter, negated: bool) -> Result<(), ActionError> {
        match filter {
            NarrowFilter::Channel(channel) => self.channel(channel, negated)?,
            NarrowFilter::Channels(kind) => self.channels(*kind, negated)?,
            NarrowFilter::Topic(topic) => self.topic(topic, negated),
            NarrowFilter::Sender(person) => self.sender(person, negated)?,
            NarrowFilter::Dm(people) => self.direct(people, negated)?,
            NarrowFilter::DmIncluding(people) => self.direct_including(people, negated)?,
            NarrowFilter::Is(state) => self.state(*state, negated),
            NarrowFilter::Has(part) => self.part(*part, negated),
            NarrowFilter::In(scope) => self.within(*scope, negated),
            NarrowFilter::Id(id) => self.id(*id, negated),
            // The first sets a client's focus, the second has been seen to.
            NarrowFilter::Near(_) | NarrowFilter::With(_) => {}
            NarrowFilter::Mentions(person) => self.mentions(person, negated)?,
            NarrowFilter::Search(text) => self.search(text, negated)?,
        }
        Ok(())
    }

    /// The message whose conversation `with` asks for. If the caller cannot read it, terms that name a conversation
    /// stand alone; without those the narrow would be about everything.
    fn conversation_of(&self, narrow: &[NarrowTerm]) -> Result<Option<MessageRow>, ActionError> {
        let bad = |desc: &str| Err(ClientError::BadNarrow { desc: desc.into() }.into());
        let with = |term: &&NarrowTerm| matches!(term.filter, NarrowFilter::With(_));
        let mut terms = narrow.iter().filter(with);
        let Some(term) = terms.next() else {
            return Ok(None);
        };
        if terms.next().is_some() {
            return bad("with can be given only once");
        }
        if term.negated {
            return bad("with cannot be negated");
        }
        let NarrowFilter::With(id) = term.filter else {
            return Ok(None);
        };
        match access_message(self.db, self.actor, id) {
            Ok(row) => Ok(Some(row)),
            Err(ActionError::Denied(_)) if is_a_conversation(narrow) => Ok(None),
            Err(ActionError::Denied(_)) => bad("the message of with does not exist"),
            Err(other) => Err(other),
        }
    }

    fn id(&mut self, id: MessageId, negated: bool) {
        if negated {
            self.filter.ids_not.push(id);
        } else {
            restrict(&mut self.filter.ids, vec![id]);
        }
    }

    fn search(&mut self, text: &str, negated: bool) -> Result<(), ActionError> {
        if negated {
            let query = SearchQuery::parse_negated(text)?;
            let dialect = self.db.dialect();
            self.search_not.extend(query.expression(dialect, &[]));
        } else {
            let query = SearchQuery::parse(text)?;
            self.nothing |= query.is_empty();
            self.search.get_or_insert_default().and(query);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<History, ActionError> {
        if !self.is_readable && self.filter.direct != Some(true) {
            self.leave_out_unreadable()?;
        }
        let filter = &self.filter;
        self.nothing |= filter.conversations.as_ref().is_some_and(Vec::is_empty)
            || filter.senders.as_ref().is_some_and(Vec::is_empty)
            || filter.channels.as_ref().is_some_and(Vec::is_empty);
        if self.nothing {
            self.filter.ids = Some(Vec::new());
        }
        let dialect = self.db.dialect();
        // PostgreSQL's index looks for prefixes itself.
        let lists_words = dialect == Dialect::Sqlite && !self.nothing;
        if let Some(query) = self.search.as_mut().filter(|_| lists_words) {
            let db = self.db;
            query.find_endings(|beginning, most| {
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                search_words::beginning_with(db, beginning, most)
            })?;
        }
        let search = self.search.as_ref();
        self.filter.search = search.and_then(|query| query.expression(dialect, &self.scope));
        if !self.search_not.is_empty() {
            self.filter.search_not = Some(SearchQuery::any(&self.search_not, dialect));
        }
        Ok(History {
            filter: self.filter,
            search: self.search,
        })
    }

    /// Channels that the caller has left and may no longer read.
    fn leave_out_unreadable(&mut self) -> Result<(), ActionError> {
        let ids = unreadable_channels(self.db, self.actor)?;
        self.filter.channels_not.extend(ids);
        Ok(())
    }
}

/// Whether `with` takes the term's place.
fn names_conversation(term: &NarrowTerm) -> bool {
    let names = matches!(
        term.filter,
        NarrowFilter::Channel(_) | NarrowFilter::Topic(_) | NarrowFilter::Dm(_)
    );
    names && !term.negated
}

/// Whether the terms name one conversation: people, or a channel and a topic.
fn is_a_conversation(narrow: &[NarrowTerm]) -> bool {
    let has = |holds: fn(&NarrowFilter) -> bool| {
        let names = |term: &NarrowTerm| !term.negated && holds(&term.filter);
        narrow.iter().any(names)
    };
    has(|filter| matches!(filter, NarrowFilter::Dm(_)))
        || has(|filter| matches!(filter, NarrowFilter::Channel(_)))
            && has(|filter| matches!(filter, NarrowFilter::Topic(_)))
}

/// Asks for `wanted`; nothing fulfils that and its opposite.
fn require(condition: &mut Option<bool>, wanted: bool, nothing: &mut bool) {
    *nothing |= *condition == Some(!wanted);
    *condition = Some(wanted);
}

/// The values that both allow.
fn restrict<Id: PartialEq>(known: &mut Option<Vec<Id>>, allowed: Vec<Id>) {
    match known {
        Some(known) => known.retain(|id| allowed.contains(id)),
        None => *known = Some(allowed),
    }
}
