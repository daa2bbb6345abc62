//! DELETE /navigation_views/{fragment} (docs/protocol/personal.md#remove_navigation_view).

use spindle_actions::personal::delete_navigation_view;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-navigation-view",
    "/api/v1/navigation_views/{*fragment}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let fragment = call.path_text("fragment")?;
    delete_navigation_view(call.db()?, call.actor()?, call.now(), fragment)?;
    Ok(spindle_wire::Reply::empty().into())
}
