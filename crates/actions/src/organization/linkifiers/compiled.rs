//! The compiled linkifiers, kept between requests.
//!
//! Compiling many patterns takes longer than most requests. An instance keeps the list that it
//! compiled last; the version that authentication reads along says whether it is still right.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use spindle_markup::{Context, Directory, Linkifier, SearchBudget};
use spindle_store::{Db, DbError, linkifiers};

use super::size::held;
use crate::{ActionError, Actor};

/// The newest list that was compiled here, with its version.
static CACHE: Mutex<Option<(String, Arc<[Linkifier]>)>> = Mutex::new(None);

/// The organization's linkifiers in their order. Costs a statement and the compilation only
/// when the list has changed.
pub(crate) fn compiled(db: &dyn Db, actor: &Actor) -> Result<Arc<[Linkifier]>, DbError> {
    if actor.linkifiers_version.is_empty() {
        return Ok(Arc::new([]));
    }
    let lock = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((version, list)) = lock().as_ref()
        && *version == actor.linkifiers_version
    {
        return Ok(Arc::clone(list));
    }
    let stored = linkifiers::list(db, actor.realm_id)?;
    let list: Arc<[Linkifier]> = held(&stored.linkifiers).linkifiers.into();
    *lock() = Some((stored.version, Arc::clone(&list)));
    Ok(list)
}

/// Finds the links of topics (`topic_links`), each topic once.
pub(crate) struct TopicLinks {
    linkifiers: Arc<[Linkifier]>,
    budget: RefCell<SearchBudget>,
    /// As JSON text.
    found: RefCell<HashMap<String, Rc<RawValue>>>,
}

impl TopicLinks {
    /// With the linkifiers of the organization.
    pub(crate) fn new(db: &dyn Db, actor: &Actor) -> Result<Self, DbError> {
        Ok(Self {
            linkifiers: compiled(db, actor)?,
            budget: RefCell::default(),
            found: RefCell::default(),
        })
    }

    /// The links of one topic as `[{text, url}]`, as JSON text.
    pub(crate) fn text(&self, topic: &str) -> Result<Rc<RawValue>, ActionError> {
        if let Some(links) = self.found.borrow().get(topic) {
            return Ok(Rc::clone(links));
        }
        let links = serde_json::value::to_raw_value(&self.of(topic));
        let links: Rc<RawValue> = links
            .map_err(|error| ActionError::Internal(error.to_string()))?
            .into();
        self.found
            .borrow_mut()
            .insert(topic.to_owned(), Rc::clone(&links));
        Ok(links)
    }

    /// The links of one topic as `[{text, url}]`.
    pub(crate) fn of(&self, topic: &str) -> Value {
        if topic.is_empty() {
            return json!([]);
        }
        let directory = Directory::new();
        let context = Context {
            linkifiers: &self.linkifiers,
            ..Context::new(&directory, "")
        };
        spindle_markup::render_topic_links(topic, &context, &mut self.budget.borrow_mut())
            .into_iter()
            .map(|link| json!({"text": link.text, "url": link.url}))
            .collect()
    }
}
