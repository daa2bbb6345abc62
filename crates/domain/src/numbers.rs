//! Numbers as people read them.

/// A number with a comma after each group of three digits, as people read it.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (5, "5"),
            (1000, "1,000"),
            (20_000, "20,000"),
            (2_000_000, "2,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
