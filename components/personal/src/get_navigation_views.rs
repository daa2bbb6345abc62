//! GET /navigation_views (docs/protocol/personal.md#get_navigation_views).

use spindle_actions::personal::list_navigation_views;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-navigation-views",
    "/api/v1/navigation_views",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_navigation_views(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("navigation_views", list).into())
}
