//! The limits of the native host: memory, connections, concurrent requests, time. The host owns the
//! numbers: a test of that crate compares them.

use super::{Row, at};

const BUSY: &str = "waits, then 503 with `Retry-After`";

/// Connections, concurrent requests, bytes and time.
pub const SERVER: &[Row] = &[
    at(
        "connections",
        16_384,
        "for the server (`max_connections`)",
        "Each takes a file descriptor, and 16 KiB of the memory budget while it waits for events",
    )
    .answers("waits to be accepted", "abuse::connections"),
    at(
        "connections of one",
        2048,
        "for each address (`max_connections_per_address`)",
        "An eighth of them; a proxy that is trusted may have all",
    )
    .answers("503", "abuse::connections"),
    at(
        "requests of one",
        32,
        "for each account or address, inside components at once",
        "A third of those of the server",
    )
    .answers(BUSY, "spindle_admission"),
    at(
        "requests at once",
        96,
        "for the server, inside components (`max_instances`)",
        "Each has an instance of its own",
    )
    .answers(BUSY, "overload"),
    at(
        "waiting requests",
        20_000,
        "for the server (`request_queue`); of accounts and addresses without another request twice as many",
        "They wait ten seconds at most; after a restart all clients come back at once",
    )
    .answers("503 with `Retry-After`", "overload"),
    at(
        "time of a request",
        30,
        "seconds (`request_deadline`)",
        "Clients give up on slower ones",
    )
    .answers("504", "host::isolation"),
    at(
        "body",
        1_048_576,
        "bytes (`body_limit`)",
        "The longest form a client sends is a list of 10,000 ids",
    )
    .answers("413", "host::front"),
    at(
        "body with a file",
        27_262_976,
        "bytes (`max_body_bytes` in spin.toml)",
        "`max_file_upload_size_mib` with the form around it",
    )
    .answers("413", "abuse::bodies"),
    at(
        "large bodies",
        256,
        "for the server at once, 16 of one account",
        "A body may arrive slowly, and holds its memory meanwhile",
    )
    .answers(BUSY, "abuse::bodies"),
    at(
        "passwords and pictures",
        1,
        "at once for every two processors, one for each account or address",
        "Hashing a password takes a processor for some 50 milliseconds and 7 MiB, on purpose; decoding a picture of 16 million pixels up to 256 MiB",
    )
    .answers(BUSY, "host::alone"),
    at(
        "waiting passwords and pictures",
        256,
        "for the server, thirty seconds at most; of accounts and addresses without another one twice as many",
        "Others wait for one of each account or address",
    )
    .answers(BUSY, "spindle_admission"),
    at(
        "body without an account",
        65_536,
        "bytes",
        "Larger ones are taken only from accounts",
    )
    .answers("401", "abuse::bodies"),
    at(
        "written by a request",
        16_384,
        "bytes of texts in the database",
        "A message of 10,000 emoji is stored as megabytes of HTML; a message of 2,000 letters takes less",
    )
    .answers("each 16,384 bytes more count as one more request", "limits::written"),
    at(
        "answer",
        33_554_432,
        "bytes, 80 MiB for register (`max_response_bytes` in spin.toml)",
        "All quotas of an organization of 10,000 people together are less; pages of messages end at a fourth of it",
    )
    .answers("500", "host::isolation"),
    at(
        "memory",
        536_870_912,
        "bytes for the server (`memory_budget`)",
        "What the program itself takes, the ring of events, connections, bodies, answers while they are collected and until they are read, rows of statements on their way into instances, registrations of event queues, and the memory of instances",
    )
    .answers(BUSY, "abuse::memory"),
    at(
        "bodies and answers of one",
        52_428_800,
        "bytes for each account or address; a larger one is admitted alone",
        "An eighth of what the program and the ring leave of the budget; all clients together have half",
    )
    .answers(BUSY, "abuse::downloads"),
    at(
        "instance",
        67_108_864,
        "bytes, 208 MiB for register and 256 MiB for files (`memory_mib` in spin.toml)",
        "A request seldom needs a twentieth of it",
    )
    .answers("500", "host::isolation"),
    at(
        "instance in use",
        16_777_216,
        "bytes",
        "Its memory never shrinks: above this it takes no further request, and ends",
    )
    .answers("another instance", "host::memory"),
    at(
        "slow requests",
        2,
        "for the server at once, or one for each processor where there are more; half of them for each account or address",
        "Reads of the database and computations that take more than 10 ms; others wait for fifteen seconds",
    )
    .answers(BUSY, "abuse::slow_reads"),
    at(
        "readers of one",
        5,
        "for each account or address at once, more where there are more than two processors",
        "There are 32 read connections",
    )
    .answers(BUSY, "host::slow_reads"),
    at(
        "polls that read the database",
        4,
        "for the server at once, of one account half of them",
        "A queue that is not in memory, or whose events are not; after a restart all queues are read",
    )
    .answers(
        "waits for ten seconds, then 503 with `Retry-After`",
        "spindle_queues",
    ),
    at(
        "time of a statement",
        2,
        "seconds",
        "Of computing; twice as long, and slow reads four times, when the disk or the processor is taken",
    )
    .answers("503 with `Retry-After`", "host::guest_sqlite"),
    at(
        "connections to PostgreSQL",
        64,
        "for the components of a server",
        "A request has one while it is inside a component; a server of PostgreSQL has 100 by default",
    )
    .answers(BUSY, "spindle_postgres"),
    at(
        "waiting for PostgreSQL",
        5,
        "seconds, for a connection",
        "Clients come back; requests that wait hold instances",
    )
    .answers("503 with `Retry-After`", "spindle_postgres"),
    at(
        "time of a statement on PostgreSQL",
        25,
        "seconds",
        "Below the time of a request, so that there is an answer; then the statement is cancelled",
    )
    .answers("503 with `Retry-After`", "spindle_postgres"),
    at(
        "result on PostgreSQL",
        50_331_648,
        "bytes of one statement",
        "A larger one does not fit into an instance",
    )
    .answers("503 with `Retry-After`", "spindle_postgres"),
    at(
        "file in a bucket",
        83_886_080_000,
        "bytes, of an archive that the server writes",
        "Services take 10,000 parts of an object, and a part is 8 MiB of memory",
    )
    .answers("the export fails", "spindle_blobs::bucket"),
    at(
        "parts in a bucket",
        4096,
        "for each upload in parts",
        "The largest upload has a quarter of them, however small the pieces are that a client sends",
    )
    .answers("500", "spindle_blobs::bucket"),
    at(
        "calls to a provider",
        8,
        "to one identity provider at once, 32 to all; 64 more to one wait",
        "A sign-in takes up to four, which are over in a second",
    )
    .answers("the page says that the provider does not answer", "spindle_identity::answers"),
    at(
        "time of a call to a provider",
        10,
        "seconds, the wait for a turn included; 25 for a step of a sign-in",
        "A browser waits for it",
    )
    .answers("the page says that the provider does not answer", "spindle_identity::answers"),
    at(
        "answer of a provider",
        1_048_576,
        "bytes",
        "A document with addresses has a few kilobytes, a token with a thousand groups a hundred",
    )
    .answers("the page says that the provider does not answer", "spindle_identity::answers"),
    at(
        "events of a queue",
        10_000,
        "for each queue, not yet delivered (`queue_max_events`)",
        "A client that comes back after it asks for everything anew",
    )
    .answers("the queue ends", "spindle_queues"),
    at(
        "bytes of a queue",
        8_388_608,
        "for each queue, not yet delivered (`queue_max_bytes`)",
        "As for events",
    )
    .answers("the queue ends", "spindle_queues"),
];
