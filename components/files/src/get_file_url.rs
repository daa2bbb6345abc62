//! GET /user_uploads/... below the API: a temporary URL of the file that works without credentials for a
//! minute.

use spindle_actions::files::temporary_file_path;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file-url",
    "/api/v1/user_uploads/{*path}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let path_id = call.path_text("path")?;
    let address = temporary_file_path(call.db()?, call.actor()?, call.now(), path_id)?;
    let reply = spindle_wire::Reply::empty().field("url", &address)?;
    Ok(reply.into())
}
