//! A GET request as a client would send it, with an assessment of the server's certificate.
//!
//! An untrusted certificate does not end the call, so that its problem can be reported. Therefore this
//! module must never send a secret.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};

/// The path of the public server settings.
pub(super) const SETTINGS: &str = "/api/v1/server_settings";

/// Time limit of a call.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const MAX_ANSWER: usize = 1 << 20;
/// Files in which distributions keep the trusted authorities of the machine.
const OF_MACHINE: [&str; 2] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
];

/// The answer to a call.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// The body; `null` when it is not JSON.
    pub(super) body: Value,
    /// The certificate presented over TLS.
    pub(super) certificate: Option<Presented>,
}

/// A certificate that a server has presented.
#[derive(Clone, Debug)]
pub(super) struct Presented {
    pub(super) der: Vec<u8>,
    /// Why a client would not trust it.
    pub(super) distrust: Option<String>,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the address cannot be read")]
    Address,
    #[error("the name {0} is not known")]
    UnknownHost(String),
    #[error("nothing answers: {0}")]
    Refused(io::Error),
    #[error("there was no answer within {} seconds", TIMEOUT.as_secs())]
    Slow,
    #[error("the TLS handshake fails: {0}")]
    Handshake(io::Error),
    #[error("what answers does not speak HTTP: {0}")]
    Broken(String),
}

impl Answer {
    /// The part of the request id that is constant while a server runs.
    pub(super) fn epoch(&self) -> Option<&str> {
        let id = self.headers.get("x-request-id")?.to_str().ok()?;
        let (epoch, number) = id.split_once('-')?;
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (epoch.len() == 8 && is_hex(epoch) && is_hex(number)).then_some(epoch)
    }
}

/// Requests `path` from `base`.
pub(super) async fn ask(base: &str, path: &str) -> Result<Answer, Failure> {
    match tokio::time::timeout(TIMEOUT, answer(base, path)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::Slow),
    }
}

async fn answer(base: &str, path: &str) -> Result<Answer, Failure> {
    let url: http::Uri = base.parse().map_err(|_| Failure::Address)?;
    let authority = url.authority().ok_or(Failure::Address)?;
    let is_secure = url.scheme_str() == Some("https");
    let port = url.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let host = authority.host();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let stream = connect(host, port).await?;
    let request = http::Request::get(path)
        .header(http::header::HOST, authority.as_str())
        .header(http::header::USER_AGENT, "spindle-doctor")
        .body(Empty::<Bytes>::new())
        .map_err(|_| Failure::Address)?;
    if !is_secure {
        return exchange(stream, request).await;
    }
    let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Address)?;
    let (connector, shown) = connector().map_err(|error| Failure::Broken(error.to_string()))?;
    let connecting = connector.connect(name, stream);
    let stream = connecting.await.map_err(Failure::Handshake)?;
    let mut answer = exchange(stream, request).await?;
    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    answer.certificate = shown.take();
    Ok(answer)
}

async fn connect(host: &str, port: u16) -> Result<TcpStream, Failure> {
    let unknown = || Failure::UnknownHost(host.to_owned());
    let addresses = lookup_host((host, port)).await.map_err(|_| unknown())?;
    let mut last = unknown();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Failure::Refused(error),
        }
    }
    Err(last)
}

async fn exchange<S>(stream: S, request: http::Request<Empty<Bytes>>) -> Result<Answer, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: hyper::Error| Failure::Broken(error.to_string());
    let handshake = http1::Builder::new().handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(broken)?;
    let connection = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(broken)?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, MAX_ANSWER).collect().await;
        let body = body.map_err(|error| Failure::Broken(error.to_string()))?;
        Ok(Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: serde_json::from_slice(&body.to_bytes()).unwrap_or_default(),
            certificate: None,
        })
    }
    .await;
    connection.abort();
    outcome
}

/// Receives the certificate that a server presents.
type Shown = Arc<Mutex<Option<Presented>>>;

fn connector() -> Result<(TlsConnector, Shown), Box<dyn std::error::Error>> {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for bundle in OF_MACHINE {
        if let Ok(certificates) = CertificateDer::pem_file_iter(bundle) {
            roots.add_parsable_certificates(certificates.flatten());
        }
    }
    let builder =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let shown = Shown::default();
    let verifier = Noting {
        verifier: builder.build()?,
        shown: Arc::clone(&shown),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok((TlsConnector::from(Arc::new(config)), shown))
}

/// Checks a certificate as clients do, records the result and continues the handshake.
#[derive(Debug)]
struct Noting {
    verifier: Arc<WebPkiServerVerifier>,
    shown: Shown,
}

impl ServerCertVerifier for Noting {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let verdict = self.verifier.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = Some(Presented {
            der: end_entity.to_vec(),
            distrust: verdict.err().map(|error| error.to_string()),
        });
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    async fn served(answer: &'static [u8]) -> Result<Answer, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = [0; 1024];
            let _ = stream.read(&mut seen).await.unwrap();
            stream.write_all(answer).await.unwrap();
        });
        let answer = ask(&url, SETTINGS).await;
        server.await.unwrap();
        answer
    }

    #[tokio::test]
    async fn an_answer_is_read_with_its_request_id() {
        let answer = served(
            b"HTTP/1.1 200 OK\r\nx-request-id: 0a1b2c3d-7f\r\ncontent-length: 7\r\n\r\n{\"a\":1}",
        );
        let answer = answer.await.unwrap();
        assert_eq!((answer.status, &answer.body["a"]), (200, &Value::from(1)));
        assert_eq!(answer.epoch(), Some("0a1b2c3d"));
        let of_proxy = b"HTTP/1.1 502 Bad\r\nx-request-id: 0a1b2c3d-7f00-4111-8222-000000000000\r\ncontent-length: 0\r\n\r\n";
        let answer = served(of_proxy).await.unwrap();
        assert_eq!((answer.status, answer.epoch()), (502, None));
        assert_eq!(answer.body, Value::Null);
    }

    #[tokio::test]
    async fn failures_say_what_is_wrong() {
        let broken = served(b"SSH-2.0-x\r\n").await;
        assert!(matches!(broken, Err(Failure::Broken(_))), "{broken:?}");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let nobody = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let refused = ask(&nobody, SETTINGS).await;
        assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
    }
}
