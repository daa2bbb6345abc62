//! Calls to an application on the network: Spin, beside which `spindle events` runs.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::calls::{CallFailed, InternalCalls, body_of, request};

/// Longest time for one call.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls over HTTP.
#[derive(Debug)]
pub struct HttpCalls {
    client: Client<HttpConnector, Full<Bytes>>,
    base: String,
    token: String,
}

impl HttpCalls {
    /// `app_url` is where Spin listens, such as `http://127.0.0.1:3000`.
    #[must_use]
    pub fn new(app_url: &str, token: &str) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            base: app_url.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        }
    }
}

#[async_trait::async_trait]
impl InternalCalls for HttpCalls {
    async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
        let request = request(&format!("{}{path}", self.base), &self.token, form)?;
        let call = async {
            match self.client.request(request.map(Full::new)).await {
                Ok(answer) => body_of(path, answer).await,
                Err(error) if error.is_connect() => Err(CallFailed::Absent(self.base.clone())),
                Err(error) => Err(CallFailed::Unreachable(error.to_string())),
            }
        };
        match tokio::time::timeout(PATIENCE, call).await {
            Ok(outcome) => outcome,
            Err(_) => Err(CallFailed::Unreachable(format!("{path} does not answer"))),
        }
    }
}
