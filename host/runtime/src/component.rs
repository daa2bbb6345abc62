//! The data shared by all instances of a component.

use crate::key_value::KeyValue;
use crate::outbound_http::OutboundHttp;
use spindle_admission::memory::Memory;
use spindle_manifest::SqlRights;
use spindle_postgres::Postgres;
use spindle_sqlite::Database;
use spindle_system::clock::Clock;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// The data shared by the instances of one component.
pub struct ComponentContext {
    /// Its id in the manifest.
    pub id: Arc<str>,
    /// Labels of databases the manifest lets it open.
    pub allowed_databases: BTreeSet<String>,
    /// Every database of the host by label.
    pub databases: HashMap<String, Database>,
    /// Its rights in them; `None` means unrestricted.
    pub sql_rights: Option<Arc<SqlRights>>,
    /// Labels of key-value stores the manifest lets it open.
    pub allowed_stores: BTreeSet<String>,
    /// The key-value file, if the host has one.
    pub key_value: Option<KeyValue>,
    /// Resolved variables; may hold secrets.
    pub variables: BTreeMap<String, String>,
    /// Environment variables of the guest.
    pub environment: BTreeMap<String, String>,
    /// Its outgoing HTTP, with the allowed hosts.
    pub outbound_http: OutboundHttp,
    /// Its connections to PostgreSQL, with the allowed hosts.
    pub postgres: Postgres,
    /// Most bytes of linear memory an instance may have.
    pub memory_bytes: usize,
    /// The memory budget for linear memories.
    pub memory: Arc<Memory>,
    /// Instances alive now.
    pub instances: AtomicUsize,
    /// The clock of its guests.
    pub clock: Clock,
}

impl ComponentContext {
    /// Whether the manifest lets the component open the database `label`.
    pub fn allows_database(&self, label: &str) -> bool {
        self.allowed_databases.contains(label)
    }

    /// Whether the manifest lets the component open the key-value store `label`.
    pub fn allows_store(&self, label: &str) -> bool {
        self.allowed_stores.contains(label)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// A component that may do nothing, whose instances may have `most` bytes,
    pub(crate) fn component(memory: Arc<Memory>, most: usize) -> Arc<ComponentContext> {
        use crate::outbound_http::Outside;
        use spindle_manifest::AllowedHosts;
        let nowhere = Arc::new(AllowedHosts::parse::<&str>(&[]).unwrap());
        Arc::new(ComponentContext {
            id: "test".into(),
            allowed_databases: BTreeSet::new(),
            databases: HashMap::new(),
            sql_rights: None,
            allowed_stores: BTreeSet::new(),
            key_value: None,
            variables: BTreeMap::new(),
            environment: BTreeMap::new(),
            outbound_http: OutboundHttp::new(Arc::clone(&nowhere), Arc::new(Outside::default())),
            postgres: Postgres::new(nowhere, Arc::default()),
            memory_bytes: most,
            memory,
            instances: AtomicUsize::new(0),
            clock: Clock::new(),
        })
    }
}
