//! Converts the file into routes, components and values for the host.
//!
//! Variables take the value given by the program, else by the environment
//! (`SPIN_VARIABLE_<NAME>`), else their default.

use super::schema::{Component, RouteTable, Tuning, Variable};
use super::sql_rights::SqlRights;
use super::template::expand;
use super::{Manifest, ManifestError};
use spindle_system::secret::ComponentTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A route and the component that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The pattern, as in the manifest.
    pub pattern: String,
    /// Id of the component.
    pub component: String,
}

/// The settings of one component.
#[derive(Debug, Clone)]
pub struct ComponentSettings {
    pub id: String,
    /// The `.wasm` file.
    pub source: PathBuf,
    /// Labels of databases it may open.
    pub databases: BTreeSet<String>,
    /// Its rights there; `None` means unrestricted, as under Spin.
    pub sql_rights: Option<Arc<SqlRights>>,
    /// Labels of key-value stores it may open.
    pub stores: BTreeSet<String>,
    /// The hosts that its outgoing requests may reach.
    pub outbound_hosts: Vec<String>,
    /// Its variables, resolved; may hold secrets.
    pub variables: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    /// The host's own settings.
    pub tuning: Tuning,
}

/// A manifest with every value resolved.
#[derive(Debug, Clone)]
pub struct Application {
    pub name: String,
    /// Public routes in the order of the file.
    pub routes: Vec<Route>,
    /// Components in the order of their ids.
    pub components: Vec<ComponentSettings>,
}

/// The sources of variables' values, besides the defaults.
#[derive(Default)]
pub struct VariableSource {
    /// Given by the program; takes precedence.
    pub given: BTreeMap<String, String>,
    /// The environment, or a replacement in tests.
    pub environment: BTreeMap<String, String>,
    /// Values of [`TOKEN`], one for each component; they take precedence.
    pub tokens: Option<ComponentTokens>,
}

/// The variable with the token by which a component authenticates to the host.
const TOKEN: &str = "internal_token";

impl VariableSource {
    /// The values in `given`, then those of this process's environment.
    pub fn with_environment(given: BTreeMap<String, String>) -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("SPIN_VARIABLE_"))
            .collect();
        Self {
            given,
            environment,
            tokens: None,
        }
    }

    fn value(&self, component: &str, name: &str, variable: &Variable) -> Option<String> {
        let tokens = self.tokens.as_ref().filter(|_| name == TOKEN);
        if let Some(tokens) = tokens {
            return Some(tokens.of(component));
        }
        let in_environment = format!("SPIN_VARIABLE_{}", name.to_ascii_uppercase());
        self.given
            .get(name)
            .or_else(|| self.environment.get(&in_environment))
            .or(variable.default.as_ref())
            .cloned()
    }
}

impl Manifest {
    /// Resolves values and paths; `directory` is the manifest's.
    ///
    /// # Errors
    ///
    /// `UnknownComponent`, `Route`, `Setting`, `Variable`.
    pub fn resolve(
        &self,
        directory: &Path,
        source: &VariableSource,
    ) -> Result<Application, ManifestError> {
        let components = self.component.iter().map(|(id, component)| {
            let values = Values {
                manifest: self,
                source,
                component: id,
            };
            values.component(component, directory)
        });
        Ok(Application {
            name: self.application.name.clone(),
            routes: self.routes()?,
            components: components.collect::<Result<_, _>>()?,
        })
    }

    fn routes(&self) -> Result<Vec<Route>, ManifestError> {
        let mut routes = Vec::new();
        for trigger in &self.trigger.http {
            let component = trigger.component.clone();
            let pattern = match &trigger.route {
                RouteTable::Pattern(pattern) => Some(pattern.clone()),
                RouteTable::Private(private) if private.private => None,
                RouteTable::Private(_) => return Err(ManifestError::Route(component)),
            };
            if !self.component.contains_key(&component) {
                let pattern = pattern.unwrap_or_else(|| "private".to_owned());
                return Err(ManifestError::UnknownComponent(pattern, component));
            }
            if let Some(pattern) = pattern {
                routes.push(Route { pattern, component });
            }
        }
        Ok(routes)
    }
}

/// Resolves the values of one component.
struct Values<'a> {
    manifest: &'a Manifest,
    source: &'a VariableSource,
    component: &'a str,
}

