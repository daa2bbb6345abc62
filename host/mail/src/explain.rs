//! Says what is wrong with a mail server, in sentences for operators.

use std::error::Error as _;
use std::io;

use lettre::transport::smtp::Error;

/// Characters of a server's answer that are shown.
const MAX_ANSWER: usize = 300;

/// What was done when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Connect,
    StartTls,
    SignIn,
    From,
    To,
    Content,
}

/// A server's words on one line, without control characters, and not too many.
pub(super) fn plain(text: &str) -> String {
    let cleaned: String = text
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .take(MAX_ANSWER)
        .collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The server's own words, with its code; none when it did not answer.
fn answer(error: &Error) -> Option<String> {
    let code = error.status()?;
    let text = error
        .source()
        .map(|source| source.to_string())
        .unwrap_or_default();
    Some(plain(&format!("{code} {text}")))
}

fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}

/// A sentence about a failed step. `server` is its name and port, `tls` how the connection is encrypted.
pub(super) fn explain(step: Step, error: &Error, server: &str, tls: &str) -> String {
    let said = answer(error);
    let detail = said.clone().unwrap_or_else(|| plain(&error.to_string()));
    if error.is_tls() || detail.contains("certificate") && said.is_none() {
        return of_tls(&detail, server);
    }
    match (step, said.is_some()) {
        (Step::Connect, true) => format!("{server} does not want to talk to this server: {detail}"),
        (Step::Connect, false) => unreachable(error, &detail, server, tls),
        (Step::StartTls, false) if error.is_client() => format!(
            "{server} does not offer STARTTLS; set mail_tls to \"tls\" (usually port 465), or to \"none\" if the way to the \
             server is safe"
        ),
        (Step::StartTls, _) => format!("{server} offers STARTTLS, but it fails: {detail}"),
        (Step::SignIn, true) => {
            format!("{server} refuses mail_username with this password: {detail}")
        }
        (Step::SignIn, false) if error.is_client() => format!(
            "{server} does not let anybody sign in with a password here; remove mail_username, or encrypt the connection with \
             mail_tls"
        ),
        (Step::From, true) => format!("{server} takes no mails from mail_from: {detail}"),
        (Step::To, true) => format!("{server} does not take mails to this address: {detail}"),
        (Step::Content, true) => format!("{server} does not take this mail: {detail}"),
        (_, false) => format!("the connection to {server} has failed: {detail}"),
    }
}

fn of_tls(detail: &str, server: &str) -> String {
    if detail.contains("UnknownIssuer") || detail.contains("certificate") {
        return format!(
            "the certificate of {server} is not trusted ({detail}); mail_server must be the name in it, and \
             mail_certificates names who signed it if browsers do not know them"
        );
    }
    format!(
        "{server} does not speak TLS as expected ({detail}); with mail_tls = \"tls\" the port is usually 465, with \
         \"starttls\" 587"
    )
}

fn unreachable(error: &Error, detail: &str, server: &str, tls: &str) -> String {
    match io_kind(error) {
        Some(io::ErrorKind::ConnectionRefused) => {
            format!("nothing listens on {server}, or a firewall refuses the connection")
        }
        Some(io::ErrorKind::TimedOut) => {
            format!("{server} does not answer; a firewall may drop the connection")
        }
        Some(io::ErrorKind::InvalidData) => of_tls(detail, server),
        _ if detail.contains("lookup") => {
            format!("the name of {server} leads to no address: {detail}")
        }
        _ if tls == "tls" => of_tls(detail, server),
        _ => format!(
            "{server} ends the connection before it greets ({detail}); if it speaks TLS from the first byte, set mail_tls to \
             \"tls\""
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn words_of_a_server_are_one_short_line() {
        assert_eq!(plain("550 no\r\nmore\u{1b}[2J"), "550 no more [2J");
        assert_eq!(plain(&"x".repeat(9999)).len(), 300);
    }
}
