//! Calls to the application in the same process.

use bytes::Bytes;

use super::calls::{CallFailed, InternalCalls, body_of, request};
use crate::front::App;

/// Calls without a socket.
pub struct InProcessCalls {
    app: App,
    token: String,
}

impl InProcessCalls {
    /// `token` is the variable `internal_token` of the components.
    #[must_use]
    pub fn new(app: App, token: &str) -> Self {
        Self {
            app,
            token: token.to_owned(),
        }
    }
}

#[async_trait::async_trait]
impl InternalCalls for InProcessCalls {
    async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
        let mut request = request(path, &self.token, form)?;
        let host = http::HeaderValue::from_static("spindle.internal");
        request.headers_mut().insert(http::header::HOST, host);
        body_of(path, self.app.dispatch(request).await).await
    }
}
