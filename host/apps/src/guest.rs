//! The data of one call: its limits, its time and random numbers, and what the app prints.

use crate::limits::Limits;

/// Bytes that are kept of what an app prints.
const PRINTED_BYTES: usize = 4_000;
/// Handles that an app gets in one call.
const HANDLES: u32 = 10_000;

pub(crate) struct Guest {
    pub(crate) limits: Limits,
    /// UNIX seconds.
    pub(crate) time: i64,
    random: u64,
    printed: Vec<u8>,
    handles: u32,
}

impl Guest {
    pub(crate) fn new(time: i64, seed: u64) -> Self {
        Self {
            limits: Limits::default(),
            time,
            random: seed,
            printed: Vec::new(),
            handles: 0,
        }
    }

    /// The next random number (SplitMix64).
    pub(crate) const fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Keeps the beginning of what is printed: the message of a panic comes once.
    pub(crate) fn print(&mut self, bytes: impl Iterator<Item = u8>) {
        let room = PRINTED_BYTES.saturating_sub(self.printed.len());
        self.printed.extend(bytes.take(room));
    }

    /// Counts a handle; false if there are too many.
    pub(crate) const fn may_have_handle(&mut self) -> bool {
        self.handles = self.handles.saturating_add(1);
        self.handles <= HANDLES
    }

    pub(crate) fn into_printed(self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }
}