impl Values<'_> {
    fn component(
        &self,
        component: &Component,
        directory: &Path,
    ) -> Result<ComponentSettings, ManifestError> {
        let variables = component
            .variables
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.expand(name, value)?)));
        let hosts = component
            .allowed_outbound_hosts
            .iter()
            .map(|host| self.expand("allowed_outbound_hosts", host));
        let hosts = hosts.collect::<Result<Vec<_>, ManifestError>>()?;
        // A template may expand to nothing: the service is not configured. It may expand to several: the
        // hosts of a database.
        let outbound_hosts = hosts.iter().flat_map(|hosts| hosts.split(','));
        let outbound_hosts = outbound_hosts.filter(|host| !host.is_empty());
        let outbound_hosts = outbound_hosts.map(str::to_owned).collect();
        self.check(&component.tool.spindle)?;
        Ok(ComponentSettings {
            id: self.component.to_owned(),
            source: directory.join(&component.source),
            databases: component.sqlite_databases.iter().cloned().collect(),
            sql_rights: self.sql_rights(component)?.map(Arc::new),
            stores: component.key_value_stores.iter().cloned().collect(),
            outbound_hosts,
            variables: variables.collect::<Result<_, ManifestError>>()?,
            environment: component.environment.clone(),
            tuning: component.tool.spindle.clone(),
        })
    }

    fn expand(&self, place: &str, text: &str) -> Result<String, ManifestError> {
        let error = |name: &str, reason| ManifestError::Variable {
            component: self.component.to_owned(),
            place: place.to_owned(),
            name: name.to_owned(),
            reason,
        };
        expand(text, |name| {
            let Some(variable) = self.manifest.variables.get(name) else {
                return Err(error(name, "the manifest does not declare"));
            };
            self.source
                .value(self.component, name, variable)
                .ok_or_else(|| error(name, "is required and was not given"))
        })
    }

    /// The rights of a component. A manifest defines rights either for all components with a database or for none, so
    /// that a forgotten definition cannot grant everything.
    fn sql_rights(&self, component: &Component) -> Result<Option<SqlRights>, ManifestError> {
        let refused = |reason| ManifestError::Setting(self.component.to_owned(), reason);
        let common = self.manifest.application.tool.spindle.sql.as_ref();
        match (common, &component.tool.spindle.sql) {
            (common, Some(own)) => {
                let common = common.cloned().unwrap_or_default();
                let rights = SqlRights::new(self.component, &common, own);
                rights.map(Some).map_err(refused)
            }
            (Some(_), None) if !component.sqlite_databases.is_empty() => Err(refused(
                "it opens a database, and its rights there (tool.spindle.sql) are missing"
                    .to_owned(),
            )),
            (_, None) => Ok(None),
        }
    }

    fn check(&self, tuning: &Tuning) -> Result<(), ManifestError> {
        let zero = |value: Option<usize>| value == Some(0);
        let refuse = |reason: &str| {
            Err(ManifestError::Setting(
                self.component.to_owned(),
                reason.to_owned(),
            ))
        };
        if zero(tuning.concurrent_requests_per_instance) || zero(tuning.requests_per_instance) {
            return refuse("limits of requests must be at least 1");
        }
        if tuning
            .memory_mib
            .is_some_and(|mib| !(1..=4096).contains(&mib))
        {
            return refuse("memory_mib must be between 1 and 4096");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::SqlAccess;
    use super::*;

    const TEXT: &str = r#"
spin_manifest_version = 2
[application]
name = "test"
version = "1"
[variables]
token = { default = "none", secret = true }
must = { required = true }
[[trigger.http]]
route = "/..."
component = "one"
[[trigger.http]]
route = { private = true }
component = "two"
[component.one]
source = "one.wasm"
allowed_outbound_hosts = ["http://self", "{{ nowhere }}"]
variables = { secret = "<{{ token }}>" }
[component.one.build]
command = "cargo build"
[component.one.tool.spindle]
requests_per_instance = 3
[component.two]
source = "two.wasm"
"#;

    fn resolve(text: &str, given: &[(&str, &str)]) -> Result<Application, ManifestError> {
        let pairs = given
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        let source = VariableSource {
            given: pairs.collect(),
            environment: BTreeMap::from([("SPIN_VARIABLE_TOKEN".to_owned(), "env".to_owned())]),
            tokens: None,
        };
        Manifest::parse(text)?.resolve(Path::new("/app"), &source)
    }

    #[test]
    fn values_come_from_the_program_then_the_environment_then_the_default() {
        let text = TEXT.replace("nowhere", "token");
        let secret = |app: &Application| app.components[0].variables["secret"].clone();
        let app = resolve(&text, &[]).unwrap();
        assert_eq!(secret(&app), "<env>");
        let app = resolve(&text, &[("token", "given")]).unwrap();
        assert_eq!(secret(&app), "<given>");
        assert_eq!(app.components[0].source, Path::new("/app/one.wasm"));
        assert_eq!(app.components[0].tuning.requests_per_instance, Some(3));
        let app = resolve(&text, &[("token", "")]).unwrap();
        assert_eq!(app.components[0].outbound_hosts, ["http://self"]);
        let app = resolve(&text, &[("token", "postgres://a,postgres://b:7")]).unwrap();
        let expected = ["http://self", "postgres://a", "postgres://b:7"];
        assert_eq!(app.components[0].outbound_hosts, expected);
    }

    #[test]
    fn each_component_has_its_own_token() {
        let text = TEXT
            .replace("{{ nowhere }}", "http://x")
            .replace("token", "internal_token");
        let text = format!("{text}variables = {{ secret = \"{{{{ internal_token }}}}\" }}\n");
        let tokens = ComponentTokens::new().unwrap();
        let source = VariableSource {
            tokens: Some(tokens.clone()),
            ..VariableSource::default()
        };
        let manifest = Manifest::parse(&text).unwrap();
        let app = manifest.resolve(Path::new("/app"), &source).unwrap();
        let secret = |number: usize| app.components[number].variables["secret"].clone();
        assert_eq!(secret(0), format!("<{}>", tokens.of("one")));
        assert_eq!(secret(1), tokens.of("two"));
    }

    #[test]
    fn private_components_have_no_route() {
        let app = resolve(&TEXT.replace("nowhere", "token"), &[]).unwrap();
        assert_eq!(app.routes.len(), 1);
        assert_eq!(app.components.len(), 2);
    }

    #[test]
    fn rights_are_granted_to_all_who_open_a_database() {
        let text = TEXT.replace("nowhere", "token");
        assert_eq!(resolve(&text, &[]).unwrap().components[0].sql_rights, None);
        let common = "[application.tool.spindle.sql]\nselect = [\"a\"]\n[variables]";
        let text = text.replace("[variables]", common);
        assert!(resolve(&text, &[]).is_ok(), "none of them opens one");
        let text = format!("{text}sqlite_databases = [\"default\"]\n");
        let refused = resolve(&text, &[]).unwrap_err().to_string();
        assert!(refused.contains("\"two\""), "{refused}");
        let text = format!("{text}[component.two.tool.spindle.sql]\nselect = [\"b\"]\n");
        let app = resolve(&text, &[]).unwrap();
        let rights = app.components[1].sql_rights.as_ref().unwrap();
        assert_eq!(rights.component(), "two");
        assert!(["a", "b"].map(|table| rights.allow(SqlAccess::Select(table, "x"))) == [true; 2]);
        assert!(resolve(&text.replace("[\"b\"]", "[\"b c\"]"), &[]).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            (TEXT.to_owned(), "nowhere"),
            (TEXT.replace("nowhere", "must"), "must"),
            (
                TEXT.replace("component = \"two\"", "component = \"three\""),
                "three",
            ),
            (
                TEXT.replace("requests_per_instance = 3", "requests_per_instance = 0"),
                "one",
            ),
            (
                TEXT.replace("requests_per_instance = 3", "request_per_instance = 3"),
                "line 22",
            ),
            (
                TEXT.replace("source = \"two.wasm\"", "sorce = \"two.wasm\""),
                "line 24",
            ),
            (TEXT.replace("version = 2", "version = 3"), "3"),
            (TEXT.replace("private = true", "private = false"), "two"),
        ];
        for (text, named) in cases {
            let error = resolve(&text, &[]).unwrap_err().to_string();
            assert!(error.contains(named), "{named}: {error}");
        }
    }
}
