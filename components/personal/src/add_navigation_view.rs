//! POST /navigation_views (docs/protocol/personal.md#add_navigation_view).

use spindle_actions::personal::add_navigation_view;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-navigation-view",
    "/api/v1/navigation_views",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let fragment = params.required_text("fragment")?;
    if fragment.trim().is_empty() {
        return Err(spindle_wire::ApiError::bad_parameter("fragment", "must not be blank").into());
    }
    let is_pinned = params.required("is_pinned")?;
    let name = params.optional_text("name");
    let (db, actor) = (call.db()?, call.actor()?);
    add_navigation_view(db, actor, call.now(), fragment, is_pinned, name)?;
    Ok(spindle_wire::Reply::empty().into())
}
