//! Apps: components that administrators install and that answer events with effects (docs/protocol/apps.md).
//!
//! An app acts as a bot and may do no more than its account. What happens is noted in `app_events`. The host claims an
//! event, computes outside of any transaction and reports the effects, which are made together with the end of the event
//! if nothing has changed that the computation depended on; else it computes again. So each event has its effects once.

mod change;
mod click;
mod fetch;
mod file;
mod install;
mod list;
mod log;
mod remove;
mod replace;
mod run;
mod signature;
mod webhook;

pub use change::{AppChange, update_app};
pub(crate) use change::{MOST_CHANNELS, MOST_HOSTS};
pub use click::click_button;
pub use fetch::{ClaimedFetch, FetchRequest, FinishedFetch, claim_app_fetches, finish_app_fetch};
pub use file::AppFile;
pub(crate) use install::{add_commands, check_commands};
pub use install::{check_new_app, install_app};
pub use list::{AppObject, find_app, installed_components, list_apps};
pub use log::{list_app_log, log_unusable_component};
pub use remove::{RemovedApp, remove_app};
pub use replace::{check_replacement, replace_component};
pub use run::{
    ClaimedRun, Committed, claim_app_event, commit_app_effects, fail_app_event, prolong_app_run,
};
pub use signature::{AppKeys, PrivateKey};
pub use webhook::{ReceivedCall, receive_app_call};

use spindle_domain::AppId;
use spindle_domain::policy::{Reason, may_administer_user};
pub use spindle_store::apps::InstalledComponent;
use spindle_store::{Db, apps};

use crate::account::manage_account::Change;
use crate::app_events::Installed;
use crate::{ActionError, Actor};

/// Finds an app of the organization, for administrators.
fn access_app(db: &dyn Db, actor: &Actor, app_id: AppId) -> Result<Installed, ActionError> {
    require_administrator(actor)?;
    let row = apps::by_id(db, actor.realm_id, app_id)?
        .ok_or_else(|| ActionError::bad_request("There is no such app"))?;
    Installed::of(row)
}

/// Finds an app that `actor` may change: one whose account they may administer, since the app acts as it.
fn access_to_change(
    change: &Change<'_, '_>,
    actor: &Actor,
    app_id: AppId,
) -> Result<Installed, ActionError> {
    let app = access_app(change.tx, actor, app_id)?;
    change.access(app.bot_id(), may_administer_user)?;
    Ok(app)
}

fn require_administrator(actor: &Actor) -> Result<(), ActionError> {
    if actor.role.is_admin() {
        Ok(())
    } else {
        Err(Reason::AdministratorRequired.into())
    }
}
