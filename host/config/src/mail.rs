//! Mail: the server that takes the mails of this one, and the address that they come from.
//!
//! Owns which of these options belong together. Must not connect.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::{EnumValueParser, ValueParser};
use serde::{Deserialize, Serialize};

use super::bucket::Secret;
use super::readable::Readable;

/// How the connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// From the command STARTTLS on; a server that does not offer it gets no mail.
    Starttls,
    /// From the first byte.
    Tls,
    /// Not at all.
    None,
}

impl MailTls {
    /// The port that servers listen on for this.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Tls => 465,
            Self::None => 25,
        }
    }
}

impl fmt::Display for MailTls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Starttls => "starttls",
            Self::Tls => "tls",
            Self::None => "none",
        })
    }
}

impl Readable for MailTls {
    const FORM: &'static str = "\"starttls\", \"tls\" or \"none\"";

    fn parser() -> ValueParser {
        EnumValueParser::<Self>::new().into()
    }
}

/// The options of mail, as `spindle events` takes them too.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct MailOptions {
    /// The server that takes mails; together with --mail-from. Without it, no mails are sent.
    #[arg(long, value_name = "HOST", env = "SPINDLE_MAIL_SERVER")]
    pub mail_server: Option<String>,
    /// Its port; without it, 587, with --mail-tls tls 465, with none 25.
    #[arg(long, value_name = "PORT", env = "SPINDLE_MAIL_PORT", value_parser = u16::parser())]
    pub mail_port: Option<u16>,
    /// How the connection is encrypted.
    #[arg(long, value_enum, value_name = "HOW", env = "SPINDLE_MAIL_TLS", default_value_t = MailTls::Starttls)]
    pub mail_tls: MailTls,
    /// Certificates (PEM) that are trusted for the server, instead of the ones in browsers.
    #[arg(long, value_name = "FILE", env = "SPINDLE_MAIL_CERTIFICATES")]
    pub mail_certificates: Option<PathBuf>,
    /// The user as whom this server signs in; without it, it does not sign in.
    #[arg(long, value_name = "NAME", env = "SPINDLE_MAIL_USERNAME")]
    pub mail_username: Option<String>,
    /// The password of that user; a variable shows it to fewer than a flag.
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "SPINDLE_MAIL_PASSWORD",
        hide_env_values = true
    )]
    pub mail_password: Option<Secret>,
    /// File with that password, instead.
    #[arg(long, value_name = "FILE", env = "SPINDLE_MAIL_PASSWORD_FILE")]
    pub mail_password_file: Option<PathBuf>,
    /// A program that takes mails as sendmail does, instead of a server.
    #[arg(long, value_name = "PROGRAM", env = "SPINDLE_MAIL_SENDMAIL")]
    pub mail_sendmail: Option<PathBuf>,
    /// The address that mails come from.
    #[arg(long, value_name = "ADDRESS", env = "SPINDLE_MAIL_FROM")]
    pub mail_from: Option<String>,
    /// The name that mails come from; without it, that of the organization.
    #[arg(long, value_name = "NAME", env = "SPINDLE_MAIL_FROM_NAME")]
    pub mail_from_name: Option<String>,
    /// The address that answers go to; without it, the one that mails come from.
    #[arg(long, value_name = "ADDRESS", env = "SPINDLE_MAIL_REPLY_TO")]
    pub mail_reply_to: Option<String>,
    /// Directory with templates that are used instead of those of this program.
    #[arg(long, value_name = "DIRECTORY", env = "SPINDLE_MAIL_TEMPLATES")]
    pub mail_templates: Option<PathBuf>,
}

