//! What components import, as the generated traits declare it: one module for each interface of Spin.
//!
//! Each checks the manifest's grants before every call; `crate` does the work.

mod key_value;
mod postgres;
mod sqlite;
mod variables;

use wasmtime::component::Resource;

/// The same entry of an instance's table under another type. The generated handle types are empty, since the bindings
/// know no type of the host.
fn handle<T: 'static, U: 'static>(of: &Resource<T>) -> Resource<U> {
    Resource::new_own(of.rep())
}
