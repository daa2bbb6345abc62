//! GET /web/{version}/...: the modules and styles of the web client.
//!
//! The version is made of their content, so a browser keeps them for good. Those of another version are
//! not here: a tab that asks for them has to load the page anew.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

use crate::{client, file};

/// The first module, and what runs apart from it.
pub(crate) const AT_THE_TOP: Operation = Operation::get(
    "get-client-module",
    "/web/{version}/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

/// Everything else.
pub(crate) const IN_A_FOLDER: Operation = Operation::get(
    "get-client-file",
    "/web/{version}/{folder}/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

/// What has a folder of its own within one.
pub(crate) const IN_A_FOLDER_BELOW: Operation = Operation::get(
    "get-client-file-below",
    "/web/{version}/{folder}/{part}/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    if call.path_text("version")? != client::VERSION {
        return Err(ApiError::no_such_route().into());
    }
    let parts = [call.path_text("folder"), call.path_text("part")];
    let mut wanted: String = parts
        .into_iter()
        .flatten()
        .map(|part| format!("{part}/"))
        .collect();
    wanted.push_str(call.path_text("file")?);
    let found = client::FILES.iter().find(|file| file.path == wanted);
    let found = found.ok_or_else(ApiError::no_such_route)?;
    Ok(file::send_kept(call, found))
}
