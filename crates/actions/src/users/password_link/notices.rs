//! Notices about a password that was set with a link: to the person and to the owners, because such a link can be used
//! to take over the account.

use spindle_domain::limits::MAX_NOTIFIED_OWNERS;
use spindle_store::user_lists;
use spindle_store::users::UserRow;

use crate::access::who_sees::guests_without;
use crate::account::manage_account::Change;
use crate::channels::notices::named_for;
use crate::messages::Wording;
use crate::{ActionError, Actor};

/// Who has made a link.
pub(super) enum Maker {
    Operator,
    Person(Box<Actor>),
    /// The person asked for it and got it by mail.
    Mail,
}

/// Tells the person, and every other owner if another one has made the link.
pub(super) fn tell(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    maker: &Maker,
) -> Result<(), ActionError> {
    let hidden_from = match maker {
        Maker::Person(maker) => {
            guests_without(change.tx, change.realm_id, maker.user_id, maker.is_bot)?
        }
        Maker::Operator | Maker::Mail => Vec::new(),
    };
    let mut own = Wording::default();
    let who = maker_in(&mut own, maker, hidden_from.contains(&user.id));
    own.add(format!(
        "A new password of your account was set with a link from {who}. All browsers and clients were signed out, and \
         API keys were revoked. If you have not used such a link, tell an owner of the organization."
    ));
    change.notify(user.id, own)?;
    if matches!(maker, Maker::Mail) {
        return Ok(());
    }
    for owner in user_lists::active_owners(change.tx, change.realm_id, MAX_NOTIFIED_OWNERS)? {
        if owner == user.id {
            continue;
        }
        let mut wording = Wording::default();
        let whose = wording.person(&user.full_name, user.id);
        let who = maker_in(&mut wording, maker, false);
        wording.add(format!(
            "A new password of {whose} was set with a link from {who}."
        ));
        change.notify(owner, wording)?;
    }
    Ok(())
}

fn maker_in(wording: &mut Wording<'_>, maker: &Maker, is_hidden: bool) -> String {
    match maker {
        Maker::Person(maker) => named_for(wording, maker, is_hidden),
        Maker::Operator => "the operator of the server".to_owned(),
        Maker::Mail => "a mail to its address".to_owned(),
    }
}
