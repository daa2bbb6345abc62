//! `spindle admin invite`: links with which people join, without an API client.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use spindle_actions::RefusedAddress;
use spindle_actions::invitations::{InvitationLinks, InvitedAddress};
use spindle_actions::users::PersonLine;
use spindle_domain::Role;
use spindle_domain::limits::DEFAULT_INVITATION_MINUTES;

use super::super::output::Output;
use super::super::sheet_reader;
use super::super::target::TargetServer;
use super::user::RoleName;
use crate::admin::{self, Importing, PersonOutcome, Session};
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
    #[arg(value_name = "EMAIL", required_unless_present_any = ["link", "file"])]
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
    /// File with the addresses, one on each line. `-`: standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["link", "emails"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    links: Links,
}

/// How links of invitations are made.
#[derive(Debug, Args)]
pub(super) struct Links {
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
        let (site, secret) = (
            self.links.site(&self.target)?,
            self.links.secret(&self.target)?,
        );
        let role = self.role.into();
        let invite = self.links.terms(role, self.days, &site, &secret);
        if self.link {
            let link = session.invitation_link(&invite)?;
            let value = json!({"invite_link": link});
            self.output.print(&value, || link.clone());
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(file) = &self.file {
            return self.invite_file(&session, &invite, &sheet_reader::text_of(file)?);
        }
        let (invited, left_out) = session.invite(&invite, &self.emails)?;
        let value = json!({"invitations": invited, "left_out": left_out});
        self.output.print(&value, || text(&invited, &left_out));
        Ok(ExitCode::SUCCESS)
    }

    /// Invites each line of a file on its own, so that a faulty line does not stop the others.
    fn invite_file(
        &self,
        session: &Session,
        invite: &admin::Invite<'_>,
        text: &str,
    ) -> Result<ExitCode> {
        let (mut invited, mut left_out, mut refused) = (Vec::new(), Vec::new(), false);
        let mut lines = Vec::new();
        for email in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let person = PersonLine {
                email: email.to_owned(),
                role: self.role.into(),
                ..PersonLine::default()
            };
            let report = session.import_person(Importing::Inviting(invite), &person)?;
            refused |= report.outcome == PersonOutcome::Refused;
            if let Some(link) = report.link {
                lines.push(format!("{email}  {link}"));
                invited.push(json!({"email": email, "link_url": link}));
            } else {
                let why = match report.user_id {
                    Some(_) => "has an account".to_owned(),
                    None => report.note.unwrap_or_default(),
                };
                lines.push(format!("{email}  not invited: {why}"));
                left_out.push(json!([email, why, false]));
            }
        }
        let value = json!({"invitations": invited, "left_out": left_out});
        self.output.print(&value, || lines.join("\n"));
        Ok(if refused {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

impl Links {
    /// The terms of an invitation.
    pub(super) fn terms<'a>(
        &'a self,
        role: Role,
        days: i64,
        site: &'a str,
        secret: &'a str,
    ) -> admin::Invite<'a> {
        admin::Invite {
            inviter: self.inviter.as_deref(),
            role,
            minutes: Some(days * MINUTES_A_DAY),
            links: InvitationLinks {
                site,
                secret: secret.as_bytes(),
            },
        }
    }

    pub(super) fn site(&self, target: &TargetServer) -> Result<String> {
        match &self.site {
            Some(site) => Ok(site.0.clone()),
            None => target.address(),
        }
    }

    pub(super) fn secret(&self, target: &TargetServer) -> Result<String> {
        let shared = || link_secret_of(&target.location()?);
        match (&self.token, target.data_dir()?) {
            (Some(token), _) => Ok(token.clone()),
            (None, Some(_)) if target.is_remote()? => shared(),
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
