//! Amounts of money.

use crate::Node;
use crate::text::escape;

/// Currencies without cents.
const WHOLE: &[&str] = &[
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "UGX", "VND", "VUV",
    "XAF", "XOF", "XPF",
];
/// Currencies of a thousand parts.
const THOUSANDTHS: &[&str] = &["BHD", "JOD", "KWD", "OMR", "TND"];

/// How much a thing is about: nothing if it has no amount.
pub(super) fn of(thing: Node<'_>) -> String {
    let amount = match thing.at("object").str() {
        "invoice" => thing.first(&["total", "amount_due"]),
        "checkout.session" => thing.at("amount_total"),
        "coupon" | "discount" => thing.first(&["amount_off", "coupon/amount_off"]),
        _ => thing.first(&["amount", "unit_amount"]),
    };
    let currency = thing.first(&["currency", "coupon/currency"]).str();
    amount
        .number()
        .map_or_else(String::new, |amount| written(amount, currency))
}

/// An amount in the smallest unit of a currency, as people write it.
pub(super) fn written(amount: i64, currency: &str) -> String {
    let currency = currency.to_ascii_uppercase();
    let digits = if WHOLE.contains(&&*currency) {
        0
    } else if THOUSANDTHS.contains(&&*currency) {
        3
    } else {
        2
    };
    let sign = if amount < 0 { "-" } else { "" };
    let amount = amount.unsigned_abs();
    let unit = 10_u64.pow(digits);
    let (whole, part) = (amount / unit, amount % unit);
    let number = match digits {
        0 => whole.to_string(),
        2 => format!("{whole}.{part:02}"),
        _ => format!("{whole}.{part:03}"),
    };
    format!("{sign}{number} {}", escape(&currency))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn currencies_have_their_own_parts() {
        assert_eq!(written(1001, "aud"), "10.01 AUD");
        assert_eq!(written(-5, "eur"), "-0.05 EUR");
        assert_eq!(written(1001, "jpy"), "1001 JPY");
        assert_eq!(written(1001, "kwd"), "1.001 KWD");
    }
}
