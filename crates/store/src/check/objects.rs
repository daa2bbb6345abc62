//! The objects of a schema in a form that can be compared.

use std::collections::BTreeMap;

use crate::row_struct;

/// Objects by type and name.
pub(super) type Objects = BTreeMap<(String, String), Object>;

/// A table, an index, a trigger or a view; on PostgreSQL also a column, a constraint or a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    /// Its definition in a form that can be compared.
    pub(super) sql: String,
}

row_struct! {
    pub(super) struct ObjectRow {
        pub(super) kind: String,
        pub(super) name: String,
        pub(super) sql: String,
    }
}
