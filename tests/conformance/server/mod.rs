//! Operations without an account: server settings, fetching a key, the OpenAPI document, the emoji
//! table.

mod fetch_api_key;
mod get_server_settings;
mod hosts;
mod static_files;
mod stored_texts;
