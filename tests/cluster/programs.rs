//! A program from Debian that runs next to the nodes, with its configuration and its log; it ends with the test.

use std::fs::File;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Child;

use tempfile::TempDir;

use crate::wait_until;

/// Where Debian installs daemons.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];

/// The path of an installed program; none, with a report that the test was skipped, where it is missing.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let paths = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
    let found = paths.into_iter().find(|path| path.exists());
    if found.is_none() {
        spindle_tests::skip(&format!("{name} is missing (scripts/install-postgres)"));
    }
    found
}

/// A running program.
pub(crate) struct Program {
    child: Child,
    folder: TempDir,
}

impl Program {
    /// Starts it with files of these names and contents, and waits until it listens on `port`. `FOLDER` in a word or a
    /// file is where the files are.
    pub(crate) fn start(path: &Path, words: &[&str], files: &[(&str, String)], port: u16) -> Self {
        let folder = spindle_test_postgres::folder_of_account();
        let place = folder.path().display().to_string();
        for (name, content) in files {
            let content = content.replace("FOLDER", &place);
            std::fs::write(folder.path().join(name), content).expect("a file");
        }
        let log = File::create(folder.path().join("log")).expect("a file");
        let mut command = spindle_test_postgres::as_account(path);
        for word in words {
            command.arg(word.replace("FOLDER", &place));
        }
        let child = command
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut program = Self { child, folder };
        wait_until("the program listens", || {
            let ended = program.child.try_wait().expect("a child");
            assert!(ended.is_none(), "{ended:?}: {}", program.log());
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        program
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
