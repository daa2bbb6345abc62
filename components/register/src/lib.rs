//! Registration of event queues with the snapshot that they continue.
//!
//! Owns the parameters of register. It is a component of its own because its answer is the largest
//! and slowest, and would block the instances of other operations.

mod register;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[register::OPERATION];

spindle_guest::component!(OPERATIONS);
