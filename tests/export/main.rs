//! Archives of data exports: their content, that they are built even after crashes, and that they
//! can be imported into a new organization (docs/protocol/archive.md,
//! docs/protocol/exports.md#export_realm).

mod absurd;
mod apps;
mod archives;
mod both_databases;
mod both_imports;
mod chats;
mod extremes;
mod generated;
mod imports;
mod large;
mod mattermost;
mod organization;
mod quotas;
mod refusals;
mod slack;
mod support;
mod untrusted;
