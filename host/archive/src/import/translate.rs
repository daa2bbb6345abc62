//! Recognizes whose archive a zip file is, has it translated, and hands out its files afterwards.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::bounds::Bounds;
use super::chat::{Chat, Translated};
use super::options::{Options, Origin};
use super::tables::Tables;
use super::unzip::Unzip;
use super::{Files, STORING, Source, mattermost, slack};
use spindle_system::progress::{Progress, Unit};

/// Translates an archive into rows in `folder`.
pub(super) fn translate(
    options: &Options,
    bounds: Bounds,
    folder: &Path,
    progress: &Progress,
) -> Result<Source> {
    if let Some(domain) = &options.email_domain
        && !spindle_actions::is_email(&format!("x@{domain}"))
    {
        bail!("{domain}: this is not the domain of an e-mail address");
    }
    let translating = || -> Result<Source> {
        let mut zip = Unzip::open(&options.archive, options.most, &bounds)?;
        let origin = if slack::is_one(&zip) {
            Origin::Slack
        } else if mattermost::is_one(&zip) {
            Origin::Mattermost
        } else {
            bail!(
                "it is a zip file, but neither an export of Slack (users.json and channels.json) nor one \
                 of Mattermost (a file that ends with .jsonl)"
            );
        };
        let domain = options
            .email_domain
            .clone()
            .unwrap_or_else(|| format!("{}.invalid", origin.name().to_lowercase()));
        let mut chat = Chat::new(origin, folder, domain, bounds);
        if origin == Origin::Slack {
            slack::read(&mut zip, &options.archive, &mut chat, progress)?;
        } else {
            mattermost::read(&mut zip, &mut chat, progress)?;
        }
        if let Some(name) = &options.name {
            name.clone_into(&mut chat.name);
        }
        progress.step("sorting messages", Unit::Pieces, 0);
        let mut tables = Tables::empty(folder);
        let Translated { paths, notes } = chat.finish(&mut tables)?;
        // The files are read once more, within the same bound.
        let zip = Unzip::open(&options.archive, options.most, &bounds)?;
        Ok(Source {
            origin,
            tables,
            notes,
            files: Box::new(Unzipped { zip, paths }),
        })
    };
    translating()
        .with_context(|| format!("the archive {} cannot be read", options.archive.display()))
}

/// The files of a zip that were given paths in the layout.
struct Unzipped {
    zip: Unzip,
    paths: BTreeMap<usize, Vec<String>>,
}

impl Files for Unzipped {
    fn each(
        &mut self,
        progress: &Progress,
        visit: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        let sizes = self.paths.keys().filter_map(|place| {
            let entry = self.zip.entries().get(*place)?;
            Some(entry.size)
        });
        progress.step(STORING, Unit::Bytes, sizes.fold(0, u64::saturating_add));
        for (place, paths) in &self.paths {
            let size = self.zip.entries().get(*place).map_or(0, |it| it.size);
            for path in paths {
                self.zip.read(*place, |content| visit(path, content))?;
            }
            progress.add(size);
        }
        Ok(())
    }
}

impl Origin {
    /// Data that is never imported from there, each with the reason.
    #[must_use]
    pub const fn leaves_out(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Zulip => spindle_actions::import::IMPORT_LEAVES_OUT,
            Self::Slack => slack::LEAVES_OUT,
            Self::Mattermost => mattermost::LEAVES_OUT,
        }
    }
}
