//! The page that a person sees who opens the server's address, and the one where they join.
//!
//! Owns the files of the pages, which are part of the component, and the headers that keep
//! everything else away from it. It reads no database and calls nobody: what a page shows of
//! this server it asks for itself, like any client.

mod file;
mod get_join_page;
mod get_page;
mod get_page_file;
mod template;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_page::OPERATION,
    get_page_file::OPERATION,
    get_join_page::WITHOUT_KEY,
    get_join_page::WITH_KEY,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
