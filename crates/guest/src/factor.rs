//! The second factor among the parameters of a request.

use spindle_actions::account::{Factor, PasskeyHost};
use spindle_wire::ApiError;

use crate::Call;

impl Call<'_> {
    /// Where passkeys are valid, at an address of this server, which is [`Call::external_url`].
    pub fn passkey_host<'c>(&'c self, site: &'c str) -> PasskeyHost<'c> {
        PasskeyHost {
            site,
            secret: self.secret(),
        }
    }

    /// The parameter `second_factor` of an operation that signs people in.
    pub fn second_factor<'c>(&'c self, site: &'c str) -> Option<Factor<'c>> {
        let text = self.params.optional_text("second_factor")?;
        let host = self.passkey_host(site);
        Some(Factor { text, host })
    }

    /// The parameter `code` of an operation that changes the second factor.
    ///
    /// # Errors
    /// 400 without it.
    pub fn required_factor<'c>(&'c self, site: &'c str) -> Result<Factor<'c>, ApiError> {
        Ok(Factor {
            text: self.params.required_text("code")?,
            host: self.passkey_host(site),
        })
    }
}
