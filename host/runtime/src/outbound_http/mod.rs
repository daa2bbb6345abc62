//! Outgoing HTTP of components, limited to what the manifest allows.
//!
//! Three kinds of targets: `self` and `<component>.spin.internal`, which the application answers
//! without a socket; origins that a service inside the host answers; and all other hosts, over plain
//! HTTP. TLS is not supported: such a request fails with an error that says so.

mod remote;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use spindle_admission::body::Body;
use spindle_manifest::AllowedHosts;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

/// Largest request body of a guest, in bytes.
const MAX_REQUEST: usize = 32 << 20;

/// A service that answers an origin (`http://127.0.0.1:7007`) inside the host.
#[async_trait::async_trait]
pub trait InternalService: Send + Sync + 'static {
    /// Answers one request; the URI is absolute, the body complete.
    async fn call(&self, request: http::Request<Bytes>) -> http::Response<Body>;
}

/// The application's interface for outgoing requests to itself.
#[async_trait::async_trait]
pub trait Dispatch: Send + Sync + 'static {
    /// Answers a request: with the named component, or by route.
    async fn dispatch_inside(
        &self,
        component: Option<&str>,
        request: http::Request<Bytes>,
    ) -> http::Response<Body>;
}

/// The targets inside the host, shared by all components.
#[derive(Default)]
pub struct Outside {
    /// Services inside the host by origin, `http://host:port`.
    pub services: HashMap<String, Arc<dyn InternalService>>,
    /// The application; set once it is complete.
    pub application: OnceLock<Weak<dyn Dispatch>>,
}

/// Outgoing HTTP of one component.
#[derive(Clone)]
pub struct OutboundHttp {
    allowed: Arc<AllowedHosts>,
    outside: Arc<Outside>,
}

type Sent = (
    http::Response<WasiBody>,
    Box<dyn Future<Output = Result<(), Error>> + Send>,
);

impl OutboundHttp {
    /// For a component that may reach `allowed`.
    pub fn new(allowed: Arc<AllowedHosts>, outside: Arc<Outside>) -> Self {
        Self { allowed, outside }
    }

    async fn send(
        self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
    ) -> Result<http::Response<WasiBody>, Error> {
        let target = Destination::of(request.uri()).ok_or(Error::HttpRequestUriInvalid)?;
        if !self
            .allowed
            .allows(&target.scheme, &target.host, target.port)
        {
            tracing::warn!(
                origin = target.origin(),
                "outgoing request not allowed by the manifest"
            );
            return Err(Error::HttpRequestDenied);
        }
        let (parts, body) = request.into_parts();
        let body = Limited::new(body, MAX_REQUEST).collect().await;
        let body = body
            .map_err(|_| Error::HttpRequestBodySize(None))?
            .to_bytes();
        let request = http::Request::from_parts(parts, body);
        if let Some(component) = target.component() {
            let application = self.outside.application.get().and_then(Weak::upgrade);
            let Some(application) = application else {
                return Err(Error::ConnectionRefused);
            };
            // A task of its own: an instance cannot be called on the task of another one.
            let component = component.map(str::to_owned);
            let dispatched = tokio::spawn(async move {
                let component = component.as_deref();
                application.dispatch_inside(component, request).await
            });
            let response = dispatched.await.map_err(|_| Error::ConnectionTerminated)?;
            return Ok(response.map(into_wasi));
        }
        if let Some(service) = self.outside.services.get(&target.origin()) {
            return Ok(service.call(request).await.map(into_wasi));
        }
        if target.scheme != "http" {
            let reason = "this host sends outgoing requests over plain http only";
            return Err(Error::InternalError(Some(reason.to_owned())));
        }
        remote::send(request, options).await
    }
}

impl WasiHttpHooks for OutboundHttp {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Sent, Error>> + Send> {
        let sending = self.clone().send(request, options);
        Box::new(async move {
            let response = sending.await?;
            let done: Box<dyn Future<Output = Result<(), Error>> + Send> =
                Box::new(std::future::ready(Ok(())));
            Ok((response, done))
        })
    }
}

fn into_wasi(body: Body) -> WasiBody {
    body.map_err(|error| Error::InternalError(Some(error.to_string())))
        .boxed_unsync()
}

/// The target of a request.
struct Destination {
    scheme: String,
    host: String,
    port: u16,
}

impl Destination {
    fn of(uri: &http::Uri) -> Option<Self> {
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let port = match (uri.port_u16(), scheme.as_str()) {
            (Some(port), _) => port,
            (None, "https") => 443,
            (None, _) => 80,
        };
        Some(Self {
            scheme,
            host: uri.host()?.to_ascii_lowercase(),
            port,
        })
    }

    fn origin(&self) -> String {
        format!("{}://{}:{}", self.scheme, self.host, self.port)
    }

    /// `Some(None)` for the application itself, `Some(Some(id))` for one of its
    /// components.
    fn component(&self) -> Option<Option<&str>> {
        if self.host == "self" {
            return Some(None);
        }
        self.host.strip_suffix(".spin.internal").map(Some)
    }
}
