//! `spindle admin user`: people and bots, their keys and special permissions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use spindle_actions::account::BOT_RATES;
use spindle_actions::users::NewAccount;
use spindle_domain::Role;

use super::super::output::Output;
use super::super::target::TargetServer;
use super::password_links::SignInLinks;
use crate::admin::{Account, SPECIAL_PERMISSIONS, Session, zuliprc};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum User {
    /// Create a user or a bot, and print its API key.
    Create(Create),
    /// List all users and bots.
    List(List),
    /// Revoke a user's access; their messages stay.
    Deactivate(Named),
    /// Restore a user's access.
    Reactivate(Named),
    /// Change a user's role.
    SetRole(SetRole),
    /// Grant a special permission.
    Grant(Permission),
    /// Revoke a special permission.
    Revoke(Permission),
    /// Set the request rate of one bot.
    SetRate(SetRate),
    /// Set a person's password.
    SetPassword(SetPassword),
    /// Remove the second factor and the recovery codes of a person who has lost them.
    ResetSecondFactor(Named),
    /// Replace all API keys of a user by a new one, and print it.
    RotateKey(Named),
    /// Print a link with which a person signs in with a browser: once, within 15 minutes.
    SignInLink(SignInLink),
    /// Print a link for each of many people, with which they set a password: once, within some days.
    SignInLinks(SignInLinks),
    /// Issue another API key and write it as a client configuration file. Keys are stored
    /// only as hashes, so the existing ones cannot be shown; they stay valid.
    Zuliprc(Zuliprc),
}

