//! Channels as objects, and the folders that they are sorted into.

mod channel_folders;
