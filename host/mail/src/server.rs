//! One conversation with a mail server: connecting, signing in, sending.
//!
//! Each step has a deadline of its own. Which failures end a mail depends on the step: a server that refuses the sender
//! or the password refuses every mail, until the operator has corrected something.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters,
};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use spindle_config::{MailOptions, MailTls};
use tokio::time::timeout;

use super::Failure;
use super::explain::{Step, explain, plain};

/// Name look-up, connection, TLS from the first byte, greeting and EHLO.
const CONNECT: Duration = Duration::from_secs(20);
/// STARTTLS, and signing in.
const PREPARE: Duration = Duration::from_secs(20);
/// An answer to the sender or to the recipient.
const ANSWER: Duration = Duration::from_secs(30);
/// The whole text and the answer to it: servers look for spam then.
const CONTENT: Duration = Duration::from_secs(90);
/// Saying goodbye.
const QUIT: Duration = Duration::from_secs(2);

/// A mail server and how to get on with it.
pub(super) struct Server {
    name: String,
    port: u16,
    tls: MailTls,
    parameters: Option<TlsParameters>,
    credentials: Option<Credentials>,
    hello: ClientId,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.name, self.port)
    }
}

/// A server that has been greeted.
pub(super) struct Connection(AsyncSmtpConnection);

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Connection")
    }
}

impl Connection {
    pub(super) async fn quit(mut self) {
        let _ = timeout(QUIT, self.0.quit()).await;
    }
}

impl Server {
    pub(super) fn new(name: &str, options: &MailOptions, site: &str) -> Result<Self, String> {
        let tls = options.mail_tls;
        let parameters = match tls {
            MailTls::None => None,
            _ => Some(parameters(name, options.mail_certificates.as_deref())?),
        };
        let credentials = match (&options.mail_username, options.password()?) {
            (Some(name), Some(password)) => {
                Some(Credentials::new(name.clone(), password.text().to_owned()))
            }
            _ => None,
        };
        Ok(Self {
            name: name.to_owned(),
            port: options.mail_port.unwrap_or(tls.port()),
            tls,
            parameters,
            credentials,
            hello: hello(site),
        })
    }

    /// Connects and signs in.
    ///
    /// # Errors
    /// [`Failure::Unusable`].
    pub(super) async fn connect(&self) -> Result<Connection, Failure> {
        let at_once = match self.tls {
            MailTls::Tls => self.parameters.clone(),
            _ => None,
        };
        let address = (self.name.as_str(), self.port);
        let connecting =
            AsyncSmtpConnection::connect_tokio1(address, Some(CONNECT), &self.hello, at_once, None);
        let mut connection = self.unless_late(Step::Connect, CONNECT, connecting).await?;
        if let (MailTls::Starttls, Some(parameters)) = (self.tls, &self.parameters) {
            let upgrading = connection.starttls(parameters.clone(), &self.hello);
            self.unless_late(Step::StartTls, PREPARE, upgrading).await?;
        }
        if let Some(credentials) = &self.credentials {
            let signing_in = connection.auth(&[Mechanism::Plain, Mechanism::Login], credentials);
            self.unless_late(Step::SignIn, PREPARE, signing_in).await?;
        }
        Ok(Connection(connection))
    }

    /// Sends one mail. After a failure the connection is of no use.
    ///
    /// # Errors
    /// [`Failure`].
    pub(super) async fn send(
        &self,
        connection: &mut Connection,
        envelope: &Envelope,
        text: &[u8],
    ) -> Result<String, Failure> {
        let connection = &mut connection.0;
        let mut options = Vec::new();
        if !text.is_ascii() {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        if !are_ascii(envelope) {
            if !connection
                .server_info()
                .supports_feature(Extension::SmtpUtfEight)
            {
                let text = format!("{self} takes only addresses of plain letters (no SMTPUTF8)");
                return Err(Failure::Refused(text));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        let from = connection.command(Mail::new(envelope.from().cloned(), options));
        self.unless_late(Step::From, ANSWER, from).await?;
        for address in envelope.to() {
            let to = connection.command(Rcpt::new(address.clone(), Vec::new()));
            self.unless_late(Step::To, ANSWER, to).await?;
        }
        self.unless_late(Step::Content, ANSWER, connection.command(Data))
            .await?;
        let content = connection.message(text);
        let answer = self.unless_late(Step::Content, CONTENT, content).await?;
        Ok(plain(&answer.message().collect::<Vec<_>>().join(" ")))
    }

    async fn unless_late<T>(
        &self,
        step: Step,
        limit: Duration,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        let error = match timeout(limit, work).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(_) => {
                let text = format!("{self} does not answer within {} seconds", limit.as_secs());
                return Err(Failure::Unusable(text));
            }
        };
        let text = explain(step, &error, &self.to_string(), &self.tls.to_string());
        let is_about_this_mail = matches!(step, Step::To | Step::Content);
        Err(match (is_about_this_mail, &error) {
            (true, error) if error.is_permanent() && !is_about_the_client(error) => {
                Failure::Refused(text)
            }
            (true, error) if error.status().is_some() => Failure::Later(text),
            _ => Failure::Unusable(text),
        })
    }
}

fn are_ascii(envelope: &Envelope) -> bool {
    let mut addresses = envelope.to().iter().chain(envelope.from());
    addresses.all(|address| AsRef::<str>::as_ref(address).is_ascii())
}

/// Whether the server wants that this one signs in first, or signs in better.
fn is_about_the_client(error: &Error) -> bool {
    let code = error.status().map(|code| code.to_string());
    code.is_some_and(|code| ["530", "534", "535", "538"].contains(&code.as_str()))
}

fn parameters(name: &str, certificates: Option<&Path>) -> Result<TlsParameters, String> {
    let builder = TlsParameters::builder(name.to_owned());
    let builder = match certificates {
        None => builder.certificate_store(CertificateStore::WebpkiRoots),
        Some(path) => {
            let cannot = |error: &dyn fmt::Display| {
                format!("mail_certificates: {}: {error}", path.display())
            };
            let pem = std::fs::read(path).map_err(|error| cannot(&error))?;
            let certificate = Certificate::from_pem(&pem).map_err(|error| cannot(&error))?;
            builder
                .certificate_store(CertificateStore::None)
                .add_root_certificate(certificate)
        }
    };
    builder
        .build_rustls()
        .map_err(|error| format!("mail_certificates: {error}"))
}

/// How this server introduces itself: with the host of its address.
fn hello(site: &str) -> ClientId {
    let authority = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split([':', '/']).next().unwrap_or_default(),
    };
    match host.parse() {
        Ok(IpAddr::V4(address)) => ClientId::Ipv4(address),
        Ok(IpAddr::V6(address)) => ClientId::Ipv6(address),
        Err(_) => ClientId::Domain(host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadlines_of_all_steps_are_within_the_longest() {
        let all = CONNECT + PREPARE + PREPARE + 3 * ANSWER + CONTENT;
        assert!(all <= super::super::LONGEST, "{all:?}");
    }

    #[test]
    fn the_server_introduces_itself_by_its_address() {
        for (site, expected) in [
            ("https://chat.example.org", "chat.example.org"),
            ("http://127.0.0.1:3000", "[127.0.0.1]"),
            ("http://[::1]:3000", "[IPv6:::1]"),
        ] {
            assert_eq!(hello(site).to_string(), expected);
        }
    }
}
