//! Messages around an anchor (docs/protocol/messages.md#get_messages).
//!
//! First the narrow is turned into a filter (including what the caller may see), then ids are found
//! on both sides of the anchor, then all contents that fit into one answer are read together.

mod page;

pub(crate) use page::{parts, too_large};

use std::collections::HashMap;
use std::io;

use spindle_domain::limits::MAX_MESSAGES_PER_FETCH;
use spindle_domain::narrow::NarrowTerm;
use spindle_domain::{ChannelId, MessageId};
use spindle_store::message_pages::{self, Texts};
use spindle_store::messages::MessageRow;
use spindle_store::{Connection, Db, ReadTx, channel_facts, id_list};

use crate::access::hidden_senders::hide_senders;
use crate::messages::edit_history::Visibility;
use crate::messages::match_fields::match_fields;
use crate::messages::message_object::{MessageForm, MessageObject};
use crate::messages::narrow::{Anchor, History, Window, may_read_row, window};
use crate::messages::search::SearchQuery;
use crate::organization::linkifiers::TopicLinks;
use crate::{ActionError, Actor};

/// Which messages are wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// Messages around an anchor that pass a narrow.
    Around {
        /// Where to look.
        anchor: Anchor,
        /// Whether the message at the anchor is wanted.
        include_anchor: bool,
        /// Messages before the anchor.
        num_before: i64,
        /// Messages after the anchor.
        num_after: i64,
        /// All terms must hold.
        narrow: Vec<NarrowTerm>,
    },
    /// These messages, as far as the caller may read them (FL 300).
    Ids {
        /// At most as many as are read in one statement.
        ids: Vec<MessageId>,
        /// All terms must hold.
        narrow: Vec<NarrowTerm>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct FetchedMessages {
    /// Message objects, ascending by id, as a JSON list with room for an envelope.
    pub messages: String,
    /// What follows; `None` when ids were given.
    pub window: Option<Window>,
}

/// Reads messages in one snapshot.
///
/// # Errors
/// [`ActionError::BadRequest`] for numbers that are negative or too large, or an anchor that
/// is left out in the middle; `ClientError::BadNarrow`.
pub fn fetch_messages(
    db: &dyn Connection,
    actor: &Actor,
    selection: &Selection,
    form: &MessageForm<'_>,
) -> Result<FetchedMessages, ActionError> {
    let (anchor, include_anchor, num_before, num_after, narrow) = match selection {
        Selection::Ids { ids, narrow } => {
            if i64::try_from(ids.len()).unwrap_or(i64::MAX) > MAX_MESSAGES_PER_FETCH {
                return Err(too_many());
            }
            let ids: Vec<MessageId> = ids.to_vec();
            let tx = ReadTx::begin(db)?;
            let messages = if narrow.is_empty() {
                read_allowed(&tx, actor, ids, form)?
            } else {
                let history = History::new(&tx, actor, narrow)?;
                let ids = history.among(&tx, ids)?;
                let search = history.search.as_ref();
                let rows = read(&tx, actor, ids, form, search, |ids| {
                    page::check(&tx, &ids)?;
                    Ok(ids)
                })?;
                write(&tx, actor, rows, form, search, None)?
            };
            return Ok(FetchedMessages {
                messages,
                window: None,
            });
        }
        Selection::Around {
            anchor,
            include_anchor,
            num_before,
            num_after,
            narrow,
        } => (*anchor, *include_anchor, *num_before, *num_after, narrow),
    };
    check_numbers(include_anchor, num_before, num_after)?;
    let tx = ReadTx::begin(db)?;
    let history = History::new(&tx, actor, narrow)?;
    let (ids, mut window) = window(&tx, &history, anchor, include_anchor, num_before, num_after)?;
    let search = history.search.as_ref();
    let rows = read(&tx, actor, ids, form, search, |ids| {
        page::cut(&tx, ids, &mut window)
    })?;
    Ok(FetchedMessages {
        messages: write(&tx, actor, rows, form, search, Some(&mut window))?,
        window: Some(window),
    })
}

fn too_many() -> ActionError {
    ActionError::BadRequest(format!(
        "At most {MAX_MESSAGES_PER_FETCH} messages are read at once"
    ))
}

fn check_numbers(include_anchor: bool, num_before: i64, num_after: i64) -> Result<(), ActionError> {
    if num_before < 0 || num_after < 0 {
        let text = "num_before and num_after are numbers of messages, 0 or more";
        return Err(ActionError::bad_request(text));
    }
    if num_before.saturating_add(num_after) > MAX_MESSAGES_PER_FETCH {
        return Err(too_many());
    }
    if !include_anchor && num_before > 0 && num_after > 0 {
        let text = "The anchor can only be left out at the end of what is read";
        return Err(ActionError::bad_request(text));
    }
    Ok(())
}

/// The rows of `ids`; if they do not fit into one answer, only the ones that `cut` keeps.
fn read(
    db: &dyn Db,
    actor: &Actor,
    ids: Vec<MessageId>,
    form: &MessageForm<'_>,
    search: Option<&SearchQuery>,
    cut: impl FnOnce(Vec<MessageId>) -> Result<Vec<MessageId>, ActionError>,
) -> Result<Vec<MessageRow>, ActionError> {
    let texts = Texts {
        markdown: !form.apply_markdown,
        // Of a search, the hits in it are shown.
        html: form.apply_markdown || search.is_some(),
    };
    let rows = |ids: &[MessageId], room| {
        let ids = id_list(ids.iter().copied());
        message_pages::by_ids(db, actor.realm_id, actor.user_id, &ids, texts, room)
    };
    let all = rows(&ids, page::room(&ids))?;
    if !all.is_empty() || ids.is_empty() {
        return Ok(all);
    }
    Ok(rows(&cut(ids)?, None)?)
}

/// Writes message objects for one reader.
struct Objects<'a> {
    links: TopicLinks,
    form: &'a MessageForm<'a>,
    search: Option<&'a SearchQuery>,
}

