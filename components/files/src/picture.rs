//! Conversion of images to blobs, and of image errors to answers.

use bytes::Bytes;
use spindle_domain::errors::ClientError;
use spindle_guest::NewBlob;
use spindle_images::{ImageError, Picture};
use spindle_wire::ApiError;

/// An image to store under a key.
pub(crate) fn blob(key: impl Into<String>, picture: Picture) -> NewBlob {
    NewBlob {
        key: key.into(),
        content_type: picture.media_type.to_owned(),
        content: Bytes::from(picture.content),
    }
}

/// BAD_IMAGE, with the reason.
pub(crate) fn refusal(error: ImageError) -> ApiError {
    let text = match error {
        ImageError::NotAnImage => {
            "The file is not an image in PNG, JPEG, GIF, WebP, BMP or TIFF format"
        }
        ImageError::TooLarge => "The image has too many pixels or frames",
        ImageError::NotWritten => "The image cannot be used",
    };
    let text = text.to_owned();
    ClientError::BadImage { text }.into()
}
