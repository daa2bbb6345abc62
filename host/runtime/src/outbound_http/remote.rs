//! Outgoing requests to other hosts.
//!
//! One shared client with a connection pool; every wait has a time limit.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::sync::OnceLock;
use std::time::Duration;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

fn client() -> &'static Client<HttpConnector, Full<Bytes>> {
    static CLIENT: OnceLock<Client<HttpConnector, Full<Bytes>>> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        Client::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .build(connector)
    })
}

pub(super) async fn send(
    request: http::Request<Bytes>,
    options: Option<RequestOptions>,
) -> Result<http::Response<WasiBody>, Error> {
    let limit = options
        .and_then(|options| options.first_byte_timeout)
        .map_or(ANSWER_TIMEOUT, |asked| asked.min(ANSWER_TIMEOUT));
    let sending = client().request(request.map(Full::new));
    match tokio::time::timeout(limit, sending).await {
        Ok(Ok(response)) => Ok(response.map(|body| body.map_err(Error::from).boxed_unsync())),
        Ok(Err(error)) if error.is_connect() => Err(Error::ConnectionRefused),
        Ok(Err(error)) => Err(Error::InternalError(Some(error.to_string()))),
        Err(_) => Err(Error::ConnectionReadTimeout),
    }
}
