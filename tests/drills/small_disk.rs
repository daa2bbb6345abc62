//! A small file system in memory that a drill fills up: writes fail on it as on a full disk.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A mounted file system; it is unmounted with this value, or with the process.
pub struct SmallDisk {
    folder: tempfile::TempDir,
    guard: Child,
}

impl SmallDisk {
    /// Mounts one of this size; `None` where that is not allowed.
    pub fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::Builder::new()
            .prefix("spindle-disk-")
            .tempdir()
            .expect("folder");
        let size = format!("size={mebibytes}m,mode=700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "spindle-drill"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if !mounted.is_ok_and(|status| status.success()) {
            spindle_tests::forbidden("a full disk: mounting a file system");
            return None;
        }
        // Unmounts when this process ends, in whatever way.
        let guard = Command::new("sh")
            .args(["-c", "read line; umount --lazy \"$0\""])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("guard");
        Some(Self { folder, guard })
    }

    /// A data directory on it.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("ballast")
    }

    /// Takes all free space.
    pub fn fill(&self) {
        self.fill_but(0);
    }

    /// Leaves this much free space, in bytes.
    pub fn fill_but(&self, left: u64) {
        let path = self.ballast();
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .expect("ballast");
        for chunk in [1 << 16, 4096, 1] {
            let zeros = vec![0; chunk];
            while file.write_all(&zeros).is_ok() {}
        }
        let length = length(&path).saturating_sub(left);
        file.set_len(length).expect("ballast");
    }

    /// Frees the space.
    pub fn free(&self) {
        std::fs::remove_file(self.ballast()).expect("ballast");
    }
}

fn length(path: &Path) -> u64 {
    path.metadata().expect("metadata").len()
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}
