//! The requester's own record, and statuses.

mod get_own_user;
mod get_user_status;
mod update_status;
