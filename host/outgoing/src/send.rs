//! One call to a service.
//!
//! The connection goes to the address that was checked, not to a name that could resolve to another
//! one a moment later. Redirects are not followed, since their target is unchecked.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderName, HeaderValue, Method};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::AddressGuard;

/// The value of the header `User-Agent`.
const OWN_NAME: &str = "spindle";
/// Time limit of a call.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 10;
/// Most bytes of the head of an answer.
const MAX_HEAD: usize = 64 << 10;

/// Most names that are resolved concurrently. Each occupies a thread until the system's resolver
/// returns, which may be after the call's time limit.
static LOOKUPS: Semaphore = Semaphore::const_new(32);
/// The same for addresses chosen by the operator, so that names chosen by users do not delay them.
static LOOKUPS_OF_OPERATOR: Semaphore = Semaphore::const_new(4);

/// The request of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCall {
    /// http or https.
    pub url: String,
    /// Type of the body.
    pub content_type: String,
    /// Further headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: String,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Body; bytes that are not UTF-8 are replaced.
    pub body: String,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The address is not an http or https URL.
    #[error("the address cannot be called")]
    Address,
    /// The name does not exist.
    #[error("the host is not known")]
    UnknownHost,
    /// The host has no address that may be called.
    #[error("the host is not on the open Internet, and its network is not allowed")]
    Forbidden,
    /// Connecting, sending or reading has failed.
    #[error("{0}")]
    Broken(String),
    /// It took too long.
    #[error("the service did not answer in time")]
    Slow,
}

/// Makes one call.
///
/// # Errors
/// [`Failure`] when there is no answer. An answer with an error status is `Ok`.
pub async fn call(guard: &AddressGuard, call: &ServiceCall) -> Result<Answer, Failure> {
    let mut request = http::Request::post(call.url.as_str())
        .header(CONTENT_TYPE, &call.content_type)
        .body(Bytes::from(call.body.clone()))
        .map_err(|_| Failure::Address)?;
    request.headers_mut().extend(call.headers.iter().cloned());
    let rules = CallRules {
        guard,
        timeout: TIMEOUT,
        max_answer: MAX_ANSWER,
        tls: None,
    };
    let answer = send(request, &rules).await?;
    Ok(Answer {
        status: answer.status().as_u16(),
        body: String::from_utf8_lossy(answer.body()).into_owned(),
    })
}

/// The limits of a request.
#[derive(Clone, Debug)]
pub struct CallRules<'a> {
    pub guard: &'a AddressGuard,
    /// From the resolution of the name to the last byte of the answer.
    pub timeout: Duration,
    /// Most bytes of the answer.
    pub max_answer: usize,
    /// The certificates that are trusted; with `None`, those that browsers trust.
    pub tls: Option<Arc<ClientConfig>>,
}

/// Sends one request, whose target is an http or https URL.
///
/// # Errors
/// [`Failure`] when there is no answer. An answer with an error status, or a redirect, is `Ok`.
pub async fn send(
    request: http::Request<Bytes>,
    rules: &CallRules<'_>,
) -> Result<http::Response<Bytes>, Failure> {
    match tokio::time::timeout(rules.timeout, answer(request, rules)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::Slow),
    }
}

async fn answer(
    request: http::Request<Bytes>,
    rules: &CallRules<'_>,
) -> Result<http::Response<Bytes>, Failure> {
    let uri = request.uri();
    let host = uri.host().ok_or(Failure::Address)?;
    let is_secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err(Failure::Address),
    };
    let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let bare = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    let request = to_server(request)?;
    let stream = connect(rules.guard, &bare, port).await?;
    if is_secure {
        let name = ServerName::try_from(bare).map_err(|_| Failure::Address)?;
        let tls = match &rules.tls {
            Some(tls) => Arc::clone(tls),
            None => tls()?,
        };
        let connecting = TlsConnector::from(tls).connect(name, stream);
        exchange(connecting.await.map_err(broken)?, request, rules.max_answer).await
    } else {
        exchange(stream, request, rules.max_answer).await
    }
}

/// Connects to the first allowed address of the host that accepts.
async fn connect(guard: &AddressGuard, host: &str, port: u16) -> Result<TcpStream, Failure> {
    let mut last = Failure::Forbidden;
    for address in look_up(guard, host, port).await? {
        if !guard.admits(address.ip()) {
            continue;
        }
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = broken(error),
        }
    }
    Err(last)
}

/// Resolves the host; returns at least one address.
async fn look_up(guard: &AddressGuard, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let lookups = if guard.is_for_operator() {
        &LOOKUPS_OF_OPERATOR
    } else {
        &LOOKUPS
    };
    let permit = lookups.acquire().await.map_err(broken)?;
    let host = host.to_owned();
    let looking = tokio::task::spawn_blocking(move || {
        let found = (host.as_str(), port).to_socket_addrs();
        // Held until the thread ends, even after the call was cancelled.
        drop(permit);
        found.map(Vec::from_iter)
    });
    match looking.await {
        Ok(Ok(found)) if !found.is_empty() => Ok(found),
        _ => Err(Failure::UnknownHost),
    }
}

