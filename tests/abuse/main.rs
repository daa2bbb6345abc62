//! Abuse: a bystander uses the server while an attacker sends requests that the API and the network allow, in excess.
//!
//! Each test attacks a server of its own while a bystander sends, reads, signs in and receives
//! events. All requests of the bystander succeed, within the bounds of docs/adr/0066-one-admission.md; the server's
//! memory stays under its budget, and the server releases what the attack took. This test binary
//! runs alone, because it measures times.

mod archives;
mod attack;
mod attacker;
mod bodies;
mod bystander;
mod codes;
mod connections;
mod downloads;
mod exports;
mod groups;
mod keys;
mod long_readers;
mod marks;
mod markup;
mod memory;
mod mixed;
mod pages;
mod passwords;
mod pictures;
mod queues;
mod resources;
mod scene;
mod services;
mod slow_reads;
mod snapshots;
mod storms;
mod transfers;
