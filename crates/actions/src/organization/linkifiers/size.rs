//! Bounds the memory of the compiled linkifiers, which every instance that sends or reads messages holds
//! (docs/protocol/linkifiers.md#add_linkifier).

use std::cell::RefCell;
use std::collections::HashMap;

use spindle_domain::RealmId;
use spindle_domain::limits::MAX_LINKIFIERS_SIZE;
use spindle_markup::Linkifier;
use spindle_store::linkifiers::{self, LinkifierRow};
use spindle_store::{Db, DbError};

use super::check::WHOLE;
use crate::ActionError;

/// Budget for rendering. It exceeds the budget for new lists because a pattern takes up to a fifth more memory in the
/// native program than in a component; so an accepted list always fits.
const MOST_HELD: usize = MAX_LINKIFIERS_SIZE / 4 * 5;

/// The linkifiers that fit, in order.
pub(super) struct Held {
    pub(super) linkifiers: Vec<Linkifier>,
    /// Number of linkifiers at the end of the list that did not fit.
    pub(super) left_out: usize,
}

/// Number of linkifiers at the end of the list that exceed the budget and are skipped.
pub(crate) fn linkifiers_left_out(list: &[(String, String)]) -> usize {
    held(list).left_out
}

/// Compiles patterns and templates in order until the budget for rendering is used up.
pub(super) fn held(list: &[(String, String)]) -> Held {
    let (mut linkifiers, mut size) = (Vec::new(), 0);
    for (index, (pattern, template)) in list.iter().enumerate() {
        // A stored pattern may fail under limits that became stricter.
        let Ok(linkifier) = Linkifier::of_checked(pattern, template) else {
            continue;
        };
        size += linkifier.size();
        if size > MOST_HELD {
            let left_out = list.len() - index;
            return Held {
                linkifiers,
                left_out,
            };
        }
        linkifiers.push(linkifier);
    }
    Held {
        linkifiers,
        left_out: 0,
    }
}

/// Sizes of compiled patterns, computed before the transaction, because compiling is slow.
#[derive(Debug, Default)]
pub(crate) struct Sizes(RefCell<HashMap<String, usize>>);

impl Sizes {
    /// Sizes of the current list.
    pub(super) fn of_list(db: &dyn Db, realm_id: RealmId) -> Result<Self, DbError> {
        let sizes = Self::default();
        sizes.exceed(&linkifiers::list(db, realm_id)?.linkifiers);
        Ok(sizes)
    }

    /// Refuses a change that leaves the list above its budget, unless it makes the list smaller (`new` replaces a
    /// larger `old`).
    pub(super) fn check(
        &self,
        db: &dyn Db,
        realm_id: RealmId,
        new: &LinkifierRow,
        old: Option<&LinkifierRow>,
    ) -> Result<(), ActionError> {
        if old.is_some_and(|old| self.of(&new.pattern) <= self.of(&old.pattern)) {
            return Ok(());
        }
        if !self.exceed(&linkifiers::list(db, realm_id)?.linkifiers) {
            return Ok(());
        }
        let mebibytes = MAX_LINKIFIERS_SIZE >> 20;
        let text = format!(
            "The patterns of all linkifiers together take at most {mebibytes} MiB when they are compiled; write [A-Za-z0-9] \
             instead of \\w, [0-9] instead of \\d, and + instead of a bounded repetition"
        );
        Err(ActionError::invalid(WHOLE, text))
    }

    /// Returns true if the patterns exceed the budget.
    fn exceed(&self, list: &[(String, String)]) -> bool {
        let mut size = 0;
        list.iter().any(|(pattern, _)| {
            size += self.of(pattern);
            size > MAX_LINKIFIERS_SIZE
        })
    }

    /// The size of one compiled pattern; 0 if it does not compile.
    pub(crate) fn of(&self, pattern: &str) -> usize {
        if let Some(size) = self.0.borrow().get(pattern) {
            return *size;
        }
        let size = Linkifier::of_checked(pattern, "").map_or(0, |linkifier| linkifier.size());
        self.0.borrow_mut().insert(pattern.to_owned(), size);
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize, pattern: impl Fn(usize) -> String) -> Vec<(String, String)> {
        (0..count)
            .map(|number| (pattern(number), "https://x.example/{id}".to_owned()))
            .collect()
    }

    #[test]
    fn a_full_list_of_plain_patterns_fits() {
        let list = list(500, |number| format!("[A-Z]+{number}-(?P<id>[0-9]+)"));
        assert!(!Sizes::default().exceed(&list));
        let held = held(&list);
        assert_eq!((held.linkifiers.len(), held.left_out), (500, 0));
    }

    #[test]
    fn of_large_patterns_the_first_are_held() {
        let list = list(63, |number| format!(r"K{number}(?P<id>\w{{1,20}})"));
        assert!(Sizes::default().exceed(&list));
        let held = held(&list);
        assert!(held.linkifiers.len() >= 3, "{}", held.linkifiers.len());
        assert_eq!(held.linkifiers.len() + held.left_out, 63);
        let size: usize = held.linkifiers.iter().map(Linkifier::size).sum();
        assert!(size <= MOST_HELD, "{size}");
    }
}
