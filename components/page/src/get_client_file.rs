//! GET /web/{version}/...: the modules and styles of the web client.
//!
//! The version is a digest of their content, so browsers cache them forever. Files of other versions do not
//! exist here: a tab that requests them must reload the page.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

use crate::{client, file};

/// The main module and the worker.
pub(crate) const AT_THE_TOP: Operation = Operation::get(
    "get-client-module",
    "/web/{version}/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

/// All other files.
pub(crate) const IN_A_FOLDER: Operation = Operation::get(
    "get-client-file",
    "/web/{version}/{folder}/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

/// Files in nested directories.
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
