//! Notifies the owners of the organization that apps are paused because the person responsible for them is gone.

use spindle_domain::limits::MAX_NOTIFIED_OWNERS;
use spindle_store::user_lists;
use spindle_store::users::UserRow;

use crate::ActionError;
use crate::account::manage_account::Change;
use crate::messages::Wording;

/// Apps that a notice names.
const NAMED: usize = 20;

/// Sends one notice about all active apps of a deactivated person, by their names, to every owner.
pub(super) fn notify_owners(
    change: &mut Change<'_, '_>,
    person: &UserRow,
    paused: &[String],
) -> Result<(), ActionError> {
    if paused.is_empty() {
        return Ok(());
    }
    for owner in user_lists::active_owners(change.tx, change.realm_id, MAX_NOTIFIED_OWNERS)? {
        let mut wording = Wording::default();
        let who = wording.person(&person.full_name, person.id);
        wording.add(text(&who, paused));
        change.notify(owner, wording)?;
    }
    Ok(())
}

/// Names of apps have no markup.
fn text(who: &str, paused: &[String]) -> String {
    let names = paused.iter().take(NAMED).map(|name| format!("`{name}`"));
    let mut names = names.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = paused.len().checked_sub(NAMED) {
        names.push_str(&format!(" and {more} more"));
    }
    let (apps, it) = match paused.len() {
        1 => ("This app is", "It belongs"),
        _ => ("These apps are", "Each belongs"),
    };
    format!(
        "{apps} paused, because the account of {who} is deactivated: {names}. {it} to the administrator who resumes it."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apps(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("app-{number}")).collect()
    }

    #[test]
    fn a_notice_names_some_apps_and_counts_the_rest() {
        assert_eq!(
            text("Ann", &apps(1)),
            "This app is paused, because the account of Ann is deactivated: `app-1`. It belongs to the administrator \
             who resumes it."
        );
        let two = text("Ann", &apps(2));
        assert!(two.contains(": `app-1`, `app-2`. Each"), "{two}");
        let many = text("Ann", &apps(200));
        assert!(many.contains("`app-20` and 180 more."), "{many}");
    }
}
