//! How this crate behaves on PostgreSQL: its statements, the functions that they call, the schema, concurrent changes,
//! and plans. Tests of one module's rows are next to that module.

mod changes;
mod functions;
mod plans;
mod schema;
mod schema_check;
mod statements;
