//! What becomes of the files that users have uploaded, which are not in the database: they stay where they are.
//!
//! Owns the sentence about it. A store of files that both sides do not share would be copied here, by the keys that the
//! database names, before the move ends.

use std::path::PathBuf;

use spindle_config::BucketUrl;
use spindle_config::data_dir::DataDir;

/// The folder of the files after a move, and what to do with it.
#[derive(Debug)]
pub struct Files {
    /// The folder `blobs`; `None` when they are in a bucket.
    pub folder: Option<PathBuf>,
    /// For people.
    pub note: String,
}

impl Files {
    /// After a move to a server: they are next to the file that was moved.
    pub(super) fn of_file(data: &DataDir) -> Self {
        let folder = data.blobs();
        let note = format!(
            "uploaded files are not in the database and were not copied: they stay in {}, which is to be the folder \
             blobs in the data directory of every node",
            folder.display()
        );
        Self {
            folder: Some(folder),
            note,
        }
    }

    /// After a move to a file: they are where the nodes had them.
    pub(super) fn of_nodes(data: &DataDir) -> Self {
        let folder = data.blobs();
        let shown = folder.display();
        let note = match folder.exists() {
            true => format!(
                "uploaded files are not in the database and were not copied: the server will look for them in {shown}, \
                 which is there already"
            ),
            false => format!(
                "uploaded files are not in the database and were not copied: copy the folder blobs of a node to {shown} \
                 before the server starts"
            ),
        };
        Self {
            folder: Some(folder),
            note,
        }
    }

    /// When they are in a bucket, which both sides use.
    #[must_use]
    pub fn in_bucket(bucket: &BucketUrl) -> Self {
        Self {
            folder: None,
            note: format!(
                "uploaded files are not in the database and were not copied: they stay in {bucket}"
            ),
        }
    }
}
