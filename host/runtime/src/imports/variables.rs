//! `spin:variables@3.0.0`: configuration values of one component.
//!
//! Values are resolved when the application is loaded; this only looks them up. They may be secrets,
//! so this module must not log or format them.

use crate::GuestState;
use spindle_bindings::spin::variables::variables::{Error, Host, HostWithStore};
use wasmtime::Result;
use wasmtime::component::{Accessor, HasSelf};

impl Host for GuestState {}

impl HostWithStore<GuestState> for HasSelf<GuestState> {
    async fn get(
        accessor: &Accessor<GuestState, Self>,
        name: String,
    ) -> Result<Result<String, Error>> {
        let valid = name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && name.starts_with(|c: char| c.is_ascii_lowercase());
        if !valid {
            return Ok(Err(Error::InvalidName(name)));
        }
        let value =
            accessor.with(|mut access| access.get().component.variables.get(&name).cloned());
        Ok(value.ok_or(Error::Undefined(name)))
    }
}
