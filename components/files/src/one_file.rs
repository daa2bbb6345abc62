//! The file of a multipart upload: exactly one, with any field name, within the size limit.

use spindle_guest::Call;
use spindle_wire::{ApiError, UploadedFile};

/// Allowance for the rest of a multipart body, in bytes.
const OVERHEAD: usize = 1 << 20;

/// The largest body of an upload of up to `mib` MiB, in bytes.
pub(crate) const fn body_limit(mib: i64) -> usize {
    ((mib as usize) << 20) + OVERHEAD
}

/// The only file of the request.
///
/// # Errors
/// 400 when there is none or more than one, or when it is larger than `mib` MiB.
pub(crate) fn one_file<'c>(call: &'c Call<'_>, mib: i64) -> Result<&'c UploadedFile, ApiError> {
    let file = match call.params.uploaded_files() {
        [file] => file,
        // Clients match this text.
        [] => return Err(ApiError::bad_request("The request must specify a file")),
        _ => return Err(ApiError::bad_request("Send one file at a time")),
    };
    let limit = usize::try_from(mib).unwrap_or(0) << 20;
    if file.content.len() > limit {
        return Err(ApiError::bad_request(format!(
            "The file can have {mib} MiB at most"
        )));
    }
    Ok(file)
}
