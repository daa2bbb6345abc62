//! Mails to a real mail server, aiosmtpd, with STARTTLS and a password: what the Python library for mails reads in them,
//! and what `spindle mail test` says of a wrong configuration.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use spindle_tests::certificates::Authority;
use spindle_tests::server::{binary, repository};
use spindle_tests::{Options, Server, free_port, until};

use crate::{Running, installed};

const NAME: &str = "chat@example.org";
const PASSWORD: &str = "pass, word";

struct MailServer {
    port: String,
    lines: Receiver<String>,
    _process: Running,
    folder: tempfile::TempDir,
}

impl MailServer {
    /// None where aiosmtpd or openssl is not installed.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("folder");
        let (bin, authority) = (installed("python")?, Authority::new(folder.path())?);
        let certificate = authority.sign("mail", "localhost");
        let port = free_port().to_string();
        let mut process = Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/mail.py"))
            .arg(&port)
            .args([&certificate.certificate, &certificate.key])
            .args([NAME, PASSWORD])
            .stdout(Stdio::piped())
            .spawn()
            .expect("aiosmtpd starts");
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().expect("stdout"));
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let server = Self {
            port,
            lines,
            _process: Running(process),
            folder,
        };
        assert_eq!(server.next_line(), "ready");
        Some(server)
    }

    #[track_caller]
    fn next_line(&self) -> String {
        let line = self.lines.recv_timeout(Duration::from_secs(30));
        line.expect("a line of the mail server")
    }

    #[track_caller]
    fn next_mail(&self) -> Value {
        serde_json::from_str(&self.next_line()).expect("a mail")
    }

    /// The options of a server that sends its mails here; `changed` ones replace others.
    fn options(&self, changed: &[(&str, &str)]) -> Vec<String> {
        let bundle = self.folder.path().join("authority.pem");
        let usual = [
            ("--external-url", "https://chat.example.org"),
            ("--mail-server", "localhost"),
            ("--mail-port", &self.port),
            ("--mail-username", NAME),
            ("--mail-password", PASSWORD),
            ("--mail-certificates", bundle.to_str().expect("UTF-8")),
            ("--mail-from", "chat@example.org"),
        ];
        let mut words = Vec::new();
        for (name, value) in usual {
            let other = changed.iter().find(|(changed, _)| *changed == name);
            let value = other.map_or(value, |(_, value)| value);
            if !value.is_empty() {
                words.extend([name.to_owned(), value.to_owned()]);
            }
        }
        let is_new = |name: &str| usual.iter().all(|(known, _)| *known != name);
        for (name, value) in changed.iter().filter(|(name, _)| is_new(name)) {
            words.extend([(*name).to_owned(), (*value).to_owned()]);
        }
        words
    }

    /// What `spindle mail test` says, and whether it succeeds.
    fn test(&self, changed: &[(&str, &str)]) -> (bool, String) {
        let output = Command::new(binary())
            .args(["mail", "test", "ann@example.org"])
            .args(self.options(changed))
            .current_dir(self.folder.path())
            .output()
            .expect("spindle runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        (output.status.success(), said)
    }
}

#[test]
fn a_wrong_configuration_is_named() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (is_sent, said) = mail.test(&[]);
    assert!(is_sent && said.contains("has taken a mail"), "{said}");
    assert_eq!(
        mail.next_mail()["to"],
        serde_json::json!(["ann@example.org"])
    );
    let nothing_here = free_port().to_string();
    for (changed, reason) in [
        (("--mail-certificates", ""), "not trusted"),
        (("--mail-password", "another"), "refuses mail_username"),
        (("--mail-tls", "tls"), "does not speak TLS"),
        (("--mail-port", nothing_here.as_str()), "nothing listens"),
    ] {
        let (is_sent, said) = mail.test(&[changed]);
        assert!(!is_sent && said.contains(reason), "{changed:?}: {said}");
        assert!(
            !said.contains(PASSWORD) && !said.contains("another"),
            "{said}"
        );
    }
    // None of the attempts has sent anything.
    let (is_sent, _) = mail.test(&[("--mail-from-name", "Last")]);
    assert!(is_sent);
    assert!(
        mail.next_mail()["headers"]["From"]
            .as_str()
            .unwrap()
            .contains("Last")
    );
}

#[test]
fn a_mail_program_reads_what_the_server_sends() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = Server::own(Options {
        extra: mail.options(&[]),
        ..Options::default()
    });
    let owner = server.owner();
    let name = [("full_name", "Zoë \u{1d54f} Müller, Chief")];
    owner.patch("/settings", &name).ok();
    // The second address is put off once.
    let addresses = "ann@example.org, later@example.org";
    let invitation = [("invitee_emails", addresses), ("stream_ids", "[]")];
    owner.post("/invites", &invitation).ok();
    let first = mail.next_mail();
    until("the other mail is put off", || {
        let sql = "SELECT 1 FROM mails WHERE address LIKE 'later@%' AND answer IS NOT NULL";
        server.database().query_row(sql, [], |_| Ok(())).ok()
    });
    server.hasten(40);
    let second = mail.next_mail();
    for (invited, to) in [(first, "ann@example.org"), (second, "later@example.org")] {
        assert_eq!(invited["to"], serde_json::json!([to]));
        assert_eq!(invited["defects"], serde_json::json!([]), "{invited}");
        let header = |name: &str| {
            invited["headers"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        assert_eq!(header("To"), to);
        assert_eq!(header("Auto-Submitted"), "auto-generated");
        assert!(header("Message-ID").ends_with("@example.org>"), "{invited}");
        for part in ["plain", "html"] {
            let text = invited[part].as_str().unwrap().replace("&#x2f;", "/");
            assert!(text.contains("Zoë \u{1d54f} Müller"), "{text}");
            assert!(text.contains("https://chat.example.org/join/"), "{text}");
        }
    }
}