impl MailOptions {
    /// Whether mails are sent.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.mail_server.is_some() || self.mail_sendmail.is_some()
    }

    /// Checks that the options belong together.
    ///
    /// # Errors
    /// Names the option that is missing, or of no use.
    pub fn check(&self) -> Result<(), String> {
        let of_server = [
            ("mail_port", self.mail_port.is_some()),
            ("mail_certificates", self.mail_certificates.is_some()),
            ("mail_username", self.mail_username.is_some()),
            ("mail_password", self.mail_password.is_some()),
            ("mail_password_file", self.mail_password_file.is_some()),
        ];
        let of_both = [
            ("mail_from", self.mail_from.is_some()),
            ("mail_from_name", self.mail_from_name.is_some()),
            ("mail_reply_to", self.mail_reply_to.is_some()),
            ("mail_templates", self.mail_templates.is_some()),
        ];
        let given = |options: &[(&'static str, bool)]| {
            options
                .iter()
                .find(|(_, given)| *given)
                .map(|(name, _)| *name)
        };
        if self.mail_server.is_none()
            && let Some(name) = given(&of_server)
        {
            return Err(format!(
                "{name} is of use only together with mail_server, which names the server"
            ));
        }
        if !self.is_on() {
            return match given(&of_both) {
                Some(name) => Err(format!(
                    "{name} is of use only together with mail_server or mail_sendmail"
                )),
                None => Ok(()),
            };
        }
        if self.mail_server.is_some() && self.mail_sendmail.is_some() {
            return Err("mails go either to mail_server or to mail_sendmail".to_owned());
        }
        if self.mail_from.is_none() {
            return Err("mails need mail_from, the address that they come from".to_owned());
        }
        let has_password = (
            self.mail_password.is_some(),
            self.mail_password_file.is_some(),
        );
        match (self.mail_username.is_some(), has_password) {
            (_, (true, true)) => Err("give either mail_password or mail_password_file".to_owned()),
            (true, (false, false)) => {
                Err("mail_username needs mail_password or mail_password_file".to_owned())
            }
            (false, (true, _) | (_, true)) => {
                Err("the password of mail needs mail_username".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The password of the user, from the file where one is named; none without a sign-in.
    ///
    /// # Errors
    /// The file cannot be read, or there is no password.
    pub fn password(&self) -> Result<Option<Secret>, String> {
        let password = match (&self.mail_password, &self.mail_password_file) {
            (Some(password), _) => password.clone(),
            (None, Some(file)) => read(file)?,
            (None, None) => return Ok(None),
        };
        if password.text().is_empty() {
            return Err("the password of mail_username is empty".to_owned());
        }
        Ok(Some(password))
    }
}

fn read(file: &Path) -> Result<Secret, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("mail_password_file: {}: {error}", file.display()))?;
    let Ok(password) = text.trim().parse();
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "mail_server = \"smtp.example.org\"\nmail_from = \"chat@example.org\"\n\
        external_url = \"https://chat.example.org\"\n";

    fn options(text: &str) -> Result<MailOptions, String> {
        let config = crate::load_text(crate::Options::default(), Path::new("x.toml"), text);
        config
            .map(|config| MailOptions::from(&config))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn its_options_belong_together() {
        assert!(!options("").unwrap().is_on());
        assert!(options(SERVER).unwrap().is_on());
        let user = format!("{SERVER}mail_username = \"chat\"\n");
        let whole = format!("{user}mail_password = \"hidden\"");
        let read = options(&whole).unwrap();
        assert_eq!(read.password().unwrap().unwrap().text(), "hidden");
        assert!(!format!("{read:?}").contains("hidden"));
        for (text, named) in [
            ("mail_port = 25", "mail_server"),
            ("mail_from = \"a@x.org\"", "mail_sendmail"),
            ("mail_server = \"x\"", "mail_from"),
            (&user, "mail_password_file"),
            (
                &format!("{SERVER}mail_password = \"hidden\""),
                "mail_username",
            ),
            (
                &format!("{whole}\nmail_password_file = \"y\""),
                "either mail_password",
            ),
            (&format!("{SERVER}mail_sendmail = \"x\""), "either to"),
            (
                "mail_sendmail = \"x\"\nmail_from = \"a@x.org\"\nmail_username = \"y\"",
                "mail_server",
            ),
            (
                "mail_server = \"x\"\nmail_from = \"a@x.org\"",
                "external_url",
            ),
            (&format!("{SERVER}mail_tls = \"ssl\""), "starttls"),
            (&format!("{SERVER}mail_port = 0"), "mail_port"),
        ] {
            let refusal = options(text).unwrap_err();
            assert!(refusal.contains(named), "{text}: {refusal}");
            assert!(!refusal.contains("hidden"), "{refusal}");
        }
    }

    #[test]
    fn the_password_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        let text = format!("{SERVER}mail_username = \"chat\"\nmail_password_file = {file:?}");
        let options = options(&text).unwrap();
        let refusal = options.password().unwrap_err();
        assert!(refusal.contains("mail_password_file"), "{refusal}");
        std::fs::write(&file, " \n").unwrap();
        assert!(options.password().unwrap_err().contains("empty"));
        std::fs::write(&file, "hidden\n").unwrap();
        assert_eq!(options.password().unwrap().unwrap().text(), "hidden");
    }
}
