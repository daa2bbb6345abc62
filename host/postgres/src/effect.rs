//! What a statement does to the state of its connection, by its first words.
//!
//! The server does not say in which state a connection is. Knows no connection.

use super::parameters;
use spindle_bindings::spin::postgres::postgres::ParameterValue;

/// What a statement leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    Begins,
    Ends,
    Unknown,
}

impl Effect {
    pub(super) fn of(sql: &str) -> Self {
        // A comment may hide the word.
        if !sql
            .trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Self::Unknown;
        }
        let mut words = sql
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|w| !w.is_empty());
        let mut word = || words.next().unwrap_or_default().to_ascii_uppercase();
        match word().as_str() {
            "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "WITH" | "VALUES" | "MERGE" | "TABLE"
            | "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "COMMENT" | "LOCK" | "ANALYZE"
            | "SAVEPOINT" | "RELEASE" | "NOTIFY" | "SHOW" | "EXPLAIN" => Self::Nothing,
            "BEGIN" | "START" => Self::Begins,
            "ROLLBACK" | "COMMIT" | "END" | "ABORT" => match word().as_str() {
                "" => Self::Ends,
                "TO" => Self::Nothing,
                "WORK" | "TRANSACTION" if word().is_empty() => Self::Ends,
                _ => Self::Unknown,
            },
            // SET LOCAL ends with its transaction.
            "SET" if word() == "LOCAL" => Self::Nothing,
            _ => Self::Unknown,
        }
    }
}

/// The texts of BEGIN that need not be sent by themselves: the server refuses none of them where no transaction is open.
const PLAIN_BEGINS: [&str; 4] = [
    "BEGIN",
    READS,
    "BEGIN ISOLATION LEVEL REPEATABLE READ",
    "BEGIN ISOLATION LEVEL SERIALIZABLE",
];
const READS: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A BEGIN that can wait for the first statement of its transaction.
pub(super) fn plain_begin(sql: &str) -> Option<&'static str> {
    let sql = sql.trim();
    PLAIN_BEGINS.into_iter().find(|text| *text == sql)
}

/// Whether the transaction that `begin`, of [`plain_begin`], begins can change nothing.
pub(super) fn only_reads(begin: &str) -> bool {
    begin == READS
}

/// Whether the statement may be sent before it is known that its transaction has begun: outside of one, it would change nothing.
pub(super) fn is_select(sql: &str) -> bool {
    let word = sql.split_whitespace().next();
    word.is_some_and(|word| word.eq_ignore_ascii_case("SELECT"))
}

/// The bytes of the texts and blobs that the statement stores.
pub(super) fn stored_bytes(sql: &str, parameters: &[ParameterValue]) -> u64 {
    let word = sql.split_whitespace().next().unwrap_or_default();
    let stores = word.eq_ignore_ascii_case("INSERT") || word.eq_ignore_ascii_case("UPDATE");
    if stores {
        parameters::bytes(parameters)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_stores_is_counted() {
        use ParameterValue::{ArrayStr, Binary, Int64, Jsonb, Str};
        let parameters = [
            Int64(7),
            Str("four".to_owned()),
            Binary(vec![0; 5]),
            Jsonb(b"[1]".to_vec()),
            ArrayStr(vec![Some("a".to_owned()), None]),
        ];
        for (sql, bytes) in [
            ("INSERT INTO t VALUES ($1)", 13),
            ("\n update t SET a = $1", 13),
            ("DELETE FROM t", 0),
            ("SELECT $1", 0),
        ] {
            assert_eq!(stored_bytes(sql, &parameters), bytes, "{sql}");
        }
    }

    #[test]
    fn statements_that_leave_something_behind_are_known() {
        for (sql, effect) in [
            ("SELECT 1", Effect::Nothing),
            (" insert into t values (1)", Effect::Nothing),
            ("SAVEPOINT a", Effect::Nothing),
            ("ROLLBACK TO a", Effect::Nothing),
            ("SET LOCAL statement_timeout = 0", Effect::Nothing),
            ("BEGIN ISOLATION LEVEL SERIALIZABLE", Effect::Begins),
            ("start transaction", Effect::Begins),
            ("COMMIT", Effect::Ends),
            ("rollback;", Effect::Ends),
            ("END TRANSACTION", Effect::Ends),
            ("COMMIT AND CHAIN", Effect::Unknown),
            ("COMMIT PREPARED 'x'", Effect::Unknown),
            ("ROLLBACK WORK AND CHAIN", Effect::Unknown),
            ("SET search_path = x", Effect::Unknown),
            ("LISTEN x", Effect::Unknown),
            ("", Effect::Unknown),
            ("-- COMMIT\nBEGIN", Effect::Unknown),
        ] {
            assert_eq!(Effect::of(sql), effect, "{sql}");
        }
    }
}
