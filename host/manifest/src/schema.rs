//! The structure of the file: one struct for each table.
//!
//! Fields of the type `Ignored` are used only by Spin; they are listed so that they are not reported as
//! unknown.

use super::sql_rights::{CommonSql, SqlGrants};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Any value; ignored.
type Ignored = Option<toml::Value>;

/// A whole `spin.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always 2.
    pub spin_manifest_version: i64,
    /// Name and description.
    pub application: ApplicationTable,
    /// Variables of the whole application.
    #[serde(default)]
    pub variables: BTreeMap<String, Variable>,
    /// The triggers of components.
    #[serde(default)]
    pub trigger: Triggers,
    /// The components by id.
    #[serde(default)]
    pub component: BTreeMap<String, Component>,
}

/// `[application]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplicationTable {
    /// The application's name.
    pub name: String,
    #[serde(default, rename = "version")]
    _version: Ignored,
    #[serde(default, rename = "description")]
    _description: Ignored,
    #[serde(default, rename = "authors")]
    _authors: Ignored,
    #[serde(default, rename = "targets")]
    _targets: Ignored,
    #[serde(default, rename = "trigger")]
    _trigger: Ignored,
    /// Settings of tools, the native host's own among them.
    #[serde(default)]
    pub tool: ApplicationTools,
}

/// `[application.tool]`; other tools have theirs.
#[derive(Debug, Default, Deserialize)]
pub struct ApplicationTools {
    /// `[application.tool.spindle]`.
    #[serde(default)]
    pub spindle: ApplicationSettings,
}

/// The native host's own settings of the application.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplicationSettings {
    /// Rights common to all components; `None` means that the manifest defines no rights.
    pub sql: Option<CommonSql>,
}

/// One of `[variables]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Whether it has no default and must be given.
    #[serde(default)]
    pub required: bool,
    /// The value when none is given.
    pub default: Option<String>,
    /// Whether it must not be displayed.
    #[serde(default)]
    pub secret: bool,
    #[serde(default, rename = "description")]
    _description: Ignored,
}

/// `[[trigger.*]]`; only HTTP is supported.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Triggers {
    /// Routes in the order of the file.
    #[serde(default)]
    pub http: Vec<HttpTrigger>,
}

/// One `[[trigger.http]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpTrigger {
    /// A pattern, or `{ private = true }`.
    pub route: RouteTable,
    /// Id of the component.
    pub component: String,
    #[serde(default, rename = "id")]
    _id: Ignored,
    #[serde(default, rename = "executor")]
    _executor: Ignored,
}

/// The route of a trigger.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum RouteTable {
    /// `"/api/..."`.
    Pattern(String),
    /// `{ private = true }`: only other components reach it.
    Private(Private),
}

/// `{ private = true }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Private {
    /// Must be true.
    pub private: bool,
}

/// One `[component.x]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// The `.wasm` file, relative to the manifest.
    pub source: PathBuf,
    /// Labels of databases it may open.
    #[serde(default)]
    pub sqlite_databases: Vec<String>,
    /// Labels of key-value stores it may open.
    #[serde(default)]
    pub key_value_stores: Vec<String>,
    /// The hosts that its outgoing requests may reach; may contain templates.
    #[serde(default)]
    pub allowed_outbound_hosts: Vec<String>,
    /// Its variables; may contain templates.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Settings of tools, the native host's own among them.
    #[serde(default)]
    pub tool: Tools,
    #[serde(default, rename = "description")]
    _description: Ignored,
    #[serde(default, rename = "build")]
    _build: Ignored,
    #[serde(default, rename = "files")]
    _files: Ignored,
    #[serde(default, rename = "exclude_files")]
    _exclude_files: Ignored,
    #[serde(default, rename = "ai_models")]
    _ai_models: Ignored,
    #[serde(default, rename = "targets")]
    _targets: Ignored,
    #[serde(default, rename = "profile")]
    _profile: Ignored,
    #[serde(default, rename = "dependencies")]
    _dependencies: Ignored,
    #[serde(default, rename = "dependencies_inherit_configuration")]
    _dependencies_inherit_configuration: Ignored,
}

/// `[component.x.tool.*]`.
#[derive(Debug, Default, Deserialize)]
pub struct Tools {
    /// `[component.x.tool.spindle]`.
    #[serde(default)]
    pub spindle: Tuning,
}

/// The native host's own settings of a component; absent values have the host's default.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// Most concurrent requests in one instance that is called through WASI HTTP.
    pub concurrent_requests_per_instance: Option<usize>,
    /// Requests after which an instance is replaced.
    pub requests_per_instance: Option<usize>,
    /// Most linear memory of an instance, in MiB.
    pub memory_mib: Option<usize>,
    /// Longest time for one answer, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// Longest time of uninterrupted computing, in milliseconds.
    pub computing_ms: Option<u64>,
    /// Most bytes of a request's body.
    pub max_body_bytes: Option<usize>,
    /// Most bytes of an answer.
    pub max_response_bytes: Option<usize>,
    /// Whether bodies are pictures: they are limited like password hashes.
    pub has_pictures: Option<bool>,
    /// Whether it is given the addresses of clients.
    pub needs_client_address: Option<bool>,
    /// Whether requests count against the rate limits; false for a component that serves only fixed files, of which a
    /// page needs many at the same time. Default: true.
    pub rate_limited: Option<bool>,
    /// Its rights in its databases.
    pub sql: Option<SqlGrants>,
}
