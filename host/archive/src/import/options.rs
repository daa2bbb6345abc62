//! The options of an import, and its report.

use std::path::PathBuf;

use spindle_actions::apps::AppKeys;
use spindle_actions::import::Imported;

/// The archive to import, and the options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The archive: a tar that is compressed by gzip, or a zip.
    pub archive: PathBuf,
    /// Address of the account that becomes an owner.
    pub owner: Option<String>,
    /// Most bytes that the archive may unpack to.
    pub most: u64,
    /// Domain of the addresses of people who have none in an archive of Slack or Mattermost.
    pub email_domain: Option<String>,
    /// Name of the organization, where the archive is one of Slack or Mattermost.
    pub name: Option<String>,
    /// The keys of which one must have signed an app.
    pub app_keys: AppKeys,
}

/// The product that an archive comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A data export in Zulip's layout.
    Zulip,
    /// A workspace export of Slack.
    Slack,
    /// A bulk export of Mattermost.
    Mattermost,
}

impl Origin {
    /// As the command names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zulip => "Zulip",
            Self::Slack => "Slack",
            Self::Mattermost => "Mattermost",
        }
    }
}

/// The result of an import.
#[derive(Debug)]
pub struct Outcome {
    /// Where the archive came from.
    pub origin: Origin,
    /// The numbers of imported and omitted rows.
    pub imported: Imported,
}
