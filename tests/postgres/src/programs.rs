//! Finds PostgreSQL's programs, and runs them as an account that may run a server.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of a version, and the account that runs it.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    folder: PathBuf,
    account: Option<Account>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Account {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

impl Programs {
    /// The newest version that is installed.
    pub(crate) fn find() -> Option<Self> {
        let folder = of_debian().or_else(in_path)?;
        let account = (number("id", &["-u"])? == 0)
            .then(|| account_of("postgres").or_else(|| account_of("nobody")))
            .flatten();
        Some(Self { folder, account })
    }

    pub(crate) fn account(&self) -> Option<Account> {
        self.account
    }

    /// One of the programs.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.run(self.folder.join(program))
    }

    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }

    /// Any program, by the account of the server, in a folder that it may enter.
    pub(crate) fn run(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        if let Some(account) = self.account {
            command.gid(account.group).uid(account.user);
        }
        command.current_dir("/").stdin(Stdio::null());
        command
    }
}

fn of_debian() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    found.sort();
    found.pop().map(|(_, folder)| folder)
}

fn in_path() -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).find(|folder| folder.join("initdb").exists())
}

fn account_of(name: &str) -> Option<Account> {
    Some(Account {
        user: number("id", &["-u", name])?,
        group: number("id", &["-g", name])?,
    })
}

fn number(program: &str, arguments: &[&str]) -> Option<u32> {
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
