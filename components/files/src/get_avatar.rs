//! GET /avatar/{user_id}: the avatar of a user.
//!
//! Owns the choice of image. Callers without an account get a generated image for every id, whether or not
//! the user exists or has uploaded an avatar; ids share a fixed number of images, so that requests for many
//! ids do not fill the disk. Callers with an account are redirected to the actual avatar.

use spindle_domain::UserId;

use crate::identicon;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use spindle_actions::users::find_avatar_path;
use spindle_guest::{Blob, Call, Failure, Guard, Operation, Reply};

/// Number of different generated images.
const PICTURES: u64 = 4096;
/// The URL changes with the image, so that it can be cached forever.
const VERSIONED: &str = "public, max-age=31536000, immutable";
/// The image depends on whether the caller is signed in.
const VARY: &[(&str, &str)] = &[("vary", "Authorization, Cookie")];
/// A URL without a version may later refer to another image.
const UNVERSIONED: &str = "public, max-age=3600";

pub(crate) const OPERATION: Operation =
    Operation::get("get-avatar", "/avatar/{user_id}", Guard::OptionalAuth, run)
        .exempt()
        .shown_in_pages()
        .with_headers(VARY);

/// The larger version; a generated image has one size for both.
pub(crate) const OPERATION_MEDIUM: Operation = Operation::get(
    "get-avatar-medium",
    "/avatar/{user_id}/medium",
    Guard::OptionalAuth,
    run_medium,
)
.exempt()
.shown_in_pages()
.with_headers(VARY);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    avatar(call, false)
}

fn run_medium(call: &Call<'_>) -> Result<Reply, Failure> {
    avatar(call, true)
}

fn avatar(call: &Call<'_>, medium: bool) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let version = call.params.optional_text("version");
    if let Some(actor) = call.optional_actor()
        && let Some(path) = find_avatar_path(call.db()?, actor, user_id, medium)?
    {
        return Reply::redirect(&path);
    }
    let picture = user_id.get().unsigned_abs() % PICTURES;
    let cache_control = if version.is_some() {
        VERSIONED
    } else {
        UNVERSIONED
    };
    let headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (CACHE_CONTROL, HeaderValue::from_static(cache_control)),
    ]);
    Ok(Reply::Blob(Blob {
        key: format!("identicons/{picture}.png"),
        headers,
        make: Some(identicon::draw),
    }))
}
