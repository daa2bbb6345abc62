//! `spindle app grant`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use spindle_domain::apps::EventKind;

use super::manage::Named;
use crate::admin::Granting;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(
    ["all", "event", "command", "host", "channel", "all_channels", "only"]
)))]
pub(in crate::cli) struct Grant {
    #[command(flatten)]
    named: Named,
    /// All that the app asks for, but for channels that are to be chosen, and any host if hosts are named.
    #[arg(long)]
    all: bool,
    /// A kind of event; may be repeated.
    #[arg(long, value_name = "KIND")]
    event: Vec<EventKind>,
    /// The name of a command, without the slash; may be repeated.
    #[arg(long, value_name = "NAME")]
    command: Vec<String>,
    /// A host to which the app makes requests, or "*" for any public host; may be repeated.
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Id or name of a channel in which the app acts; may be repeated.
    #[arg(long, value_name = "CHANNEL", conflicts_with = "all_channels")]
    channel: Vec<String>,
    /// Every channel that its account can read.
    #[arg(long)]
    all_channels: bool,
    /// Take back what the app has and is not named here.
    #[arg(long)]
    only: bool,
}

impl Grant {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Named { common, name } = &self.named;
        let granting = Granting {
            everything: self.all,
            events: self.event.clone(),
            commands: self.command.clone(),
            hosts: self.host.clone(),
            channels: self.channel.clone(),
            all_channels: self.all_channels,
            only: self.only,
        };
        common.run(|apps| common.print(&apps.grant(name, &granting)?))
    }
}
