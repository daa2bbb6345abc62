//! Files of the archive: what each belongs to, and the rows of the stored ones.
//!
//! The host reads a file, asks here what it is, stores it as a blob and reports it. A file that
//! nothing refers to is not stored.

use spindle_domain::{MessageId, UserId};
use spindle_store::attachments::{self, NewAttachment};
use spindle_store::import::{self, ImportedEmoji};
use spindle_store::pictures::{self, RealmPicture};

use super::row::{ImportError, Row};
use super::{Import, REALM};
use crate::account::secrets;
use crate::files::{imported_key, shown_name};
use crate::organization::{emoji_key, realm_picture_key};
use crate::users::avatar_key;

/// An uploaded file as the archive describes it.
pub(super) struct Upload {
    owner_id: UserId,
    path_id: String,
    name: String,
    content_type: Option<String>,
    create_time: i64,
    messages: Vec<MessageId>,
}

/// An emoji and the name of its file here.
#[derive(Clone)]
pub(super) struct Emoji {
    id: i64,
    name: String,
    file_name: String,
    pub(super) is_active: bool,
    has_come: bool,
}

impl Emoji {
    /// The emoji as texts name it.
    pub(super) fn named(&self) -> spindle_markup::CustomEmoji {
        spindle_markup::CustomEmoji {
            name: self.name.clone(),
            source_url: format!("/user_avatars/{REALM}/emoji/{}", self.file_name),
        }
    }
}

/// Where an uploaded file is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    path: String,
    /// Where its content belongs.
    pub blob_key: String,
    /// Its type, if the archive says it.
    pub content_type: Option<String>,
}

/// Where a picture is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPicture {
    /// Where it belongs; a person's picture that exists in one size only serves as both.
    pub keys: Vec<String>,
    of: Of,
}

/// What a picture shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Of {
    Person { user_id: UserId, name: String },
    Emoji(i64),
    StillEmoji { id: i64, name: String },
    Organization { picture: RealmPicture, name: String },
}

/// The pictures of a person that the archive lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Avatar {
    name: String,
    has_original: bool,
    has_small: bool,
}

