//! POST /register: parameters, sections of the snapshot, and their visibility.

mod anonymous;
mod capabilities;
mod capability_table;
mod channels;
mod mobile_fields;
mod parameters;
mod people;
mod sections;
mod unread;
mod versions;