#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Named {
    #[command(flatten)]
    common: Common,
    /// Email of the user.
    #[arg(long)]
    email: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Create {
    #[command(flatten)]
    common: Common,
    /// Email of the user.
    #[arg(long)]
    email: String,
    /// Name that others see.
    #[arg(long)]
    full_name: String,
    #[arg(long, value_enum, default_value_t = RoleName::Member)]
    role: RoleName,
    /// A bot instead of a person.
    #[arg(long, conflicts_with = "imported_stub")]
    bot: bool,
    /// An account imported from another chat system, regular from its first login on.
    #[arg(long)]
    imported_stub: bool,
    /// Password for clients that log in with one; without it, only the API key works.
    /// Visible to other users of the machine while the command runs: prefer SPINDLE_PASSWORD.
    #[arg(long, env = "SPINDLE_PASSWORD", hide_env_values = true)]
    password: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SetRole {
    #[command(flatten)]
    named: Named,
    /// The new role.
    #[arg(long, value_enum)]
    role: RoleName,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Permission {
    #[command(flatten)]
    named: Named,
    /// The special permission.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SPECIAL_PERMISSIONS))]
    permission: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SetRate {
    #[command(flatten)]
    named: Named,
    /// Requests a minute of this bot, which are then not counted with those of its owner's other bots.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(BOT_RATES))]
    requests_per_minute: Option<i64>,
    /// Let the bot share the rate of its owner's bots again.
    #[arg(
        long,
        conflicts_with = "requests_per_minute",
        required_unless_present = "requests_per_minute"
    )]
    shared: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SetPassword {
    #[command(flatten)]
    named: Named,
    /// The new password. Visible to other users of the machine while the command runs: prefer
    /// SPINDLE_PASSWORD.
    #[arg(long, env = "SPINDLE_PASSWORD", hide_env_values = true)]
    password: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SignInLink {
    #[command(flatten)]
    named: Named,
    /// Address under which clients reach the server [default: the configured one, else the one that
    /// the server was started with].
    #[arg(long, value_name = "URL")]
    site: Option<spindle_config::BaseUrl>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Zuliprc {
    #[command(flatten)]
    named: Named,
    /// Address under which clients reach the server [default: the configured one, else the one that
    /// the server was started with].
    #[arg(long, value_name = "URL")]
    site: Option<spindle_config::BaseUrl>,
    /// File to write, mode 0600; without it, the text is printed.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum RoleName {
    Owner,
    Administrator,
    Moderator,
    Member,
    Guest,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Owner => Self::Owner,
            RoleName::Administrator => Self::Administrator,
            RoleName::Moderator => Self::Moderator,
            RoleName::Member => Self::Member,
            RoleName::Guest => Self::Guest,
        }
    }
}

impl User {
    pub(super) fn target(&self) -> &TargetServer {
        let common = match self {
            Self::Create(create) => &create.common,
            Self::List(list) => &list.common,
            Self::Deactivate(named)
            | Self::Reactivate(named)
            | Self::ResetSecondFactor(named)
            | Self::RotateKey(named) => &named.common,
            Self::SetRole(set) => &set.named.common,
            Self::SetRate(set) => &set.named.common,
            Self::Grant(it) | Self::Revoke(it) => &it.named.common,
            Self::SetPassword(set) => &set.named.common,
            Self::SignInLink(link) => &link.named.common,
            Self::SignInLinks(links) => return &links.target,
            Self::Zuliprc(zuliprc) => &zuliprc.named.common,
        };
        &common.target
    }

    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Self::Create(create) => create.run(),
            Self::List(list) => list.run(),
            Self::Deactivate(named) => {
                named.change("deactivated", |session, email| session.deactivate(email))
            }
            Self::Reactivate(named) => {
                named.change("reactivated", |session, email| session.reactivate(email))
            }
            Self::SetRole(set) => set.named.change("changed", |session, email| {
                session.set_role(email, set.role.into())
            }),
            Self::SetRate(set) => set.named.change("changed", |session, email| {
                session.set_bot_rate(email, set.requests_per_minute)
            }),
            Self::Grant(it) => it.named.change("changed", |session, email| {
                session.set_permission(email, &it.permission, true)
            }),
            Self::Revoke(it) => it.named.change("changed", |session, email| {
                session.set_permission(email, &it.permission, false)
            }),
            Self::SetPassword(set) => set.named.change("changed", |session, email| {
                session.set_password(email, &set.password)
            }),
            Self::ResetSecondFactor(named) => named.change("changed", |session, email| {
                session.reset_second_factor(email)
            }),
            Self::RotateKey(named) => named.rotate_key(),
            Self::SignInLink(link) => link.run(),
            Self::SignInLinks(links) => links.run(),
            Self::Zuliprc(zuliprc) => zuliprc.run(),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Common {
    fn session(&self) -> Result<Session> {
        Session::open_to_administer(self.target.location()?)
    }
}

impl Create {
    fn run(self) -> Result<()> {
        let created = self.common.session()?.create(&NewAccount {
            email: self.email.clone(),
            full_name: self.full_name.clone(),
            role: Some(self.role.into()),
            is_bot: self.bot,
            bot_owner_id: None,
            is_imported_stub: self.imported_stub,
            password: self.password.clone(),
        })?;
        let value = json!({ "user_id": created.user_id.get(), "email": created.email, "api_key": created.api_key });
        self.common.output.print(&value, || {
            format!(
                "user_id: {}\nemail:   {}\napi_key: {}",
                created.user_id, created.email, created.api_key
            )
        });
        Ok(())
    }
}

impl List {
    fn run(self) -> Result<()> {
        let accounts = self.common.session()?.list()?;
        self.common
            .output
            .print(&serde_json::to_value(&accounts)?, || table(&accounts));
        Ok(())
    }
}

impl Named {
    fn change(
        self,
        done: &str,
        change: impl FnOnce(&Session, &str) -> Result<Account>,
    ) -> Result<()> {
        let account = change(&self.common.session()?, &self.email)?;
        self.common
            .output
            .print(&serde_json::to_value(&account)?, || {
                let table = table(std::slice::from_ref(&account));
                format!("{done}: {}", table.trim_start())
            });
        Ok(())
    }

    fn rotate_key(self) -> Result<()> {
        let (account, key) = self.common.session()?.rotate_key(&self.email)?;
        let value = key_value(&account, &key);
        self.common
            .output
            .print(&value, || format!("api_key: {key}"));
        Ok(())
    }
}

impl SignInLink {
    fn run(self) -> Result<()> {
        let common = &self.named.common;
        let site = site(self.site.as_ref(), common)?;
        let (account, link) = common.session()?.sign_in_link(&self.named.email, &site)?;
        let value = json!({
            "user_id": account.user_id, "email": account.email, "sign_in_link": link,
        });
        common.output.print(&value, || link.clone());
        Ok(())
    }
}

/// The given address, or that of the server.
fn site(given: Option<&spindle_config::BaseUrl>, common: &Common) -> Result<String> {
    match given {
        Some(site) => Ok(site.0.clone()),
        None => common.target.address(),
    }
}

impl Zuliprc {
    fn run(self) -> Result<()> {
        let common = &self.named.common;
        let site = site(self.site.as_ref(), common)?;
        let (account, key) = common.session()?.issue_key(&self.named.email)?;
        let text = zuliprc(&account.email, &key, &site);
        if let Some(file) = &self.file {
            spindle_config::data_dir::write_private(file, &text)?;
            let value = json!({ "user_id": account.user_id, "email": account.email, "file": file });
            self.named
                .common
                .output
                .print(&value, || format!("written to {}", file.display()));
        } else {
            self.named
                .common
                .output
                .print(&key_value(&account, &key), || text);
        }
        Ok(())
    }
}

fn key_value(account: &Account, key: &str) -> Value {
    json!({ "user_id": account.user_id, "email": account.email, "api_key": key })
}

/// The day of a time in UNIX seconds, in UTC.
fn day(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| seconds.to_string(),
        |time| time.strftime("%F").to_string(),
    )
}

fn table(accounts: &[Account]) -> String {
    let mut lines = Vec::with_capacity(accounts.len());
    for account in accounts {
        let mut marks = vec![account.role];
        marks.extend(account.is_bot.then_some("bot"));
        marks.extend(account.is_imported_stub.then_some("imported stub"));
        marks.extend((!account.is_active).then_some("deactivated"));
        marks.extend(account.permissions.iter().copied());
        let rate = account.requests_per_minute;
        let rate = rate.map(|rate| format!("{rate} requests a minute"));
        marks.extend(rate.as_deref());
        let seen = account
            .last_active
            .map(|last| format!("last active {}", day(last)));
        marks.extend(seen.as_deref());
        lines.push(format!(
            "{:>6}  {:<32} {:<24} {}",
            account.user_id,
            account.email,
            account.full_name,
            marks.join(", ")
        ));
    }
    lines.join("\n")
}