/// The request as its server gets it: with a path as the target, and the headers that depend on the URL.
fn to_server(request: http::Request<Bytes>) -> Result<http::Request<Full<Bytes>>, Failure> {
    let (mut head, body) = request.into_parts();
    let authority = head.uri.authority().ok_or(Failure::Address)?.as_str();
    // Credentials in a URL are not for the server's name.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = HeaderValue::from_str(host).map_err(|_| Failure::Address)?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    head.uri = path.parse().map_err(|_| Failure::Address)?;
    head.headers.insert(HOST, host);
    head.headers
        .insert(USER_AGENT, HeaderValue::from_static(OWN_NAME));
    if head.method != Method::GET {
        head.headers
            .insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    Ok(http::Request::from_parts(head, Full::new(body)))
}

async fn exchange<S>(
    stream: S,
    request: http::Request<Full<Bytes>>,
    max_answer: usize,
) -> Result<http::Response<Bytes>, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handshake = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .handshake(TokioIo::new(stream))
        .await;
    let (mut sender, connection) = handshake.map_err(broken)?;
    // Ends when `sender` is dropped, at the latest at the time limit.
    let connection = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(broken)?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, max_answer).collect().await;
        let body = body.map_err(|error| Failure::Broken(error.to_string()))?;
        Ok(http::Response::from_parts(head, body.to_bytes()))
    }
    .await;
    connection.abort();
    outcome
}

/// The certificates that browsers trust.
pub fn tls() -> Result<Arc<ClientConfig>, Failure> {
    static CONFIG: OnceLock<Option<Arc<ClientConfig>>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().ok()?;
        Some(Arc::new(
            builder.with_root_certificates(roots).with_no_client_auth(),
        ))
    });
    let config = config.clone();
    config.ok_or_else(|| Failure::Broken("TLS is not available".to_owned()))
}

/// Trusts servers whose certificates end in `root` (PEM).
pub fn trusting(root: &str) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(root.as_bytes()) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() {
        return Err("there is no certificate in the text".to_owned());
    }
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    fn to(url: String) -> ServiceCall {
        ServiceCall {
            url,
            content_type: "application/json".to_owned(),
            headers: vec![(
                HeaderName::from_static("x-own"),
                HeaderValue::from_static("yes"),
            )],
            body: "{}".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_service_answers_when_its_network_is_allowed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?x=1", listener.local_addr().unwrap());
        let closed = call(&AddressGuard::default(), &to(url.clone())).await;
        assert!(matches!(closed, Err(Failure::Forbidden)));
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 4096];
            let length = stream.read(&mut seen).await.unwrap();
            let answer =
                b"HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 2\r\n\r\nok";
            stream.write_all(answer).await.unwrap();
            String::from_utf8_lossy(&seen[..length]).into_owned()
        });
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]);
        let answer = call(&guard, &to(url)).await.unwrap();
        assert_eq!((answer.status, answer.body.as_str()), (302, "ok"));
        let seen = server.await.unwrap();
        assert!(seen.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{seen}");
        assert!(seen.contains("x-own: yes\r\n"), "{seen}");
        assert!(seen.ends_with("{}"), "{seen}");
    }

    #[tokio::test]
    async fn a_request_of_any_kind_is_sent_and_its_answer_bounded() {
        let guard = AddressGuard::open();
        for (max_answer, is_read) in [(2, true), (1, false)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://user:word@{}", listener.local_addr().unwrap());
            let host = listener.local_addr().unwrap().to_string();
            let server = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut seen = vec![0; 4096];
                let length = stream.read(&mut seen).await.unwrap();
                let answer = b"HTTP/1.1 200 OK\r\nx-own: yes\r\ncontent-length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
                String::from_utf8_lossy(&seen[..length]).into_owned()
            });
            let rules = CallRules {
                guard: &guard,
                timeout: TIMEOUT,
                max_answer,
                tls: None,
            };
            let request = http::Request::get(&url).body(Bytes::new()).unwrap();
            match (send(request, &rules).await, is_read) {
                (Ok(answer), true) => {
                    assert_eq!(answer.headers()["x-own"], "yes");
                    assert_eq!(answer.body(), "ok");
                }
                (Err(Failure::Broken(_)), false) => {}
                (outcome, _) => panic!("{outcome:?}"),
            }
            let seen = server.await.unwrap();
            assert!(seen.starts_with("GET / HTTP/1.1\r\n"), "{seen}");
            assert!(seen.contains(&format!("host: {host}\r\n")), "{seen}");
        }
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_left() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let rules = CallRules {
            guard: &AddressGuard::open(),
            timeout: Duration::from_millis(50),
            max_answer: MAX_ANSWER,
            tls: None,
        };
        let request = http::Request::get(&url).body(Bytes::new()).unwrap();
        assert!(matches!(send(request, &rules).await, Err(Failure::Slow)));
    }

    #[tokio::test]
    async fn what_is_no_url_is_not_called() {
        let guard = AddressGuard::default();
        for url in ["", "ftp://example.org", "/x"] {
            let outcome = call(&guard, &to(url.to_owned())).await;
            assert!(matches!(outcome, Err(Failure::Address)), "{url}");
        }
    }
}
