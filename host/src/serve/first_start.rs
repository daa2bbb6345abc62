//! Migration at every start, and the organization with its owner at the first one.
//!
//! Owns the message that is printed when the server is up. The owner's key is written to a file and
//! never printed or logged; without that file another key can be issued. Until the owner has signed
//! in for the first time, the message contains a link that works once, for 15 minutes.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use anyhow::Result;
use clap::Args;
use spindle_actions::NewRealm;
use spindle_actions::users::NewAccount;
use spindle_domain::identity::ListedProvider;

use crate::admin::{Session, zuliprc};
use spindle_config::address::reachable;
use spindle_config::data_dir::{DataDir, write_private};
use spindle_database::Location;

/// Where the manual is, in the repository and in a package.
const MANUAL: &str = "docs/OPERATIONS.md, /usr/share/doc/spindle of a package";

/// What the first start creates; without effect on a server that exists.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "First start")]
pub struct InitialOrganization {
    /// Name of the organization.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Spindle",
        env = "SPINDLE_ORGANIZATION_NAME"
    )]
    organization_name: String,
    /// Email of its owner.
    #[arg(
        long,
        value_name = "EMAIL",
        default_value = "owner@example.org",
        env = "SPINDLE_OWNER_EMAIL"
    )]
    owner_email: String,
    /// Full name of its owner.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Owner",
        env = "SPINDLE_OWNER_FULL_NAME"
    )]
    owner_full_name: String,
    /// Password of its owner; without it, the owner has only an API key.
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "SPINDLE_OWNER_PASSWORD",
        hide_env_values = true
    )]
    owner_password: Option<String>,
}

impl InitialOrganization {
    /// The organization and owner to create.
    pub fn realm(&self) -> NewRealm {
        NewRealm {
            name: self.organization_name.clone(),
            owner: NewAccount {
                email: self.owner_email.clone(),
                full_name: self.owner_full_name.clone(),
                password: self.owner_password.clone(),
                ..NewAccount::default()
            },
        }
    }
}

/// Which services the operator has configured.
#[derive(Clone, Debug, Default)]
pub(super) struct Services {
    pub(super) push: bool,
    pub(super) mail: bool,
    pub(super) identity_providers: Vec<ListedProvider>,
}

impl Services {
    /// Records them for the components.
    pub(super) fn note(&self, session: &Session) -> Result<()> {
        session.configure_push_service(self.push)?;
        session.configure_mail(self.mail)?;
        session.configure_identity_providers(&self.identity_providers)
    }
}

/// The message that the server prints when it is up.
#[derive(Debug)]
pub(super) struct StartupMessage {
    /// The address for clients.
    site: String,
    data: DataDir,
    /// Email of the owner.
    owner: String,
    /// A sign-in link for the owner, until their first sign-in.
    sign_in_link: Option<String>,
}

/// Migrates the database, creates the organization when there is none, sends the restart event to
/// existing queues, and records which services are configured.
pub(super) fn prepare(
    data: &DataDir,
    database: &Location,
    site: &str,
    initial: &InitialOrganization,
    services: &Services,
) -> Result<StartupMessage> {
    let session = Session::open(database.clone())?;
    let path = data.owner_zuliprc();
    create_organization(&session, &path, site, &initial.realm())?;
    session.mend_texts()?;
    session.announce_restart()?;
    services.note(&session)?;
    let owner = session
        .first_owner()?
        .map_or_else(|| "EMAIL".to_owned(), |owner| owner.email);
    let sign_in_link = first_sign_in_link(&session, site);
    Ok(StartupMessage {
        site: site.to_owned(),
        data: data.clone(),
        owner,
        sign_in_link,
    })
}

/// A sign-in link for the owner, until their first sign-in. A failure, such as a full disk, does not
/// prevent the start.
pub(super) fn first_sign_in_link(session: &Session, site: &str) -> Option<String> {
    session.first_sign_in_link(site).unwrap_or_else(|error| {
        tracing::warn!(%error, "there is no sign-in link for the owner");
        None
    })
}

/// Creates the organization when there is none, and writes its owner's credentials to `path`.
/// Returns whether it was created.
pub(crate) fn create_organization(
    session: &Session,
    path: &Path,
    site: &str,
    realm: &NewRealm,
) -> Result<bool> {
    if session.has_realm()? {
        return Ok(false);
    }
    let owner = match session.create_realm(realm) {
        // Another node of a cluster that started at the same time has made it.
        Err(_) if session.has_realm()? => return Ok(false),
        created => created?,
    };
    write_private(path, &zuliprc(&owner.email, &owner.api_key, site))?;
    Ok(true)
}

