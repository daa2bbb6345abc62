//! `spindle admin user sign-in-links`: links for many people, for the operator to pass on.

use anyhow::Result;
use clap::Args;
use spindle_domain::limits::MAX_PASSWORD_LINK_DAYS;

use super::super::output::TableOutput;
use super::super::target::TargetServer;
use crate::admin::{Session, WhichPeople};
use spindle_config::BaseUrl;

const COLUMNS: [&str; 5] = ["user_id", "email", "full_name", "link", "expires"];

#[derive(Debug, Args)]
pub(in crate::cli) struct SignInLinks {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: TableOutput,
    #[command(flatten)]
    whose: Whose,
    /// Days after which the links stop working.
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(i64).range(1..=MAX_PASSWORD_LINK_DAYS))]
    days: i64,
    /// Address under which clients reach the server [default: the configured one, else the one that
    /// the server was started with].
    #[arg(long, value_name = "URL")]
    site: Option<BaseUrl>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Whose {
    /// All people who may sign in. Using a link signs a person out everywhere else.
    #[arg(long)]
    all: bool,
    /// Only people who have never signed in.
    #[arg(long)]
    never_signed_in: bool,
}

impl SignInLinks {
    pub(super) fn run(self) -> Result<()> {
        let site = match &self.site {
            Some(site) => site.0.clone(),
            None => self.target.address()?,
        };
        let whose = if self.whose.all {
            WhichPeople::All
        } else {
            WhichPeople::NeverSignedIn
        };
        let session = Session::open_to_administer(self.target.location()?)?;
        let links = session.password_links(whose, self.days, &site)?;
        let value = serde_json::to_value(&links)?;
        self.output.print(&COLUMNS, &value, || {
            let lines = links
                .iter()
                .map(|one| format!("{:<32} {}", one.email, one.link));
            lines.collect::<Vec<_>>().join("\n")
        });
        Ok(())
    }
}
