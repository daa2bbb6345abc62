//! The file of an upload: one component, with any field name.

use spindle_actions::ActionError;
use spindle_actions::apps::{AppFile, AppKeys};
use spindle_domain::apps::limits::COMPONENT_BYTES;
use spindle_guest::{Call, Failure, NewBlob};
use spindle_wire::ApiError;

/// The largest body of an upload, in bytes: the file and the multipart form around it.
pub(crate) const MAX_BODY: usize = COMPONENT_BYTES + (1 << 20);

/// Reads the file; the blob is to be stored.
///
/// # Errors
/// 400 unless the body has exactly one file, and that file is an app with a signature that the server trusts.
pub(crate) fn read(call: &Call<'_>) -> Result<(AppFile, NewBlob), Failure> {
    let file = match call.params.uploaded_files() {
        [file] => file,
        [] => return Err(ApiError::bad_request("The request must specify a file").into()),
        _ => return Err(ApiError::bad_request("Send one file at a time").into()),
    };
    // Without the operator's keys nothing is installed, rather than everything.
    let keys = AppKeys::parse(call.app_keys())
        .map_err(|error| ActionError::Internal(format!("the variable app_keys: {error}")))?;
    let app = AppFile::read(call.actor()?.realm_id, &file.content, &keys)?;
    let blob = NewBlob {
        key: app.blob_key.clone(),
        content_type: "application/wasm".to_owned(),
        content: file.content.clone(),
    };
    Ok((app, blob))
}
