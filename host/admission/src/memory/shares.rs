//! How the budget of anonymous memory is divided.
//!
//! Owns the fixed sizes, and the fractions of the rest. Reservations are counted elsewhere.

/// The budget when nothing is configured, in bytes.
pub const DEFAULT: u64 = 512 << 20;
/// The least that can be configured: a large upload and a picture still fit.
pub const LEAST: u64 = 256 << 20;

/// The program's own memory: code and tables of the components, the page caches of SQLite's
/// connections, stacks, free memory of the allocator.
pub(super) const PROGRAM: u64 = 96 << 20;
/// The program's own memory is kept below its share by so much, since it is measured from time to time only.
pub(super) const MARGIN: u64 = 16 << 20;
/// The ring of events grows to this, where a tenth of the budget is as much. It holds some six thousand messages; a
/// client that is further behind has them read from the log.
const MOST_OF_RING: u64 = 16 << 20;

/// How a budget is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The ring of events may take so much, and is counted as if it always did.
    pub ring: u64,
    /// Reservations for all other purposes.
    pub given: u64,
    /// Bodies and answers, of all clients together.
    pub transfers: u64,
    /// Bodies and answers of one account or address.
    pub transfers_of_one: u64,
    /// Registrations of event queues.
    pub queues: u64,
    /// The part that only small instances and results, small answers while they are collected, and 64 KiB of bodies and answers
    /// of each client may use.
    pub kept: u64,
}

impl Shares {
    /// The shares of a budget.
    #[must_use]
    pub const fn of(budget: u64) -> Self {
        let tenth = budget / 10;
        let ring = if tenth < MOST_OF_RING {
            tenth
        } else {
            MOST_OF_RING
        };
        Self::given(budget.saturating_sub(PROGRAM + ring), ring)
    }

    /// Shares of `given` bytes in addition to a ring of `ring` bytes.
    pub(super) const fn given(given: u64, ring: u64) -> Self {
        Self {
            ring,
            given,
            transfers: given / 2,
            transfers_of_one: given / 8,
            queues: given / 8,
            kept: given / 4,
        }
    }
}
