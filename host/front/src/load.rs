//! Loading an application from its manifest.
//!
//! Checks the imports of the components and gives each the least privileges it needs; replaces
//! baseline code with optimized code once that is compiled. Opens neither databases nor sockets:
//! the caller passes them.

use super::app::{App, HostedComponent, Inner};
use super::compile::{self, PendingOptimization};
use super::component_builder::{Compiled, unreadable};
use super::files::Files;
use super::options::{AppOptions, LoadError, memory_bytes, pool_limits, read_application};
use super::request_metrics::RequestMetrics;
use super::router::Router;
use metrics::Gauge;
use spindle_manifest::AllowedHosts;
use spindle_manifest::{Application, ComponentSettings};
use spindle_postgres::{Pools, Postgres};
use spindle_runtime::outbound_http::{Dispatch, OutboundHttp, Outside};
use spindle_runtime::{ComponentContext, Pool};
use spindle_system::clock::millis;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Instant;

impl App {
    /// Loads the application in the manifest at `path`.
    ///
    /// # Errors
    ///
    /// See [`LoadError`]; an application is loaded completely or not at all.
    pub async fn load(path: &Path, options: AppOptions) -> Result<Self, LoadError> {
        let (variables, tokens) = (options.variables.clone(), options.tokens.clone());
        let application = read_application(path, &options.files, variables, tokens)?;
        Self::from_application(&application, options).await
    }

    /// As [`load`](Self::load), from a resolved manifest.
    pub async fn from_application(
        application: &Application,
        options: AppOptions,
    ) -> Result<Self, LoadError> {
        let components = &application.components;
        let started = Instant::now();
        let (compiled, optimizing) = compile::components(components, &options).await?;
        let outside = Arc::new(Outside {
            services: options.services.clone(),
            ..Outside::default()
        });
        let pools = Arc::new(Pools::trusting(options.database_root.clone()));
        let mut parts = Vec::new();
        for (settings, compiled) in components.iter().zip(&compiled) {
            let part = part(settings, compiled, &options, &outside, &pools)?;
            parts.push(Arc::new(part));
        }
        let number = |id: &str| components.iter().position(|c| c.id == id);
        let router = Router::new(&application.routes, number)?;
        let inner = Arc::new(Inner::new(router, parts, pools, options));
        let unoptimized = metrics::gauge!("spindle_components_unoptimized");
        unoptimized.set(0);
        if let Some(optimizing) = optimizing {
            unoptimized.set(optimizing.components() as f64);
            tokio::spawn(optimize(optimizing, Arc::downgrade(&inner), unoptimized));
        }
        let weak = Arc::downgrade(&inner);
        let dispatch: Weak<dyn Dispatch> = weak;
        // Cannot fail: `outside` was created above.
        let _ = outside.application.set(dispatch);
        let (count, duration_ms) = (components.len(), millis(started.elapsed()));
        tracing::info!(components = count, duration_ms, "application loaded");
        Ok(Self::new(inner))
    }
}

/// Checks that the application in the manifest at `path` can be loaded: that its files exist and its
/// largest bodies fit into `room` bytes of the memory budget. Compiles nothing.
pub fn check_application(
    path: &Path,
    files: &Files,
    variables: BTreeMap<String, String>,
    room: u64,
) -> Result<(), LoadError> {
    let Application {
        components, routes, ..
    } = read_application(path, files, variables, None)?;
    let number = |id: &str| components.iter().position(|c| c.id == id);
    Router::new(&routes, number)?;
    for settings in &components {
        let opened = files.open(&settings.source).map(drop);
        opened.map_err(unreadable(settings))?;
        let most = settings.tuning.max_body_bytes.unwrap_or_default();
        check_body(settings, most, room)?;
    }
    Ok(())
}

/// Whether the budget has room for the largest body of a component.
fn check_body(settings: &ComponentSettings, bytes: usize, room: u64) -> Result<(), LoadError> {
    if bytes as u64 <= room {
        return Ok(());
    }
    let reason = format!("max_body_bytes is {bytes}; the memory budget has room for {room}");
    Err(LoadError::Component(settings.id.clone(), reason))
}

/// Optimizes the components that started on baseline code, unless the application is dropped first.
async fn optimize(optimizing: PendingOptimization, inner: Weak<Inner>, unoptimized: Gauge) {
    let replace = |number: usize, compiled: Compiled| {
        let Some(inner) = inner.upgrade() else {
            return;
        };
        let Some(part) = inner.parts.get(number) else {
            return;
        };
        match part.pool.replace(&compiled.engine, &compiled.component) {
            Ok(()) => unoptimized.decrement(1),
            Err(error) => {
                let component = part.pool.id();
                tracing::error!(component, %error, "optimized code cannot be used");
            }
        }
    };
    optimizing.run(replace).await;
}

fn part(
    settings: &ComponentSettings,
    compiled: &Compiled,
    options: &AppOptions,
    outside: &Arc<Outside>,
    pools: &Arc<Pools>,
) -> Result<HostedComponent, LoadError> {
    let error = |reason: String| LoadError::Component(settings.id.clone(), reason);
    let allowed = AllowedHosts::parse(&settings.outbound_hosts);
    let allowed = allowed.map_err(|refused| error(refused.to_string()))?;
    let allowed = Arc::new(allowed);
    let context = Arc::new(ComponentContext {
        id: settings.id.as_str().into(),
        allowed_databases: settings.databases.clone(),
        databases: options.databases.clone(),
        sql_rights: settings.sql_rights.clone(),
        allowed_stores: settings.stores.clone(),
        key_value: options.key_value.clone(),
        variables: settings.variables.clone(),
        environment: settings.environment.clone(),
        outbound_http: OutboundHttp::new(Arc::clone(&allowed), Arc::clone(outside)),
        postgres: Postgres::new(allowed, Arc::clone(pools)),
        memory_bytes: memory_bytes(settings),
        memory: Arc::clone(options.admission.memory()),
        instances: Default::default(),
        clock: options.clock.clone(),
    });
    let max_body_bytes = settings.tuning.max_body_bytes;
    let max_body_bytes = max_body_bytes.unwrap_or(options.limits.max_body_bytes);
    check_body(
        settings,
        max_body_bytes,
        options.admission.memory().shares().transfers,
    )?;
    let Compiled { engine, component } = compiled;
    let pool = Pool::new(engine, component, context, pool_limits(settings, options))
        .map_err(|refused| error(format!("{refused:#}")))?;
    let exclusive_pool = pool.beside(pool_limits(settings, options).exclusive());
    Ok(HostedComponent {
        pool,
        exclusive_pool,
        metrics: RequestMetrics::new(&settings.id),
        max_body_bytes,
        has_pictures: settings.tuning.has_pictures.unwrap_or(false),
        needs_client_address: settings.tuning.needs_client_address.unwrap_or(false),
        is_rate_limited: settings.tuning.rate_limited.unwrap_or(true),
    })
}
