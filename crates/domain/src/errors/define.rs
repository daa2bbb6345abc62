//! The macro that makes both enums from the rows of the table.

/// A row is, in this order: documentation (the description for clients), name, code, HTTP status, the values that the
/// place of the error gives, the text for people, and the fields on the wire, each with its value and its schema:
///
/// ```text
/// /// What the client should know about it
/// QueueGone "QUEUE_GONE" 400 { queue_id: String } says(format!("There is no queue {queue_id}"))
///     with ["queue_id" = queue_id.as_str(), "{type: string}"];
/// ```
///
/// Forms that exclude each other are separated by `or`; a field whose value is null is left out.
macro_rules! errors {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident $code:literal $status:literal
        $({ $($given:ident: $type:ty),+ $(,)? })?
        says($text:expr)
        $(with $([ $($field:literal = $value:expr, $schema:literal);+ $(;)? ])or+)?;
    )+) => {
        /// Machine-readable kind of an error. Clients branch on it, never on the text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $( $(#[doc = $doc])+ $variant, )+ }

        impl Code {
            /// Every code, in the order of its name.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// HTTP status, unless the answer says otherwise.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }

            /// Name in the code and, with `Error` behind it, in the OpenAPI document.
            pub const fn identifier(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }

            /// When it is answered, in one sentence.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// The fields of each form; empty when there are none.
            pub const fn forms(self) -> &'static [&'static [$crate::errors::Field]] {
                match self {
                    $(Self::$variant => &[$($(
                        &[$($crate::errors::Field { name: $field, schema: $schema }),+]
                    ),+)?],)+
                }
            }
        }

        /// An error with a code of its own, and what its text and its fields need.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ClientError {
            $(
                $(#[doc = $doc])+
                $variant $({
                    $(#[doc = concat!("The `", stringify!($given), "` that the text or a field has.")] $given: $type),+
                })?,
            )+
        }

        #[allow(unused_variables, reason = "a value may be in the text, in a field, or in both")]
        impl ClientError {
            /// One of each row, for tests.
            pub fn samples() -> Vec<Self> {
                vec![$(Self::$variant $({
                    $($given: <$type as $crate::errors::sample::Sample>::sample()),+
                })?,)+]
            }

            /// Its code.
            pub const fn code(&self) -> Code {
                match self { $(Self::$variant { .. } => Code::$variant,)+ }
            }

            /// The text for people.
            pub fn text(&self) -> String {
                match self { $(Self::$variant $({ $($given),+ })? => String::from($text),)+ }
            }

            /// Its fields with their values, in the order of the table.
            pub fn fields(&self) -> Vec<(&'static str, serde_json::Value)> {
                let all: Vec<(&'static str, serde_json::Value)> = match self {
                    $(Self::$variant $({ $($given),+ })? => vec![$($($(
                        ($field, serde_json::Value::from($value))
                    ),+),+)?],)+
                };
                all.into_iter().filter(|(_, value)| !value.is_null()).collect()
            }
        }
    };
}

pub(super) use errors;
