//! `spindle setup`: writes an operator's choices before the first start of a server: options in the
//! configuration file, and the organization with its owner.
//!
//! A packaged server does not start before setup is done (ADR 0038). Must not change an existing
//! organization, and must not ask questions: the command line does.

mod file;
mod questions;
mod warnings;

use std::net::SocketAddr;

use anyhow::{Context as _, Result, anyhow, bail};
use spindle_actions::NewRealm;
use spindle_actions::users::NewAccount;
use spindle_domain::RealmId;
use spindle_store::realms;

use crate::admin::Session;
use crate::serve::create_organization;
use spindle_archive::import;
use spindle_config::BaseUrl;
use spindle_config::address;
use spindle_config::claim::claim;
use spindle_config::data_dir::DataDir;
use spindle_database::Location;

pub use file::{changed, write};
pub use questions::{Given, Terminal, ask, complete};
pub use warnings::warnings;

/// The choices of an operator.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Name of the organization.
    pub organization: String,
    /// Email of its first owner.
    pub owner_email: String,
    /// Their full name.
    pub owner_full_name: String,
    /// Their password; without it they have only an API key.
    pub owner_password: Option<String>,
    /// The address for clients.
    pub external_url: BaseUrl,
    /// The address to listen on; if not given, that of the configuration.
    pub listen: Option<SocketAddr>,
}

impl Choice {
    fn realm(&self) -> NewRealm {
        NewRealm {
            name: self.organization.clone(),
            owner: NewAccount {
                email: self.owner_email.clone(),
                full_name: self.owner_full_name.clone(),
                password: self.owner_password.clone(),
                ..NewAccount::default()
            },
        }
    }

    /// Checks whether an organization can be created with these choices.
    ///
    /// # Errors
    /// The name, the address or the password is refused.
    pub fn check(&self) -> Result<()> {
        Ok(spindle_actions::check_new_realm(&self.realm())?)
    }
}

/// Whether the database has an organization, of any version and origin.
pub fn is_done(database: &Location) -> Result<bool> {
    // Only a certainly missing file counts as missing: an inaccessible directory is an error.
    if let Some(path) = database.file()
        && !path
            .try_exists()
            .with_context(|| path.display().to_string())?
    {
        return Ok(false);
    }
    let exists = database
        .connect()
        .and_then(|connection| realms::exists(&*connection, RealmId::ONLY));
    exists.map_err(|error| anyhow!("{database}: {}", error.reason()))
}

/// Creates the organization with its owner in a database that has none, and writes the owner's client configuration
/// into the data directory.
///
/// # Errors
/// A server runs on the directory, there is an organization already, or `choice` is refused.
pub fn create(data: &DataDir, database: &Location, choice: &Choice) -> Result<()> {
    data.create()?;
    let _claim = claim(data.path(), "spindle setup")?;
    import::require_ended(data, database)?;
    if let Some(file) = database.file() {
        data.require_no_unfinished_move(file)?;
        data.create_databases()?;
    }
    let BaseUrl(site) = &choice.external_url;
    let session = Session::open(database.clone())?;
    if !create_organization(&session, &data.owner_zuliprc(), site, &choice.realm())? {
        bail!("there is an organization in {database} already");
    }
    address::note(data, site);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn choice() -> Choice {
        Choice {
            organization: "Example".to_owned(),
            owner_email: "ada@example.org".to_owned(),
            owner_full_name: "Ada".to_owned(),
            owner_password: None,
            external_url: "https://chat.example.org".parse().unwrap(),
            listen: None,
        }
    }

    #[test]
    fn it_is_done_once() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path().join("data"));
        let database = Location::File(data.database());
        assert!(!is_done(&database).unwrap());
        // A start that was killed immediately leaves an empty file.
        data.create().unwrap();
        data.create_databases().unwrap();
        assert!(!is_done(&database).unwrap());
        create(&data, &database, &choice()).unwrap();
        assert!(is_done(&database).unwrap());
        let credentials = fs::read_to_string(data.owner_zuliprc()).unwrap();
        assert!(credentials.contains("email=ada@example.org"));
        assert!(credentials.contains("site=https://chat.example.org"));
        assert_eq!(address::noted(&data), Some(choice().external_url));
        assert!(create(&data, &database, &choice()).is_err());
        assert_eq!(
            fs::read_to_string(data.owner_zuliprc()).unwrap(),
            credentials
        );
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        assert!(choice().check().is_ok());
        let nameless = Choice {
            organization: " ".to_owned(),
            ..choice()
        };
        assert!(nameless.check().is_err());
        let lost = Choice {
            owner_email: "ada".to_owned(),
            ..choice()
        };
        assert!(lost.check().is_err());
    }

    #[test]
    fn what_is_no_database_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path());
        fs::write(
            data.database(),
            "not a database at all, but longer than its head is".repeat(9),
        )
        .unwrap();
        assert!(is_done(&data.database().into()).is_err());
    }
}
