//! Conversations with servers that misbehave.

use spindle_config::{MailOptions, Options};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

const SITE: &str = "https://chat.example.org";

fn mailer(lines: &str) -> Mailer {
    let text = format!(
        "external_url = \"{SITE}\"\nmail_from = \"chat@example.org\"\nmail_tls = \"none\"\n{lines}"
    );
    let config = spindle_config::load_text(Options::default(), Path::new("x.toml"), &text);
    Mailer::of(&MailOptions::from(&config.unwrap()), SITE)
        .unwrap()
        .unwrap()
}

fn letter() -> Letter {
    let values = serde_json::json!({"organization": "Tea"});
    Letter {
        kind: "test".to_owned(),
        to: "ann@x.org".to_owned(),
        to_name: None,
        id: "1".to_owned(),
        thread: None,
        unsubscription: None,
        values: values.as_object().unwrap().clone(),
    }
}

/// A server that answers the command with these letters with this line, closes the connection for an empty one, and
/// else takes everything. Returns its port, and what it has received.
async fn server(command: &'static str, answer: &'static str) -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let talking = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut received = String::new();
        let greeting = if command == "greeting" {
            answer
        } else {
            "220 here"
        };
        let mut reply = greeting.to_owned();
        loop {
            if reply.is_empty()
                || stream
                    .write_all(format!("{reply}\r\n").as_bytes())
                    .await
                    .is_err()
            {
                return received;
            }
            let mut line = String::new();
            let is_text = reply.starts_with("354");
            loop {
                if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                    return received;
                }
                if !is_text || line.ends_with("\r\n.\r\n") {
                    break;
                }
            }
            received.push_str(&line);
            reply = match &line {
                line if is_text && command == "text" && !line.is_empty() => answer.to_owned(),
                _ if is_text => "250 taken as 7".to_owned(),
                line if line.starts_with(command) => answer.to_owned(),
                line if line.starts_with("EHLO") => "250-here\r\n250 AUTH PLAIN".to_owned(),
                line if line.starts_with("DATA") => "354 go on".to_owned(),
                line if line.starts_with("AUTH") => "235 welcome".to_owned(),
                line if line.starts_with("QUIT") => "221 bye".to_owned(),
                _ => "250 fine".to_owned(),
            };
        }
    });
    (port, talking)
}

async fn failure(command: &'static str, answer: &'static str) -> Failure {
    let (port, talking) = server(command, answer).await;
    let login = "mail_username = \"u\"\nmail_password = \"hidden\"\n";
    let mailer = mailer(&format!(
        "mail_server = \"127.0.0.1\"\nmail_port = {port}\n{login}"
    ));
    let failure = mailer.lane().send(&letter()).await.unwrap_err();
    talking.await.unwrap();
    assert!(!failure.to_string().contains("hidden"), "{failure}");
    failure
}

#[tokio::test]
async fn mails_go_over_one_connection() {
    let (port, talking) = server("-", "").await;
    let mailer = mailer(&format!("mail_server = \"127.0.0.1\"\nmail_port = {port}"));
    assert_eq!(mailer.destination(), format!("127.0.0.1:{port}"));
    let mut lane = mailer.lane();
    for _ in 0..2 {
        assert_eq!(lane.send(&letter()).await.unwrap(), "taken as 7");
    }
    lane.close().await;
    let received = talking.await.unwrap();
    assert_eq!(received.matches("EHLO chat.example.org").count(), 1);
    assert_eq!(received.matches("RCPT TO:<ann@x.org>").count(), 2);
    assert_eq!(received.matches("Message-ID: <1@example.org>").count(), 2);
    assert!(received.ends_with("QUIT\r\n"));
}

#[tokio::test]
async fn what_a_refusal_means_depends_on_its_step() {
    for (command, answer, expected) in [
        ("greeting", "421 busy", Failure::Unusable("busy".into())),
        (
            "greeting",
            "554 not you",
            Failure::Unusable("not you".into()),
        ),
        ("greeting", "", Failure::Unusable("before it greets".into())),
        ("greeting", "hello", Failure::Unusable("127.0.0.1".into())),
        (
            "AUTH",
            "535 wrong",
            Failure::Unusable("mail_username".into()),
        ),
        (
            "MAIL",
            "550 not from you",
            Failure::Unusable("mail_from".into()),
        ),
        ("MAIL", "", Failure::Unusable("has failed".into())),
        (
            "RCPT",
            "450 greylisted",
            Failure::Later("greylisted".into()),
        ),
        (
            "RCPT",
            "550 nobody",
            Failure::Refused("this address".into()),
        ),
        ("RCPT", "530 sign in", Failure::Later("sign in".into())),
        ("DATA", "452 full", Failure::Later("full".into())),
        ("DATA", "", Failure::Unusable("has failed".into())),
        ("text", "451 later", Failure::Later("later".into())),
        ("text", "554 spam", Failure::Refused("this mail".into())),
        ("text", "", Failure::Unusable("has failed".into())),
    ] {
        let found = failure(command, answer).await;
        let is_same = std::mem::discriminant(&found) == std::mem::discriminant(&expected);
        let is_said = found.to_string().contains(&expected.to_string());
        assert!(is_same && is_said, "{command} {answer}: {found:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_explained() {
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (plain, _talking) = server("-", "").await;
    let (other, _talking) = server("-", "").await;
    for (port, tls, said) in [
        (free, "none", "nothing listens on"),
        (plain, "starttls", "does not offer STARTTLS"),
        (other, "tls", "does not speak TLS"),
    ] {
        let text = format!(
            "external_url = \"{SITE}\"\nmail_from = \"chat@example.org\"\nmail_tls = \"{tls}\"\n\
             mail_server = \"127.0.0.1\"\nmail_port = {port}"
        );
        let config = spindle_config::load_text(Options::default(), Path::new("x.toml"), &text);
        let mailer = Mailer::of(&MailOptions::from(&config.unwrap()), SITE)
            .unwrap()
            .unwrap();
        let failure = mailer.lane().send(&letter()).await.unwrap_err();
        assert!(matches!(failure, Failure::Unusable(_)), "{failure:?}");
        assert!(failure.to_string().contains(said), "{failure}");
    }
}

#[tokio::test]
async fn a_program_takes_mails() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("sendmail");
    let script = |end: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let text = format!(
            "#!/bin/sh\necho \"$@\" > {0}/arguments\ncat > {0}/text\n{end}\n",
            folder.path().display()
        );
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let mailer = mailer(&format!("mail_sendmail = {program:?}"));
    let missing = mailer.lane().send(&letter()).await;
    assert!(matches!(missing, Err(Failure::Unusable(_))), "{missing:?}");
    script("exit 0");
    mailer.lane().send(&letter()).await.unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("arguments"), "-i -f chat@example.org -- ann@x.org\n");
    assert!(read("text").contains("Message-ID: <1@example.org>"));
    for (end, is_refused) in [("echo nobody >&2; exit 67", true), ("exit 75", false)] {
        script(end);
        let failure = mailer.lane().send(&letter()).await.unwrap_err();
        assert_eq!(
            matches!(failure, Failure::Refused(_)),
            is_refused,
            "{failure:?}"
        );
    }
}
