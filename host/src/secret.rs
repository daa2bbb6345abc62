//! Secrets that the host makes for itself: the token of internal calls.

/// 256 bits from the system's random source, in hexadecimal.
///
/// # Errors
/// The system has no random source.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens_are_long_and_different() {
        let (one, other) = (super::new_token().unwrap(), super::new_token().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }
}
