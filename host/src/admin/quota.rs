//! The space that uploaded files may use.

use anyhow::Result;
use spindle_store::resumable_uploads::{self, UploadSpace};

use super::{REALM, Session, explain, now};

impl Session {
    /// Sets the most MiB of all uploaded files together; `None` means no limit.
    ///
    /// # Errors
    /// There is no organization.
    pub fn set_upload_quota(&self, mib: Option<i64>) -> Result<()> {
        self.require_realm()?;
        spindle_actions::organization::set_upload_quota(self.db(), REALM, now()?, mib)
            .map_err(explain)
    }

    /// Sets the most MiB of one uploaded file.
    ///
    /// # Errors
    /// There is no organization, or the value exceeds the maximum.
    pub fn set_largest_file(&self, mib: i64) -> Result<()> {
        self.require_realm()?;
        spindle_actions::organization::set_largest_file(self.db(), REALM, now()?, mib)
            .map_err(explain)
    }

    /// The space used by uploaded files, and its limit.
    ///
    /// # Errors
    /// There is no organization.
    pub fn upload_space(&self) -> Result<UploadSpace> {
        self.require_realm()?;
        Ok(resumable_uploads::upload_space(self.db(), REALM)?)
    }
}