impl StartupMessage {
    /// The message text. Its first line contains the address on which the server listens, which
    /// programs that start a server parse.
    pub(super) fn text(&self, scheme: &str, bound: SocketAddr) -> String {
        let mut lines = vec![format!(
            "spindle {} serves {scheme}://{}",
            env!("CARGO_PKG_VERSION"),
            reachable(bound)
        )];
        lines.push(format!(
            "  open {} in a browser: sign in and chat",
            self.site
        ));
        if is_of_this_machine(&self.site) {
            lines.push(
                "  only this machine reaches that address; for others, set listen and external_url"
                    .to_owned(),
            );
        }
        if let Some(link) = &self.sign_in_link {
            lines.push(format!(
                "  sign in as the owner, once, within 15 minutes: {link}"
            ));
        }
        lines.push(self.credentials());
        lines.push(format!(
            "  invite people: {} ADDRESS...",
            self.admin("invite")
        ));
        lines.push(format!("  manual: {MANUAL}"));
        lines.join("\n")
    }

    fn credentials(&self) -> String {
        let path = self.data.owner_zuliprc();
        if !path.exists() {
            let command = self.admin("user zuliprc");
            return format!(
                "  a client configuration for the owner: {command} --email {} --file owner.zuliprc",
                self.owner
            );
        }
        let path = path.display();
        format!(
            "  the owner's client configuration: {path}\n  \
             send a message (after `pip install zulip`):\n    \
             zulip-send --config-file {path} --stream general --subject hello --message \"Hello\""
        )
    }

    /// An administration command for this data directory.
    fn admin(&self, words: &str) -> String {
        let path = self.data.path().display();
        format!("spindle admin {words} --data-dir {path}")
    }
}

/// Whether an address is a loopback address.
fn is_of_this_machine(site: &str) -> bool {
    let Ok(uri) = site.parse::<http::Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{InitialOrganization, Services, prepare};
    use crate::admin::Session;
    use spindle_config::data_dir::DataDir;

    fn initial() -> InitialOrganization {
        InitialOrganization {
            organization_name: "Test".to_owned(),
            owner_email: "owner@example.org".to_owned(),
            owner_full_name: "Owner".to_owned(),
            owner_password: None,
        }
    }

    #[test]
    fn the_first_start_creates_and_the_second_keeps() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path());
        let start = || {
            let (database, site) = (data.database().into(), "http://127.0.0.1:3000");
            prepare(&data, &database, site, &initial(), &Services::default()).unwrap()
        };
        let welcome = start();
        let address = "127.0.0.1:3000".parse().unwrap();
        assert!(welcome.text("http", address).contains("zulip-send"));
        let credentials = std::fs::read_to_string(data.owner_zuliprc()).unwrap();
        let key = credentials
            .lines()
            .find_map(|line| line.strip_prefix("key="))
            .unwrap()
            .to_owned();
        assert!(!welcome.text("http", address).contains(&key));
        let link_of = |welcome: &super::StartupMessage| {
            let text = welcome.text("http", address);
            let (_, link) = text.split_once("http://127.0.0.1:3000/#sign-in/")?;
            link.lines().next().map(str::to_owned)
        };
        let link = link_of(&welcome).unwrap();
        assert_eq!(link.len(), 64);

        let again = start();
        let newer = link_of(&again).unwrap();
        assert_ne!(newer, link);
        assert_eq!(
            std::fs::read_to_string(data.owner_zuliprc()).unwrap(),
            credentials
        );
        assert_eq!(
            Session::open(data.database())
                .unwrap()
                .list()
                .unwrap()
                .len(),
            1
        );

        let connection = spindle_store::open(&data.database()).unwrap();
        let db = spindle_store::RusqliteDb::new(&connection);
        let now = 4_000_000_000;
        // A link is invalid once a newer one exists, or it is used or expired.
        let sign_in = |token: &str, now| {
            spindle_actions::account::sign_in_by_link(
                &db,
                1.into(),
                now,
                (token, None),
                Default::default(),
            )
        };
        assert!(sign_in(&link, 0).is_err());
        assert!(sign_in(&newer, now).is_err());
        assert!(sign_in(&newer, 0).is_ok());
        assert!(sign_in(&newer, 0).is_err());

        std::fs::remove_file(data.owner_zuliprc()).unwrap();
        let welcome = start();
        let text = welcome.text("https", address);
        assert!(text.contains("serves https://127.0.0.1:3000"), "{text}");
        assert!(text.contains("admin user zuliprc"), "{text}");
        assert!(text.contains("admin invite"), "{text}");
        assert_eq!(link_of(&welcome), None, "the owner has signed in");
    }

    #[test]
    fn a_loopback_address_is_pointed_out() {
        for (site, is_said) in [
            ("http://127.0.0.1:3000", true),
            ("http://[::1]:3000", true),
            ("http://localhost:3000", true),
            ("http://192.168.1.2:3000", false),
            ("https://chat.example.org", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let data = DataDir::new(folder.path());
            let welcome = prepare(
                &data,
                &data.database().into(),
                site,
                &initial(),
                &Services::default(),
            )
            .unwrap();
            let text = welcome.text("http", "0.0.0.0:3000".parse().unwrap());
            assert!(text.contains(&format!("open {site} in")), "{text}");
            assert_eq!(text.contains("only this machine"), is_said, "{text}");
        }
    }
}
