//! Finding the operations that a path names.
//!
//! `spindle_wire::path_template` owns the rules; `dispatch` checks the method after the route is known.

use crate::Operation;
#[cfg(any(target_arch = "wasm32", test))]
use crate::operation::Limit;
use http::Method;
use spindle_wire::path_template::{self, PathValues};

/// The operations of one path that remain possible while method and guard are still unknown.
#[derive(Debug)]
pub(crate) struct Route {
    operations: Vec<&'static Operation>,
    pub(crate) values: PathValues,
}

impl Route {
    /// The operation that answers to `method`; HEAD is answered as GET.
    pub(crate) fn operation(&self, method: &Method) -> Option<&'static Operation> {
        let wanted = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.operations
            .iter()
            .copied()
            .find(|operation| operation.method == *wanted)
    }

    /// The largest body that any of its operations takes, in bytes.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn body_limit(&self) -> usize {
        let limits = self.operations.iter().map(|operation| operation.body_limit);
        limits.max().unwrap_or(0)
    }

    /// Whether its operations read parameters from the query only.
    pub(crate) fn has_raw_body(&self) -> bool {
        self.operations.iter().any(|operation| operation.raw_body)
    }

    /// Whether none of its operations counts against the rate limits.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn is_exempt(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.all(|operation| operation.limit == Limit::Exempt)
    }

    /// The headers that answers of its operations have in common with that to OPTIONS.
    pub(crate) fn headers(&self) -> &'static [(&'static str, &'static str)] {
        self.operations
            .first()
            .map_or(&[], |operation| operation.headers)
    }

    /// The verbs of this path, sorted by name, as `Allow` and `allowed_methods` list them.
    pub(crate) fn allowed_methods(&self) -> Vec<&'static str> {
        let mut methods: Vec<&'static str> = self
            .operations
            .iter()
            .map(|operation| operation.method.as_str())
            .collect();
        methods.sort_unstable();
        methods
    }
}

/// Finds the operations of `path` (the raw path of the request, without the query); `None` for an unknown route.
pub(crate) fn find(table: &'static [Operation], path: &str) -> Option<Route> {
    let (template, values) = path_template::find(table.iter().map(|one| one.path), path)?;
    let operations = table
        .iter()
        .filter(|operation| operation.path == template)
        .collect();
    Some(Route { operations, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure;
    use crate::{Call, Guard, Reply};

    fn never(_: &Call<'_>) -> Result<Reply, Failure> {
        Err(Failure::internal("never called"))
    }

    static TABLE: &[Operation] = &[
        Operation::get("own", "/api/v1/users/me", Guard::User, never),
        Operation::get("by-email", "/api/v1/users/{email}", Guard::User, never),
        Operation::get(
            "by-id",
            "/api/v1/users/{user_id}/status",
            Guard::User,
            never,
        ),
        Operation::post("own-status", "/api/v1/users/me/status", Guard::User, never),
        Operation::delete("poll", "/api/v1/events", Guard::User, never),
        Operation::get("poll", "/api/v1/events", Guard::User, never),
        Operation::get("file", "/file", Guard::Anonymous, never).exempt(),
    ];

    #[test]
    fn a_path_is_exempt_when_all_its_operations_are() {
        let is_exempt = |path| find(TABLE, path).is_some_and(|route| route.is_exempt());
        assert!(is_exempt("/file"));
        assert!(!is_exempt("/api/v1/events"));
        assert!(!is_exempt("/unknown"));
    }

    #[test]
    fn a_route_takes_the_largest_body_of_its_operations() {
        static UPLOADS: &[Operation] = &[
            Operation::get("list", "/x", Guard::User, never),
            Operation::post("upload", "/x", Guard::User, never).taking(5 << 20),
            Operation::post("other", "/y", Guard::User, never),
        ];
        assert_eq!(find(UPLOADS, "/x").unwrap().body_limit(), 5 << 20);
        assert_eq!(find(UPLOADS, "/y").unwrap().body_limit(), 1 << 20);
    }

    #[test]
    fn verbs_are_listed_and_head_is_get() {
        let route = find(TABLE, "/api/v1/events").unwrap();
        assert_eq!(route.allowed_methods(), ["DELETE", "GET"]);
        assert!(route.operation(&Method::HEAD).is_some());
        assert!(route.operation(&Method::PUT).is_none());
    }
}