impl Import<'_> {
    pub(super) fn attachment(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&[
            "id",
            "realm",
            "size",
            "is_realm_public",
            "is_web_public",
            "scheduled_messages",
        ]);
        let path = row.required("path_id")?;
        let name = row.text_or_empty("file_name")?;
        let content_type = row.text("content_type")?.map(str::to_owned);
        let create_time = row.time("create_time")?.unwrap_or_default();
        let messages = row.references("messages")?;
        let Some(path_id) = self.relocation.upload(path) else {
            return Err(ImportError::text("the path of the file makes no sense"));
        };
        if let Some(owner_id) = self.owner_of(row, "owner")? {
            let upload = Upload {
                owner_id,
                path_id,
                name: shown_name(name),
                content_type,
                create_time,
                messages,
            };
            self.keep(size_of::<Upload>() + 3 * path.len() + 8 * upload.messages.len())?;
            if let (Some((folder, _)), Some(kind)) =
                (upload.path_id.rsplit_once('/'), &upload.content_type)
            {
                self.keep(folder.len() + kind.len())?;
                self.rendering
                    .uploads
                    .insert(folder.to_owned(), kind.clone());
            }
            self.uploads.insert(path.to_owned(), upload);
        }
        Ok(())
    }

    pub(super) fn avatar_record(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&[
            "content_type",
            "last_modified",
            "realm_id",
            "s3_path",
            "size",
            "user_profile_email",
            "avatar_version",
        ]);
        let path = row.required("path")?;
        if let Some(user) = self.known(row.reference("user_profile_id")?) {
            self.keep(size_of::<Avatar>() + path.len())?;
            let avatar = self.avatars.entry(user).or_default();
            if avatar.name.is_empty() {
                avatar.name = secrets::new_name()?;
            }
            let is_original = path.ends_with(".original");
            avatar.has_original |= is_original;
            avatar.has_small |= !is_original;
            self.avatar_paths.insert(path.to_owned(), user);
        }
        Ok(())
    }

    pub(super) fn custom_emoji(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["realm"]);
        let id = row.id("id")?;
        let moves = row.flag("is_animated")?.unwrap_or(false);
        let file = row.text("file_name")?.unwrap_or_default();
        let file_name = self.relocation.emoji_file(id, file, moves);
        let name = row.required("name")?;
        if !spindle_domain::policy::is_emoji_name(name) {
            return Err(ImportError::text("this is no name of an emoji"));
        }
        let new = ImportedEmoji {
            id,
            realm_id: REALM,
            name,
            author_id: self.known(row.reference("author")?),
            file_name: &file_name,
            deactivated: row.flag("deactivated")?.unwrap_or(false),
            date_created: self.now,
        };
        import::insert_emoji(&self.tx, &new)?;
        let emoji = Emoji {
            is_active: !new.deactivated,
            id,
            name: name.to_owned(),
            file_name,
            has_come: false,
        };
        self.keep(size_of::<Emoji>() + 2 * file.len() + 2 * name.len())?;
        self.emoji.insert(file.to_owned(), emoji);
        Ok(())
    }

    /// Where the file at this path below `uploads/` is to be stored; `None` when nothing refers to
    /// it.
    ///
    /// # Errors
    /// [`ImportError`] when the system has no random numbers.
    pub fn upload_at(&self, path: &str) -> Result<Option<ImportedFile>, ImportError> {
        let Some(upload) = self.uploads.get(path) else {
            return Ok(None);
        };
        Ok(Some(ImportedFile {
            path: path.to_owned(),
            blob_key: imported_key(REALM, &secrets::new_name()?),
            content_type: upload.content_type.clone(),
        }))
    }

    /// Makes a file of `size` bytes that was stored the attachment that it was.
    ///
    /// # Errors
    /// [`ImportError::Store`].
    pub fn upload_stored(
        &mut self,
        file: &ImportedFile,
        content_type: &str,
        size: i64,
    ) -> Result<(), ImportError> {
        let Some(upload) = self.uploads.remove(&file.path) else {
            return Ok(());
        };
        let new = NewAttachment {
            realm_id: REALM,
            owner_id: upload.owner_id,
            path_id: &upload.path_id,
            blob_key: &file.blob_key,
            name: &upload.name,
            content_type,
            size,
            create_time: upload.create_time,
            preview: None,
        };
        let id = attachments::insert(&self.tx, &new)?;
        let messages = spindle_store::id_list(upload.messages);
        import::insert_namings(&self.tx, id, &messages)?;
        self.count("files");
        Ok(())
    }

    /// The picture at this path of the archive (`avatars/…`, `emoji/…`, `realm_icons/…`); `None`
    /// when nothing refers to it.
    ///
    /// # Errors
    /// [`ImportError`] when the system has no random numbers.
    pub fn picture_at(&self, path: &str) -> Result<Option<ImportedPicture>, ImportError> {
        let Some((folder, rest)) = path.split_once('/') else {
            return Ok(None);
        };
        let file = rest.rsplit('/').next().unwrap_or_default();
        match folder {
            "avatars" => Ok(self.avatar_at(rest)),
            "emoji" if rest.contains("/still/") => Ok(self.still_emoji_at(file)),
            "emoji" => Ok(self.emoji.get(file).map(|emoji| ImportedPicture {
                keys: vec![emoji_key(REALM, &emoji.file_name)],
                of: Of::Emoji(emoji.id),
            })),
            "realm_icons" => {
                let picture = match file {
                    "icon.original" => RealmPicture::Icon,
                    "logo.original" => RealmPicture::Logo,
                    "night_logo.original" => RealmPicture::NightLogo,
                    _ => return Ok(None),
                };
                let name = format!("{}.png", secrets::new_name()?);
                Ok(Some(ImportedPicture {
                    keys: vec![realm_picture_key(REALM, &name)],
                    of: Of::Organization { picture, name },
                }))
            }
            _ => Ok(None),
        }
    }

    fn avatar_at(&self, path: &str) -> Option<ImportedPicture> {
        let user_id = *self.avatar_paths.get(path)?;
        let avatar = self.avatars.get(&user_id)?;
        let is_large = path.ends_with(".original");
        let both = !(avatar.has_original && avatar.has_small);
        let key = |large: bool| avatar_key(REALM, &avatar.name, large);
        let keys = if both {
            vec![key(true), key(false)]
        } else {
            vec![key(is_large)]
        };
        let name = avatar.name.clone();
        Some(ImportedPicture {
            keys,
            of: Of::Person { user_id, name },
        })
    }

    fn still_emoji_at(&self, file: &str) -> Option<ImportedPicture> {
        let stem = file.strip_suffix(".png")?;
        let stem = stem.strip_suffix("-still").unwrap_or(stem);
        let is_meant = |name: &&String| {
            name.rsplit_once('.')
                .is_some_and(|(other, _)| other == stem)
        };
        let emoji = self.emoji.get(self.emoji.keys().find(is_meant)?)?;
        let stem = emoji.file_name.rsplit_once('.').map(|(stem, _)| stem)?;
        let name = format!("{stem}-still.png");
        Some(ImportedPicture {
            keys: vec![emoji_key(REALM, &name)],
            of: Of::StillEmoji { id: emoji.id, name },
        })
    }

    /// Makes use of a picture that was stored.
    ///
    /// # Errors
    /// [`ImportError::Store`].
    pub fn picture_stored(&mut self, picture: &ImportedPicture) -> Result<(), ImportError> {
        match &picture.of {
            Of::Person { user_id, name } => {
                pictures::set_avatar(&self.tx, *user_id, "U", Some(name))?;
            }
            Of::Emoji(id) => {
                for emoji in self.emoji.values_mut().filter(|emoji| emoji.id == *id) {
                    emoji.has_come = true;
                }
            }
            Of::StillEmoji { id, name } => import::name_still_emoji(&self.tx, *id, name)?,
            Of::Organization { picture, name } => {
                pictures::set_realm_picture(&self.tx, REALM, *picture, Some(name))?;
            }
        }
        self.count("files");
        Ok(())
    }

    /// What was announced and has not come.
    pub(super) fn missing_files(&mut self) {
        for _ in 0..self.uploads.len() {
            self.note("uploaded files that are not in the archive were left out");
        }
        let missing = self.emoji.values().filter(|emoji| !emoji.has_come);
        for _ in 0..missing.count() {
            self.note("images of emoji that are not in the archive were left out");
        }
    }

    pub(super) fn count(&mut self, what: &str) {
        *self.outcome.rows.entry(what.to_owned()).or_default() += 1;
    }
}
