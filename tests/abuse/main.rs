//! An attacker beside a bystander: what the API and the network allow, done too much.
//!
//! Each test attacks a server of its own while a bystander sends, reads and is told of events. All
//! that the bystander asks for succeeds, about as soon as it does alone, and the server's memory
//! stays under its budget. The program runs by itself, because it measures.

mod bodies;
mod bystander;
mod connections;
mod downloads;
mod memory;
mod reads;
