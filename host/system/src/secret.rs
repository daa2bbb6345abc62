//! Secrets that the host generates: tokens of internal calls, and the key for signed links.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::Arc;

/// 256 bits from the system's random source, in hexadecimal.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A token for each component, known to it and to the host. Generated at each start, since only this
/// process uses them.
#[derive(Clone)]
pub struct ComponentTokens(Arc<Hmac<Sha256>>);

impl ComponentTokens {
    /// The tokens of one run of the server.
    pub fn new() -> std::io::Result<Self> {
        let secret = new_token()?;
        let keyed = Hmac::new_from_slice(secret.as_bytes()).map_err(std::io::Error::other)?;
        Ok(Self(Arc::new(keyed)))
    }

    /// The token of a component. It reveals nothing about the tokens of others.
    #[must_use]
    pub fn of(&self, component: &str) -> String {
        let mut mac = Hmac::clone(&self.0);
        mac.update(component.as_bytes());
        let bytes = mac.finalize().into_bytes();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ComponentTokens;

    #[test]
    fn each_component_has_its_own_token() {
        let (one, other) = (
            ComponentTokens::new().unwrap(),
            ComponentTokens::new().unwrap(),
        );
        assert_eq!(one.of("users").len(), 64);
        assert_eq!(one.of("users"), one.clone().of("users"));
        assert_ne!(one.of("users"), one.of("user"));
        assert_ne!(one.of("users"), other.of("users"));
    }

    #[test]
    fn tokens_are_long_and_different() {
        let (one, other) = (super::new_token().unwrap(), super::new_token().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }
}
