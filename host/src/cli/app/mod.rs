//! `spindle app`: writes, tries and administers apps (docs/APPS.md).

mod compile;
mod configure;
mod grant;
mod install;
mod manage;
mod new;
mod pack;
mod shipped;
mod shown;
mod sign;
mod try_app;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum App {
    /// Write the folder of a new app, which works outside of this server's sources.
    New(new::New),
    /// Put a manifest into a component, or replace it: Rust does so itself.
    Pack(pack::Pack),
    /// Show what an app does with the events of a file, without a server.
    Try(try_app::Try),
    /// Compile a component from standard input; for the server itself.
    #[command(hide = true)]
    Compile(compile::Compile),
    /// Make a pair of keys for signing apps, and print the public one, which operators list as app_keys.
    Key(sign::Key),
    /// Sign a component.
    Sign(sign::Sign),
    /// Install the app of a component. It does nothing before rights are granted.
    Install(install::Install),
    /// List the apps of the organization.
    List(manage::List),
    /// Show an app: its rights, settings and state, and what it asks for.
    Show(manage::Named),
    /// Set settings and secrets of an app.
    Configure(configure::Configure),
    /// Grant rights to an app, in addition to those that it has.
    Grant(grant::Grant),
    /// Pause an app: it gets no events until it is resumed.
    Pause(manage::Named),
    /// Resume an app that an administrator or the server has paused.
    Resume(manage::Named),
    /// Show the newest lines of an app's log.
    Logs(manage::Named),
    /// Replace the component of an app by another version; what it keeps, its settings and its rights stay.
    Update(install::Update),
    /// Remove an app with all that it keeps. Its messages stay.
    Remove(manage::Named),
}

impl App {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Self::New(new) => new.run(),
            Self::Pack(pack) => pack.run(),
            Self::Try(try_app) => try_app.run(),
            Self::Compile(compile) => compile.run(),
            Self::Key(key) => key.run(),
            Self::Sign(sign) => sign.run(),
            Self::Install(install) => install.run(),
            Self::List(list) => list.run(),
            Self::Show(named) => named.show(),
            Self::Configure(configure) => configure.run(),
            Self::Grant(grant) => grant.run(),
            Self::Pause(named) => named.set_paused(true),
            Self::Resume(named) => named.set_paused(false),
            Self::Logs(named) => named.logs(),
            Self::Update(update) => update.run(),
            Self::Remove(named) => named.remove(),
        }
    }
}
