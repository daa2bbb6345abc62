//! GET /avatar/{user_id}: the picture of a user.
//!
//! Owns the choice of picture. Every id has one, whether or not there is such a user, and ids
//! share a fixed number of pictures, so that asking for many fills no disk.

use crate::identicon;
use spindle_guest::{Blob, Call, Failure, Guard, Operation, Reply};

/// How many different pictures there are.
const PICTURES: u64 = 4096;
/// The address changes with the picture, so that it may be kept for ever.
const VERSIONED: &str = "public, max-age=31536000, immutable";
/// An address without a version may show another picture one day.
const UNVERSIONED: &str = "public, max-age=3600";

pub(crate) const OPERATION: Operation =
    Operation::get("get-avatar", "/avatar/{user_id}", Guard::Anonymous, run).exempt();

/// The larger form; a drawn picture has one size for both.
pub(crate) const OPERATION_MEDIUM: Operation = Operation::get(
    "get-avatar-medium",
    "/avatar/{user_id}/medium",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let version = call.params.optional_text("version");
    let picture = user_id.unsigned_abs() % PICTURES;
    Ok(Reply::Blob(Blob {
        key: format!("identicons/{picture}.png"),
        content_type: "image/png",
        cache_control: if version.is_some() {
            VERSIONED
        } else {
            UNVERSIONED
        },
        make: identicon::draw,
    }))
}