impl Objects<'_> {
    const fn is_html(&self) -> bool {
        self.form.apply_markdown
    }

    fn write(&self, row: &MessageRow, out: &mut impl io::Write) -> Result<(), ActionError> {
        let found = self
            .search
            .map(|search| match_fields(search, row, self.form.empty_topic));
        let topic_links = self.links.text(&row.topic)?;
        let object = MessageObject::for_reader(row, self.form, &topic_links)?.with_match(found);
        serde_json::to_writer(out, &object)
            .map_err(|error| ActionError::Internal(error.to_string()))
    }
}

/// The rows as a JSON list of message objects.
fn write(
    db: &dyn Db,
    actor: &Actor,
    rows: Vec<MessageRow>,
    form: &MessageForm<'_>,
    search: Option<&SearchQuery>,
    window: Option<&mut Window>,
) -> Result<String, ActionError> {
    let links = TopicLinks::new(db, actor)?;
    let objects = Objects {
        links,
        form,
        search,
    };
    let mut rows = Visibility::of(actor).shown(db, actor, rows, form.empty_topic)?;
    hide_senders(db, actor, &mut rows)?;
    page::write(&rows, window, &objects)
}

/// Reads the messages among `ids` that the caller may read.
fn read_allowed(
    db: &dyn Db,
    actor: &Actor,
    ids: Vec<MessageId>,
    form: &MessageForm<'_>,
) -> Result<String, ActionError> {
    let mut found = page::Collected::default();
    for ids in parts(db, ids)? {
        found.add(allowed(db, actor, ids)?)?;
    }
    write(db, actor, found.into_rows(), form, None, None)
}

fn allowed(
    db: &dyn Db,
    actor: &Actor,
    ids: Vec<MessageId>,
) -> Result<Vec<MessageRow>, ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let rows = message_pages::by_ids(db, realm_id, user_id, &id_list(ids), Texts::ALL, None)?;
    let ids = id_list(rows.iter().filter_map(|row| row.channel_id));
    let channels: HashMap<ChannelId, _> =
        channel_facts::by_ids(db, realm_id, actor.member(), &ids)?
            .into_iter()
            .map(|row| (row.id, row))
            .collect();
    let may_read = |row: &MessageRow| {
        let channel = row.channel_id.and_then(|id| channels.get(&id));
        may_read_row(actor, row, channel)
    };
    Ok(rows.into_iter().filter(may_read).collect())
}
