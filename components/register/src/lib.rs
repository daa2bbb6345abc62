//! Registration of event queues with the snapshot that they continue.
//!
//! Owns the parameters of register. It stands alone because its answer is the largest and the
//! slowest, and must not hold up the others' instances.

mod register;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[register::OPERATION];

spindle_guest::component!(OPERATIONS);
