//! Memory that the C library has and nothing uses: how much of it is kept, and when it is given back.
//!
//! SQLite takes its memory from the C library. Each temporary table of a statement is some 90 KiB at the
//! end of the heap, which the library would give back to the system and take anew with every statement.
//! What is freed between pieces that are still in use it keeps: after a busy hour an idle server would
//! show as much as it had then. Beside `runtime/precompiled.rs` the only module of the project that may
//! contain unsafe code, for two calls. Must not decide when it is worth the time.

/// Bytes at the end of a heap that stay until [`give_back`].
#[cfg(target_env = "gnu")]
const KEPT: libc::c_int = 2 << 20;

/// Keeps some free memory at the end of each heap. To be called before there are threads.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
pub(crate) fn keep_some() {
    // SAFETY: the function has no preconditions but a parameter that it knows (mallopt(3)).
    let _ = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT) };
}

/// Other C libraries have no such call.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn keep_some() {}

/// Gives back what the C library's allocator holds free. Takes some milliseconds, in which others that
/// allocate there may wait.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
pub(crate) fn give_back() {
    // SAFETY: the function has no preconditions and may be called by any thread at any time
    // (malloc_trim(3): MT-Safe). It moves nothing that is in use.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Other C libraries have no such call.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn give_back() {}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_in_use_stays() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE rows (content);
                 INSERT INTO rows VALUES (zeroblob(1000000)), ('here');
                 DELETE FROM rows WHERE typeof(content) = 'blob'",
            )
            .unwrap();
        super::give_back();
        let content: String = connection
            .query_row("SELECT content FROM rows", [], |row| row.get(0))
            .unwrap();
        assert_eq!(content, "here");
    }
}
