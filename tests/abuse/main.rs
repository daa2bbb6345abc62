//! An attacker beside a bystander: what the API and the network allow, done too much.
//!
//! Each test attacks a server of its own while a bystander sends, reads, signs in and is told of
//! events. All that the bystander asks for succeeds, about as soon as it does alone; the server's
//! memory stays under its budget, and what the attack took is given back. The program runs by
//! itself, because it measures.

mod alert_words;
mod archives;
mod attack;
mod attacker;
mod bodies;
mod bystander;
mod connections;
mod downloads;
mod exports;
mod groups;
mod holdings;
mod invitations;
mod keys;
mod marks;
mod markup;
mod memory;
mod mixed;
mod pages;
mod passwords;
mod pictures;
mod queues;
mod scene;
mod services;
mod slow_reads;
mod snapshots;
mod storms;
mod transfers;
