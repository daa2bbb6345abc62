//! POST /register: parameters, sections of the snapshot, who may see what.

mod anonymous;
mod capabilities;
mod channels;
mod parameters;
mod people;
mod sections;
