//! TLS for the HTTP server: the certificate, the handshake, and reloading.
//!
//! Certificate and key are PEM files, checked against each other. They can be reloaded while the server runs: existing
//! connections continue, new ones get the new certificate, and invalid files leave the old one in use. Offers only
//! HTTP/1.1.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

use super::certificate;
use super::connection::bare_error;

/// How long the server keeps reading from a client that spoke plain HTTP, after answering it.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// First byte of every TLS connection: a handshake record.
const HANDSHAKE: u8 = 0x16;

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificate's file cannot be read, or holds none.
    #[error("the certificate {0}: {1}")]
    Certificate(PathBuf, String),
    /// The key's file cannot be read, or holds none that is supported.
    #[error("the key {0}: {1}")]
    Key(PathBuf, String),
    /// The key does not belong to the certificate.
    #[error("the key {key} is not that of the certificate {certificate}: {reason}")]
    Mismatch {
        /// File of the certificate.
        certificate: PathBuf,
        /// File of the key.
        key: PathBuf,
        /// The reason given by the TLS library.
        reason: String,
    },
    /// The TLS library refuses its own defaults.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

/// Why a handshake failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    /// The client spoke HTTP without TLS, and was answered so.
    #[error("plain HTTP on an address of HTTPS")]
    PlainHttp,
    /// Anything else: unsupported versions, an unknown authority, a broken connection.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

/// The certificate for new connections.
#[derive(Debug)]
struct Current(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&current))
    }
}

/// A certificate with its key, and the acceptor that uses them. Cloning shares everything.
#[derive(Clone)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: Arc<Current>,
    acceptor: TlsAcceptor,
}

impl Tls {
    /// Reads both files: the certificate first in its chain, PEM; the key as PKCS #8, PKCS #1 or
    /// SEC 1.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let current = Arc::new(Current(RwLock::new(read(certificate, key)?)));
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }

    /// Reads both files again and uses them from the next connection on.
    ///
    /// # Errors
    /// As [`load`](Self::load); the certificate in use stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.certificate, &self.key)?;
        let mut current = self
            .current
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *current = fresh;
        Ok(())
    }

    /// When the certificate for new connections expires, in UNIX seconds.
    pub fn ends(&self) -> Option<i64> {
        let current = self.current.0.read();
        let current = current.unwrap_or_else(PoisonError::into_inner);
        certificate::describe(current.cert.first()?).map(|found| found.ends)
    }

    /// Performs the handshake on a connection. The caller limits the time.
    pub(super) async fn handshake(
        &self,
        mut socket: TcpStream,
    ) -> Result<TlsStream<TcpStream>, HandshakeError> {
        let mut first = [0];
        let count = socket.peek(&mut first).await?;
        let [byte] = first;
        // A first byte that is a letter can only begin an HTTP method.
        if count == 1 && byte != HANDSHAKE && byte.is_ascii_alphabetic() {
            answer_use_https(&mut socket).await;
            return Err(HandshakeError::PlainHttp);
        }
        Ok(self.acceptor.accept(socket).await?)
    }
}

/// Answers in plain HTTP that the address needs `https://`, so that people see that in the browser
/// instead of a broken connection.
async fn answer_use_https(socket: &mut TcpStream) {
    let answer = bare_error(
        http::StatusCode::BAD_REQUEST,
        "This address is served over HTTPS: write https:// before it",
    );
    if socket.write_all(&answer).await.is_err() || socket.shutdown().await.is_err() {
        return;
    }
    // Closing with unread bytes would reset the connection and lose the answer.
    let mut rest = socket.take(64 << 10);
    let _ = tokio::time::timeout(
        LAST_WORDS,
        tokio::io::copy(&mut rest, &mut tokio::io::sink()),
    )
    .await;
}

fn read(certificate: &Path, key: &Path) -> Result<Arc<CertifiedKey>, TlsError> {
    let bad = |reason: String| TlsError::Certificate(certificate.to_owned(), reason);
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(error.to_string()))?;
    if chain.is_empty() {
        return Err(bad("there is no certificate in it".to_owned()));
    }
    let bad = |reason: String| TlsError::Key(key.to_owned(), reason);
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| bad(error.to_string()))?;
    if std::fs::metadata(key).is_ok_and(|found| found.mode() & 0o004 != 0) {
        tracing::warn!(path = %key.display(), "all users of this machine can read the key");
    }
    let provider = ring::default_provider();
    provider
        .key_provider
        .load_private_key(private.clone_key())
        .map_err(|error| bad(error.to_string()))?;
    CertifiedKey::from_der(chain, private, &provider)
        .map(Arc::new)
        .map_err(|error| TlsError::Mismatch {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            reason: error.to_string(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A P-256 key used only in tests. Tests create certificates when they need them, since committed
    /// ones would expire.
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAAAAAAAAAAAAAAAA\n\
        AAAAAAAAAAAAAAAAAAAAAAAAAAGhRANCAARrF9Hy4SxCR/i85uVjpEDydwN9gS3r\n\
        M6D0oTlF2JjClk/jQuL+Gn+bjufrSnwPnhYrzjNXazFezsu2QGg3v1H1\n\
        -----END PRIVATE KEY-----\n";

    fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn refusals_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let empty = file(folder.path(), "empty.pem", "");
        let key = file(folder.path(), "key.pem", KEY);
        let missing = folder.path().join("missing.pem");
        for (certificate, named) in [(&missing, "missing.pem"), (&empty, "empty.pem")] {
            let refusal = Tls::load(certificate, &key).err().unwrap().to_string();
            assert!(
                refusal.contains(named) && refusal.contains("certificate"),
                "{refusal}"
            );
        }
        let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
        let certificate = file(folder.path(), "certificate.pem", certificate);
        let refusal = Tls::load(&certificate, &empty).err().unwrap().to_string();
        assert!(
            refusal.contains("empty.pem") && refusal.contains("key"),
            "{refusal}"
        );
        let refusal = Tls::load(&certificate, &key).err().unwrap();
        assert!(matches!(refusal, TlsError::Mismatch { .. }), "{refusal}");
    }
}
