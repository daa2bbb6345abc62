//! Mails that the server sends: the outbox, outages of the mail server, and the mails of each kind (docs/MAIL.md).

mod addresses;
mod digests;
mod invitations;
mod missed;
mod outages;
mod resets;
mod sign_ins;
mod smtp;

use spindle_tests::{Options, Server};

use self::smtp::Smtp;

/// The address by which people know the server.
const EXTERNAL_URL: &str = "https://chat.example.org";

/// A server with a mail server of its own.
struct World {
    server: Server,
    smtp: Smtp,
}

impl World {
    fn start() -> Self {
        let smtp = Smtp::start();
        let server = Server::own(Options {
            extra: flags(&smtp),
            ..Options::default()
        });
        Self { server, smtp }
    }
}

/// Options of a server that sends its mails to this one.
fn flags(smtp: &Smtp) -> Vec<String> {
    let options = [
        ("--external-url", EXTERNAL_URL),
        ("--mail-server", "127.0.0.1"),
        ("--mail-port", &smtp.port.to_string()),
        ("--mail-tls", "none"),
        ("--mail-from", "chat@example.org"),
    ];
    let words = options.iter().flat_map(|(name, value)| [*name, *value]);
    words.map(str::to_owned).collect()
}
