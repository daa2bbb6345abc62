//! Calls to the application in the same process.

use bytes::Bytes;

use super::calls::{CallFailed, InternalCalls, body_of, request};
use crate::front::App;
use crate::secret::ComponentTokens;

/// Calls without a socket.
pub struct InProcessCalls {
    app: App,
    tokens: ComponentTokens,
}

impl InProcessCalls {
    /// `tokens` are those of the components, their variables `internal_token`.
    #[must_use]
    pub fn new(app: App, tokens: ComponentTokens) -> Self {
        Self { app, tokens }
    }
}

#[async_trait::async_trait]
impl InternalCalls for InProcessCalls {
    async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
        let component = self.app.component_of(path).unwrap_or_default();
        let mut request = request(path, &self.tokens.of(component), form)?;
        let host = http::HeaderValue::from_static("spindle.internal");
        request.headers_mut().insert(http::header::HOST, host);
        body_of(path, self.app.dispatch(request).await).await
    }
}
