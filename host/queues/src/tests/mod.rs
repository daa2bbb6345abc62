//! Tests of the service on a temporary database with a clock that tests move.

mod fan_out;
mod fixture;
mod lifetime;
mod nodes;
mod polling;
mod replay;
mod trouble;
