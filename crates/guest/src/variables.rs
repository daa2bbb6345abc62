//! The variables of the manifest, read once for the life of an instance.
//!
//! Owns the names under which the manifest declares them. A variable that is not granted to the
//! component is undefined, and counts as empty.

use crate::Environment;
use spin_sdk::variables;
use std::cell::OnceCell;
use std::rc::Rc;

thread_local! {
    static CACHED: OnceCell<Rc<Environment>> = const { OnceCell::new() };
}

/// The component's environment. Only the first request of an instance asks the host.
pub(crate) async fn environment() -> Rc<Environment> {
    if let Some(known) = CACHED.with(|cached| cached.get().cloned()) {
        return known;
    }
    let read = Rc::new(Environment {
        internal_token: read("internal_token").await,
        link_secret: read("link_secret").await,
        database_url: read("database_url").await,
        events_url: address(read("events_url").await),
        external_url: address(read("external_url").await),
        site: address(read("site").await),
        app_keys: read("app_keys").await,
        rate_limit_via_events: read("rate_limit_via_events").await == "true",
    });
    // Concurrent requests may all read the variables. They read the same values; the first result
    // is kept.
    CACHED.with(|cached| cached.get_or_init(|| read).clone())
}

async fn read(name: &str) -> String {
    match variables::get(name).await {
        Ok(value) => value,
        Err(variables::Error::Undefined(_)) => String::new(),
        Err(error) => {
            crate::log::fault("-", "variables", format!("{name}: {error:?}"));
            String::new()
        }
    }
}

fn address(value: String) -> String {
    value.trim_end_matches('/').to_owned()
}
