//! GET /user_uploads/{realm_id}/... below the API: an address of the file that works without
//! credentials for a minute.

use crate::get_file::path_id;
use spindle_actions::temporary_file_path;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file-url",
    "/api/v1/user_uploads/{realm_id}/{random}/{file_name}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let path = temporary_file_path(call.db()?, call.actor()?, call.now(), &path_id(call)?)?;
    let reply = spindle_wire::Reply::empty().field("url", &path)?;
    Ok(reply.into())
}
