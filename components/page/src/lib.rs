//! The page that a person sees who opens the server's address.
//!
//! Owns the files of the page, which are part of the component, and the headers that keep
//! everything else away from it. It reads no database and calls nobody: what the page shows of
//! this server it asks for itself, like any client.

mod file;
mod get_page;
mod get_page_file;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[get_page::OPERATION, get_page_file::OPERATION];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
