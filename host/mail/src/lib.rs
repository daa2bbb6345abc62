//! Mails: their texts from templates, and their way to a mail server.
//!
//! Knows nothing of the database: a job takes mails from the outbox, and decides by the [`Failure`] what becomes of one
//! that was not taken. Each step has a deadline, so that no server holds a connection for longer than [`LONGEST`].
//! Secrets are in no error and no log.

mod explain;
mod letter;
mod server;
mod templates;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::Envelope;
use spindle_config::MailOptions;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

pub use letter::Letter;
use letter::Sender;
use server::{Connection, Server};
pub use templates::Templates;

/// How long a program may take over one mail.
const PROGRAM: Duration = Duration::from_secs(60);

/// No mail takes longer than this, from the connection to the answer.
pub const LONGEST: Duration = Duration::from_secs(240);

/// Why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It will never be.
    #[error("{0}")]
    Refused(String),
    /// It may be taken later; others may be taken now.
    #[error("{0}")]
    Later(String),
    /// No mail is taken now.
    #[error("{0}")]
    Unusable(String),
}

/// The way that mails take, and what is the same in all of them. Clones share everything.
#[derive(Clone, Debug)]
pub struct Mailer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    way: Way,
    sender: Sender,
    templates: Templates,
}

#[derive(Debug)]
enum Way {
    Server(Server),
    Program(PathBuf),
}

impl Mailer {
    /// The configured way; none without one. `site` is the address under which clients reach the server, without a slash
    /// at its end.
    ///
    /// # Errors
    /// Says which option is not valid, or which file cannot be read.
    pub fn of(options: &MailOptions, site: &str) -> Result<Option<Self>, String> {
        let way = match (&options.mail_server, &options.mail_sendmail) {
            (Some(server), _) => Way::Server(Server::new(server, options, site)?),
            (None, Some(program)) => Way::Program(program.clone()),
            (None, None) => return Ok(None),
        };
        Ok(Some(Self(Arc::new(Inner {
            way,
            sender: Sender::new(options, site)?,
            templates: Templates::load(options.mail_templates.as_deref())?,
        }))))
    }

    /// A way to send mails one after the other, which connects when the first one is sent.
    #[must_use]
    pub fn lane(&self) -> Lane {
        Lane {
            mailer: self.clone(),
            connection: None,
        }
    }

    /// Where mails go, for people.
    #[must_use]
    pub fn destination(&self) -> String {
        match &self.0.way {
            Way::Server(server) => server.to_string(),
            Way::Program(program) => program.display().to_string(),
        }
    }
}

/// Sends mails over one connection, as long as nothing fails.
#[derive(Debug)]
pub struct Lane {
    mailer: Mailer,
    connection: Option<Connection>,
}

impl Lane {
    /// Sends a mail; returns what the server said to it.
    ///
    /// # Errors
    /// [`Failure`]; the next mail takes a new connection then.
    pub async fn send(&mut self, letter: &Letter) -> Result<String, Failure> {
        let Inner {
            way,
            sender,
            templates,
        } = &*self.mailer.0;
        let (envelope, text) = letter.compose(sender, templates)?;
        match way {
            Way::Program(program) => run(program, &envelope, &text).await,
            Way::Server(server) => {
                // Taken, so that a connection whose mail is abandoned halfway is closed.
                let mut connection = match self.connection.take() {
                    Some(connection) => connection,
                    None => server.connect().await?,
                };
                let answer = server.send(&mut connection, &envelope, &text).await?;
                self.connection = Some(connection);
                Ok(answer)
            }
        }
    }

    /// Says goodbye to the server.
    pub async fn close(self) {
        if let Some(connection) = self.connection {
            connection.quit().await;
        }
    }
}

/// Hands a mail to a program that takes it as sendmail does.
async fn run(program: &Path, envelope: &Envelope, text: &[u8]) -> Result<String, Failure> {
    let shown = program.display();
    let cannot = |error: std::io::Error| Failure::Unusable(format!("cannot run {shown}: {error}"));
    let mut command = Command::new(program);
    command.args(["-i", "-f"]);
    command.arg(envelope.from().map_or("", |address| address.as_ref()));
    command.arg("--");
    command.args(envelope.to().iter().map(AsRef::<str>::as_ref));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().map_err(cannot)?;
    let mut input = child.stdin.take();
    let work = async {
        if let Some(input) = &mut input {
            // One that does not want to read on says why when it ends.
            let _ = input.write_all(text).await;
        }
        drop(input);
        child.wait_with_output().await
    };
    let output = match timeout(PROGRAM, work).await {
        Ok(output) => output.map_err(cannot)?,
        Err(_) => {
            let text = format!("{shown} takes longer than {} seconds", PROGRAM.as_secs());
            return Err(Failure::Unusable(text));
        }
    };
    if output.status.success() {
        return Ok("taken".to_owned());
    }
    let said = explain::plain(&String::from_utf8_lossy(&output.stderr));
    // EX_NOUSER of sysexits.h: the address leads nowhere.
    const NO_USER: i32 = 67;
    let text = format!("{shown} has ended with {}: {said}", output.status);
    Err(match output.status.code() {
        Some(NO_USER) => Failure::Refused(text),
        _ => Failure::Later(text),
    })
}

#[cfg(test)]
mod tests;
