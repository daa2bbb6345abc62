//! Ownership of files that root writes for a server of another account.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown, lchown};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The account of a server, when root works for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub user: u32,
    pub group: u32,
}

impl Account {
    /// The owner of `folder`, when this process is root and the owner is not.
    #[must_use]
    pub fn served_by_root(folder: &Path) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let found = fs::metadata(folder).ok()?;
        let account = Self {
            user: found.uid(),
            group: found.gid(),
        };
        (account.user != 0).then_some(account)
    }

    /// Hands `folder` and everything in it over. Follows no links: the account may have put them there.
    pub fn take_over(self, folder: &Path) -> io::Result<()> {
        self.take(folder, true)
    }

    /// Hands `folder` and the files directly in it over.
    pub fn take_over_files(self, folder: &Path) -> io::Result<()> {
        self.take(folder, false)
    }

    fn take(self, folder: &Path, is_recursive: bool) -> io::Result<()> {
        let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
        let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(folder)?;
        // By the descriptor: the path may lead elsewhere by now.
        let inside = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        for entry in fs::read_dir(&inside)? {
            let entry = entry?;
            let found = entry.metadata()?;
            match found.is_dir() {
                true if is_recursive => self.take(&entry.path(), true)?,
                true => {}
                // With a second name, the file may be one of another folder.
                false if found.uid() == self.user || found.nlink() > 1 => {}
                false => lchown(entry.path(), Some(self.user), Some(self.group))?,
            }
        }
        // Last, so that the account can change nothing in a folder of root in between.
        fchown(&opened, Some(self.user), Some(self.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    const SERVER: Account = Account {
        user: 65_533,
        group: 65_532,
    };

    fn owner(path: &Path) -> (u32, u32) {
        let found = fs::symlink_metadata(path).unwrap();
        (found.uid(), found.gid())
    }

    #[test]
    fn everything_below_a_folder_is_handed_over_but_not_what_links_lead_to() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("backup/blobs/a")).unwrap();
        for name in ["backup/x.db", "backup/blobs/a/1", "elsewhere", "other"] {
            fs::write(path(name), "x").unwrap();
        }
        symlink(path("elsewhere"), path("backup/link")).unwrap();
        fs::hard_link(path("other"), path("backup/second-name")).unwrap();
        SERVER.take_over_files(&path("backup")).unwrap();
        let wanted = (SERVER.user, SERVER.group);
        assert_eq!(owner(&path("backup/x.db")), wanted);
        assert_eq!(owner(&path("backup/blobs")).0, 0);
        SERVER.take_over(&path("backup")).unwrap();
        for name in ["backup", "backup/blobs", "backup/blobs/a/1", "backup/link"] {
            assert_eq!(owner(&path(name)), wanted, "{name}");
        }
        for name in ["elsewhere", "other"] {
            assert_eq!(owner(&path(name)).0, 0, "{name}");
        }
    }

    #[test]
    fn root_serves_the_owner_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Account::served_by_root(folder.path()), None);
        if rustix::process::geteuid().is_root() {
            chown(folder.path(), Some(SERVER.user), Some(SERVER.group)).unwrap();
            assert_eq!(Account::served_by_root(folder.path()), Some(SERVER));
        }
        assert_eq!(Account::served_by_root(&folder.path().join("none")), None);
    }
}
