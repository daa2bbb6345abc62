//! `spindle admin`: flags of the administrative commands.
//!
//! Owns their flags and the printing of results; `crate::admin` and `crate::backup` do the work.

mod audit;
mod data;
mod demo;
mod files;
mod import;
mod invite;
mod organization;
mod password_links;
mod people;
mod quota;
mod transfer;
mod user;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Subcommand;

use super::target::TargetServer;
use crate::admin::enter;
use spindle_config::claim::folder_of;
use spindle_system::ownership::Account;

/// Runs a command on the files of a server, and hands those that it has made over to the server's account. `destination` is
/// the folder for the files that the command makes, if it differs from the database's.
pub(super) fn on_files(
    command: &str,
    database: &Path,
    destination: Option<PathBuf>,
    work: impl FnOnce() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let folders = [Some(folder_of(database).to_owned()), destination];
    let folders: Vec<_> = folders
        .into_iter()
        .flatten()
        .filter_map(|folder| Some((Account::served_by_root(&folder)?, folder)))
        .collect();
    let claim = enter(command, database)?;
    let done = work();
    // Also what a failed command has left there.
    for (account, folder) in &folders {
        let handed_over = match command {
            "app-file" | "demo" | "restore" | "import" | "move" => account.take_over(folder),
            _ => account.take_over_files(folder),
        };
        handed_over.with_context(|| folder.display().to_string())?;
    }
    drop(claim);
    done
}

#[derive(Debug, Subcommand)]
pub(super) enum Admin {
    /// Create and change users, their keys and special permissions.
    #[command(subcommand)]
    User(user::User),
    /// Invite people: print a link for each address, or one for many.
    Invite(invite::Invite),
    /// Create accounts for many people, or invite them, from a list.
    #[command(subcommand)]
    People(people::People),
    /// Fill a new organization with people, channels and messages, to look around in.
    Demo(demo::Demo),
    /// Show, deactivate or reactivate the organization.
    #[command(subcommand)]
    Organization(organization::Organization),
    /// Show or set the space that uploaded files may use.
    Quota(quota::Quota),
    /// Read, check or shorten the audit log.
    Audit(audit::Audit),
    /// Write a backup into a new directory while the server runs.
    Backup(data::Backup),
    /// Restore a backup into an empty data directory or a new database file.
    Restore(data::Restore),
    /// Import an organization from a data export into an empty data directory.
    Import(import::Import),
    /// Move the organization to a database of PostgreSQL, or from there to a file, while no server runs.
    Move(transfer::Move),
    /// Copy all files of the data directory into the configured bucket; repeated, only those that are missing there.
    CopyFiles(files::CopyFiles),
    /// Check that everything the server keeps is sound.
    Check(data::Check),
    /// The same as `spindle config`.
    #[command(subcommand, hide = true)]
    Config(Box<super::Config>),
}

impl Admin {
    /// The command and its target; `None` for a command that uses no server's files.
    fn subject(&self) -> Option<(&'static str, &TargetServer)> {
        match self {
            Self::User(user) => Some(("user", user.target())),
            Self::Invite(invite) => Some(("invite", &invite.target)),
            Self::People(people) => Some(("people", people.target())),
            Self::Demo(demo) => Some(("demo", &demo.target)),
            Self::Organization(organization) => Some(("organization", organization.target())),
            Self::Quota(quota) => Some(("quota", &quota.target)),
            Self::Audit(audit) => Some(("audit", audit.target())),
            Self::Backup(backup) => Some(("backup", &backup.target)),
            Self::Restore(restore) => Some(("restore", &restore.target)),
            Self::Import(import) => Some(("import", &import.target)),
            Self::Move(one) => Some(("move", &one.target)),
            Self::CopyFiles(copy) => Some(("copy-files", &copy.target)),
            Self::Check(check) => Some(("check", &check.target)),
            Self::Config(_) => None,
        }
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Some((command, target)) = self.subject() else {
            return self.work();
        };
        let database = target.database()?;
        // The other side of a move has an owner of its own.
        let destination = self.destination();
        on_files(command, &database, destination, || self.work())
    }

    /// The folder for the files that a command makes, if it differs from the target's.
    fn destination(&self) -> Option<PathBuf> {
        match self {
            Self::Move(one) => one.destination_folder(),
            _ => None,
        }
    }

    fn work(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::User(user) => user.run(),
            Self::Invite(invite) => invite.run(),
            Self::People(people) => people.run(),
            Self::Demo(demo) => demo.run(),
            Self::Organization(organization) => organization.run(),
            Self::Quota(quota) => quota.run(),
            Self::Audit(audit) => audit.run(),
            Self::Backup(backup) => backup.run(),
            Self::Restore(restore) => restore.run(),
            Self::Import(import) => import.run(),
            Self::Move(one) => one.run(),
            Self::CopyFiles(copy) => copy.run(),
            Self::Check(check) => check.run(),
            Self::Config(config) => config.run(),
        }
    }
}
