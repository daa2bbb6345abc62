//! Uploads in parts (the tus protocol): the body of a PATCH that adds to an upload is passed on
//! piece by piece.
//!
//! Such a request says where its body begins, and may be as long as the rest of a file. In its place
//! the component gets several, one after another, each as long as the server holds at once. What has
//! arrived when a client is cut off is passed on too, so that the client goes on from there. Must
//! not know whose uploads there are, nor how far they are: the component says so with each piece.

use super::admission::{LONG_PATIENCE, MODEST, Sender};
use super::alone::For;
use super::app::{Inner, Part, Step};
use super::error::FrontError;
use super::observed::Observed;
use super::receiving::{self, Receiving};
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use spindle_wire::internal::headers::UPLOAD_OFFSET;

/// Bytes that are passed on at once.
const PIECE: usize = 4 << 20;

const OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// Where the body of a request begins in its upload, if it is one that is passed on in pieces.
pub(super) fn offset_of(head: &Parts) -> Option<u64> {
    let text = |name| head.headers.get(name)?.to_str().ok();
    let verb = text(OVERRIDE).unwrap_or_default();
    let is_patch = head.method == Method::PATCH || (head.method == Method::POST && verb == "PATCH");
    let is_part = text(CONTENT_TYPE) == Some("application/offset+octet-stream");
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
    let is_small = length.is_some_and(|length| length <= MODEST);
    if !is_patch || !is_part || is_small {
        return None;
    }
    text(UPLOAD_OFFSET)?.parse().ok()
}

impl Inner {
    /// Passes the body on; the answer is that to its last piece, or the first that is no success.
    pub(super) async fn serve_in_pieces<B>(
        &self,
        part: &Part,
        mut head: Parts,
        body: B,
        sender: &mut Sender,
        mut offset: u64,
        mut observed: Option<&mut Observed>,
    ) -> Result<Step, FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let window = self.limits.body_timeout;
        let holder = Some(sender.holder());
        let whom = || For { holder, turn: None };
        head.headers.remove(CONTENT_LENGTH);
        if sender.is_over {
            // The component refuses it before it looks at the body.
            receiving::throw_away(body, window);
            return Ok(self
                .call(part, head, Bytes::new(), whom(), observed)
                .await?
                .step);
        }
        if let Some(refusal) = self.prove(&head, sender).await? {
            receiving::throw_away(body, window);
            return Ok(refusal);
        }
        let mut receiving = Receiving::new(body, usize::MAX, window);
        loop {
            let room = self
                .budget
                .reserve(sender.holder(), PIECE as u64, LONG_PATIENCE);
            let held = room.await?;
            receiving.go_on(window);
            let ended = receiving.up_to(PIECE).await;
            let piece = receiving.take();
            let length = piece.len() as u64;
            if let (Err(error), 0) = (&ended, length) {
                return Err(*error);
            }
            let mut head = head.clone();
            head.headers
                .insert(UPLOAD_OFFSET, HeaderValue::from(offset));
            let turn = self.turns.take(sender.holder()).await?;
            let watching = observed.as_deref_mut();
            let called = self.call(part, head, piece, whom(), watching);
            let step = called.await?.step;
            drop((turn, held));
            if ended? {
                return Ok(step);
            }
            offset += length;
            if !is_at(&step, offset) {
                receiving.throw_away_rest(window);
                return Ok(step);
            }
        }
    }
}

/// Whether the upload goes on at `offset`.
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
