//! Validation of queue ids.

use spindle_domain::errors::ClientError;
use spindle_wire::{ApiError, Params};

/// Longer than any id that the server assigns.
const LONGEST: usize = 64;

/// The parameter `queue_id`. An id with characters that are not allowed in a UUID is refused here,
/// because ids are passed on in headers and URLs.
///
/// # Errors
/// REQUEST_VARIABLE_MISSING; BAD_EVENT_QUEUE_ID.
pub(crate) fn required<'p>(params: &'p Params<'_>) -> Result<&'p str, ApiError> {
    let id = params.required_text("queue_id")?;
    let is_possible = !id.is_empty()
        && id.len() <= LONGEST
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_possible {
        Ok(id)
    } else {
        Err(ClientError::BadEventQueueId {
            queue_id: id.to_owned(),
        }
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str) -> Result<String, ApiError> {
        let uri = format!("/api/v1/events?{query}");
        let request = http::Request::get(uri).body(Default::default()).unwrap();
        let params = Params::from_request(&request).unwrap();
        required(&params).map(str::to_owned)
    }

    #[test]
    fn only_what_can_be_an_id_passes() {
        let id = "8d6a3a4e-8e7c-4b6e-9f43-0a1b2c3d4e5f";
        assert_eq!(check(&format!("queue_id={id}")).unwrap(), id);
        let long = "a".repeat(LONGEST + 1);
        for impossible in ["", "a/../b", "a%0d%0ax-evil:1", "a%20b", "%C3%A9", &long] {
            let error = check(&format!("queue_id={impossible}")).unwrap_err();
            assert_eq!(
                error.code(),
                spindle_wire::Code::BadEventQueueId,
                "{impossible}"
            );
        }
        let missing = check("").unwrap_err();
        assert_eq!(missing.code(), spindle_wire::Code::RequestVariableMissing);
    }
}
