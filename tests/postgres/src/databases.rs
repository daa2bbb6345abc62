//! A database for one test: empty, or a copy of a template that the first test makes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{PASSWORD, Server, USER};

/// A database. It is removed, with the connections to it, when this is dropped.
#[derive(Debug)]
pub struct Database<'s> {
    server: &'s Server,
    name: String,
}

impl Server {
    /// An empty database.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn database(&self) -> Database<'_> {
        self.copy("template0")
    }

    /// A copy of a template. The first call with this name makes the template: `fill` gets the URL of
    /// an empty database, and must have closed its connections when it returns.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn database_from(&self, template: &'static str, fill: impl FnOnce(&str)) -> Database<'_> {
        let made = self.template(template);
        made.get_or_init(|| {
            self.psql(
                "postgres",
                &format!("CREATE DATABASE {template} TEMPLATE template0"),
            );
            fill(&self.url(template));
        });
        self.copy(template)
    }

    /// The URL of a database over TCP, with the password.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{database}",
            self.port()
        )
    }

    fn copy(&self, template: &str) -> Database<'_> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.psql(
            "postgres",
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        );
        Database { server: self, name }
    }

    fn template(&self, name: &'static str) -> Arc<OnceLock<()>> {
        let mut templates = self.templates.lock().expect("lock");
        Arc::clone(templates.entry(name).or_default())
    }
}

impl Database<'_> {
    /// Its name on the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its URL over TCP, with the password.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Runs statements in it; see [`Server::psql`].
    ///
    /// # Panics
    /// When one fails.
    pub fn psql(&self, statements: &str) -> String {
        self.server.psql(&self.name, statements)
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        // A failing test may have left the server stopped, which has its own message.
        if self.server.answers() {
            self.server.psql(
                "postgres",
                &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name),
            );
        }
    }
}
