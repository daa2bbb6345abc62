//! Archives of data exports: what is in them, what is not, that they are built whatever happens to
//! the server, and that an organization can be made of them again (markup-export-facts part 2; spec:
//! POST /export/realm).

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
