//! PATCH /navigation_views/{fragment} (docs/protocol/personal.md#edit_navigation_view).

use spindle_actions::personal::edit_navigation_view;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "edit-navigation-view",
    "/api/v1/navigation_views/{*fragment}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let fragment = call.path_text("fragment")?;
    let is_pinned = call.params.optional("is_pinned")?;
    let name = call.params.optional_text("name");
    let (db, actor) = (call.db()?, call.actor()?);
    edit_navigation_view(db, actor, call.now(), fragment, is_pinned, name)?;
    Ok(spindle_wire::Reply::empty().into())
}
