//! Certificates for tests, made on demand (committed ones would expire): an authority, and
//! certificates that it signs. Made by `openssl`, which CI has.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An authority of this test alone.
pub struct Authority {
    folder: PathBuf,
}

/// Files of a certificate and its key.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Authority {
    /// Makes an authority in a folder; `None` where there is no `openssl`, which counts as a
    /// skipped test.
    #[must_use]
    pub fn new(folder: &Path) -> Option<Self> {
        let authority = Self {
            folder: folder.to_owned(),
        };
        let there = Command::new("openssl").arg("version").output();
        if !there.is_ok_and(|output| output.status.success()) {
            crate::skip("TLS: openssl is not installed");
            return None;
        }
        authority.make("authority", &[]);
        Some(authority)
    }

    /// Its own certificate, which clients trust.
    #[must_use]
    pub fn bundle(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }

    /// Signs a certificate for a host name and the loopback address.
    #[must_use]
    pub fn sign(&self, name: &str, host: &str) -> Certificate {
        let names = format!("subjectAltName=DNS:{host},IP:127.0.0.1");
        let (bundle, key) = (self.bundle(), self.folder.join("authority.key"));
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        self.make(
            name,
            &[
                "-CA",
                &text(&bundle),
                "-CAkey",
                &text(&key),
                "-addext",
                &names,
                "-addext",
                "basicConstraints=critical,CA:FALSE",
            ],
        )
    }

    fn make(&self, name: &str, further: &[&str]) -> Certificate {
        let made = Certificate {
            certificate: self.folder.join(format!("{name}.pem")),
            key: self.folder.join(format!("{name}.key")),
        };
        let output = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt"])
            .args(["ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args(["-subj", &format!("/CN=Spindle test {name}")])
            .args(further)
            .arg("-out")
            .arg(&made.certificate)
            .arg("-keyout")
            .arg(&made.key)
            .output()
            .expect("openssl runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        made
    }
}
