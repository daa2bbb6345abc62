//! What all of this crate is like on PostgreSQL: its statements, the functions that they call, the schema, changes that meet,
//! and plans. Tests of one module's rows are beside that module.

mod changes;
mod functions;
mod plans;
mod schema;
mod schema_check;
mod statements;
