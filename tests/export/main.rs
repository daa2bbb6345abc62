//! Archives of data exports: their content, that they are built even after crashes, and that they
//! can be imported into a new organization (markup-export-facts part 2; spec: POST /export/realm).

mod absurd;
mod archives;
mod chats;
mod generated;
mod imports;
mod large;
mod mattermost;
mod organization;
mod quotas;
mod refusals;
mod slack;
mod support;
