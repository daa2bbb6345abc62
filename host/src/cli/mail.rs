//! `spindle mail`: whether the configured mail server takes mails.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::output;
use spindle_config::{MailOptions, Options};
use spindle_mail::{Letter, Mailer};
use spindle_system::secret::new_token;

#[derive(Debug, Subcommand)]
pub(super) enum Mail {
    /// Connect to the mail server and send a mail to an address; say what is wrong if it is not taken.
    Test(Box<Test>),
}

#[derive(Debug, Args)]
pub(super) struct Test {
    /// The address that gets the mail.
    address: String,
    /// Configuration file; without it, spindle.toml in the data directory, if there is one.
    #[arg(long, value_name = "FILE", env = "SPINDLE_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl Mail {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Self::Test(test) => test.run(),
        }
    }
}

impl Test {
    fn run(self) -> Result<ExitCode> {
        let config = spindle_config::load(self.options, self.config.as_deref())?;
        let options = MailOptions::from(&config);
        let site = config.external_url.map(|url| url.0).unwrap_or_default();
        let Some(mailer) = Mailer::of(&options, &site).map_err(anyhow::Error::msg)? else {
            bail!("no mails are sent: set mail_server, mail_from and external_url");
        };
        let organization = options.mail_from_name.unwrap_or_else(|| site.clone());
        let letter = Letter {
            kind: "test".to_owned(),
            to: self.address,
            to_name: None,
            id: new_token()?,
            thread: None,
            unsubscription: None,
            values: [("organization".to_owned(), organization.into())]
                .into_iter()
                .collect(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let answer = runtime.block_on(async {
            let mut lane = mailer.lane();
            let answer = lane.send(&letter).await;
            lane.close().await;
            answer
        })?;
        output::show(&format!(
            "{} has taken a mail to {}: {answer}",
            mailer.destination(),
            letter.to
        ));
        Ok(ExitCode::SUCCESS)
    }
}
