//! `spindle admin invite`: links with which people join, without an API client.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use spindle_actions::RefusedAddress;
use spindle_actions::invitations::{InvitationLinks, InvitedAddress};
use spindle_domain::limits::DEFAULT_INVITATION_MINUTES;

use super::super::output::Output;
use super::super::target::TargetServer;
use super::user::RoleName;
use crate::admin::{self, Session};
use spindle_config::BaseUrl;
use spindle_database::Location;
use spindle_system::secret::new_token;

const MINUTES_A_DAY: i64 = 24 * 60;

#[derive(Debug, Args)]
pub(in crate::cli) struct Invite {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Addresses of the people: each gets a link of their own, for you to pass on.
    #[arg(value_name = "EMAIL", required_unless_present = "link")]
    emails: Vec<String>,
    /// One link for all who have it, in place of one for each address.
    #[arg(long, conflicts_with = "emails")]
    link: bool,
    /// Role of those who join.
    #[arg(long, value_enum, default_value_t = RoleName::Member)]
    role: RoleName,
    /// Days after which the links stop working.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_INVITATION_MINUTES / MINUTES_A_DAY,
        value_parser = clap::value_parser!(i64).range(1..=36_500))]
    days: i64,
    /// Email of the account that invites [default: the first owner].
    #[arg(long, value_name = "EMAIL")]
    inviter: Option<String>,
    /// Address under which clients reach the server [default: the configured one, else the one that
    /// the server was started with].
    #[arg(long, value_name = "URL")]
    site: Option<BaseUrl>,
    /// Secret that the components have as internal_token, where Spin runs the server.
    #[arg(
        long,
        env = "SPINDLE_TOKEN",
        hide_env_values = true,
        requires = "database"
    )]
    token: Option<String>,
}

impl Invite {
    pub(super) fn run(self) -> Result<ExitCode> {
        let session = Session::open_to_administer(self.target.location()?)?;
        let (site, secret) = (self.site()?, self.secret()?);
        let invite = admin::Invite {
            inviter: self.inviter.as_deref(),
            role: self.role.into(),
            minutes: Some(self.days * MINUTES_A_DAY),
            links: InvitationLinks {
                site: &site,
                secret: secret.as_bytes(),
            },
        };
        if self.link {
            let link = session.invitation_link(&invite)?;
            let value = json!({"invite_link": link});
            self.output.print(&value, || link.clone());
            return Ok(ExitCode::SUCCESS);
        }
        let (invited, left_out) = session.invite(&invite, &self.emails)?;
        let value = json!({"invitations": invited, "left_out": left_out});
        self.output.print(&value, || text(&invited, &left_out));
        Ok(ExitCode::SUCCESS)
    }

    fn site(&self) -> Result<String> {
        match &self.site {
            Some(site) => Ok(site.0.clone()),
            None => self.target.address(),
        }
    }

    fn secret(&self) -> Result<String> {
        let shared = || link_secret_of(&self.target.location()?);
        match (&self.token, self.target.data_dir()?) {
            (Some(token), _) => Ok(token.clone()),
            (None, Some(_)) if self.target.is_remote()? => shared(),
            (None, Some(data)) => Ok(data.existing_token()?),
            (None, None) => anyhow::bail!("--token is missing: the secret of `spindle events`"),
        }
    }
}

/// The secret that the nodes of a database on a server share.
fn link_secret_of(location: &Location) -> Result<String> {
    let new = new_token().context("no random numbers")?;
    let shared = location.link_secret(&new)?;
    shared.context("the database is not on a server")
}

fn text(invited: &[InvitedAddress], left_out: &[RefusedAddress]) -> String {
    let mut lines: Vec<String> = invited
        .iter()
        .map(|one| format!("{}  {}", one.email, one.link_url))
        .collect();
    let refused = left_out
        .iter()
        .map(|RefusedAddress(email, reason, _)| format!("{email}  not invited: {reason}"));
    lines.extend(refused);
    lines.join("\n")
}
