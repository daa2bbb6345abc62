//! Resumable uploads (the tus protocol): splits the body of a PATCH into pieces for the component.
//!
//! Such a request gives the offset of its body, which may be as long as the rest of a file. The
//! component receives several requests instead, one after another, each with a piece that fits into
//! memory. The piece that was received before a disconnect is passed on too, so that the client can
//! resume after it. Keeps no state of uploads: the component reports the offset with each answer.

use super::app::{HostedComponent, Inner};
use super::body_reader::{self, BodyReader};
use super::call::Step;
use super::error::FrontError;
use super::observation::Observation;
use super::receive::MAX_ANONYMOUS_BODY;
use super::sender::Sender;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use spindle_admission::Class;
use spindle_wire::internal::headers::UPLOAD_OFFSET;

/// Bytes of one piece.
const PIECE: usize = 4 << 20;

const OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// The upload offset of a request whose body is to be split; `None` for other requests.
pub(super) fn offset_of(head: &Parts) -> Option<u64> {
    let text = |name| head.headers.get(name)?.to_str().ok();
    let verb = text(OVERRIDE).unwrap_or_default();
    let is_patch = head.method == Method::PATCH || (head.method == Method::POST && verb == "PATCH");
    let is_part = text(CONTENT_TYPE) == Some("application/offset+octet-stream");
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
    let is_small = length.is_some_and(|length| length <= MAX_ANONYMOUS_BODY);
    if !is_patch || !is_part || is_small {
        return None;
    }
    text(UPLOAD_OFFSET)?.parse().ok()
}

impl Inner {
    /// Passes the body on in pieces. Returns the answer to the last piece, or the first failure.
    pub(super) async fn serve_in_pieces<B>(
        &self,
        part: &HostedComponent,
        mut head: Parts,
        body: B,
        sender: &mut Sender,
        mut offset: u64,
        mut observed: Option<&mut Observation>,
    ) -> Result<Step, FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let window = self.limits.body_timeout;
        head.headers.remove(CONTENT_LENGTH);
        if sender.is_over {
            // The component refuses the request before it reads the body.
            body_reader::discard(body, window);
            let ticket = Some(self.ticket(sender.holder(), Class::Ordinary).await?);
            let called = self.call(part, head, Bytes::new(), ticket, observed);
            return Ok(called.await?.step);
        }
        if let Some(refusal) = self.prove(&head, sender).await? {
            body_reader::discard(body, window);
            return Ok(refusal);
        }
        let ticket = self.ticket(sender.holder(), Class::Transfer).await?;
        let mut reader = BodyReader::new(body, usize::MAX, window);
        loop {
            let held = ticket.hold_body(PIECE as u64).await?;
            reader.restart_window(window);
            let ended = reader.read_up_to(PIECE).await;
            let piece = reader.take();
            let length = piece.len() as u64;
            if let (Err(error), 0) = (&ended, length) {
                return Err(*error);
            }
            let mut head = head.clone();
            head.headers
                .insert(UPLOAD_OFFSET, HeaderValue::from(offset));
            let watching = observed.as_deref_mut();
            let called = self.call(part, head, piece, Some(ticket.clone()), watching);
            let step = called.await?.step;
            drop(held);
            if ended? {
                return Ok(step);
            }
            offset += length;
            if !is_at(&step, offset) {
                reader.discard_rest(window);
                return Ok(step);
            }
        }
    }
}

/// Whether the component reports that the upload continues at `offset`.
fn is_at(step: &Step, offset: u64) -> bool {
    let Step::Answered(answer) = step else {
        return false;
    };
    let there = answer.headers().get(UPLOAD_OFFSET);
    let there = there.and_then(|value| value.to_str().ok()?.parse().ok());
    answer.status() == StatusCode::NO_CONTENT && there == Some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn offset(method: &str, headers: &[(&str, &str)]) -> Option<u64> {
        let mut request = Request::builder().method(method).uri("/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        offset_of(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn parts_of_uploads_are_passed_on_in_pieces() {
        let part = ("content-type", "application/offset+octet-stream");
        let (at, long) = (("upload-offset", "7"), ("content-length", "100000000"));
        assert_eq!(offset("PATCH", &[part, at, long]), Some(7));
        assert_eq!(offset("PATCH", &[part, at]), Some(7));
        let patch = ("x-http-method-override", "PATCH");
        assert_eq!(offset("POST", &[part, at, long, patch]), Some(7));
        assert_eq!(offset("POST", &[part, at, long]), None);
        assert_eq!(offset("PATCH", &[at, long]), None);
        assert_eq!(offset("PATCH", &[part, long]), None);
        assert_eq!(
            offset("PATCH", &[part, ("upload-offset", "-7"), long]),
            None
        );
        let short = ("content-length", "1000");
        assert_eq!(offset("PATCH", &[part, at, short]), None);
    }
}
