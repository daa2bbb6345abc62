//! Values of permissions and the system groups behind them: system groups follow roles and the waiting period, and no
//! operation changes them.

pub(crate) mod full_members;
pub(crate) mod group_setting;
pub(crate) mod system_groups;

pub use full_members::promote_full_members;
