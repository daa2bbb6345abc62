//! What needs no account: server settings, key fetch, the document, the emoji table; and calls.

mod calls;
mod fetch_api_key;
mod get_server_settings;
mod static_files;
