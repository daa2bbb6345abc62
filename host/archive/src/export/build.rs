//! One export from the request to the stored archive.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use spindle_actions::exports::{ExportType, FinishedExport, PendingExport, finish_export};
use spindle_actions::files::announce_blobs;
use spindle_domain::feature_level::ZULIP_VERSION;
use spindle_store::archive::{self, Scope};
use spindle_store::{Connection, ReadTx, check};

use super::pack::Pack;
use super::snapshot::Snapshot;
use super::{BuildExports, ExportError, apps, files, messages, tables};
use spindle_blobs::{BlobKey, NewBlob};
use spindle_jobs::JobStore;
use spindle_system::progress::Progress;

/// Random bytes in the address of an archive: too many to guess.
const SECRET_BYTES: usize = 18;

/// Between two lines of the log about the same export.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// An archive whose files are all packed, and which is not stored yet.
pub(super) struct Packed {
    blob: NewBlob,
    path: String,
    blob_key: String,
}

impl BuildExports {
    /// Packs the archive of an export that this server has claimed. Writes nothing to the database.
    pub(super) fn pack(
        &self,
        export: &PendingExport,
        stopped: &Arc<AtomicBool>,
    ) -> Result<Packed, ExportError> {
        let mut secret = [0; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(std::io::Error::other)?;
        let (realm_id, secret) = (export.realm_id, URL_SAFE_NO_PAD.encode(secret));
        let name = format!("spindle-export-{}", export.id);
        let path = format!("{realm_id}/{secret}/{name}.tar.gz");
        let blob_key = format!("exports/{path}");
        let key = BlobKey::parse(&blob_key).ok_or(ExportError::Strange("the key is not valid"))?;
        let blob = self.blobs.begin(&key, "application/gzip")?;
        let pack = Pack::new(blob, &self.blobs, &name, self.clock.unix_seconds(), stopped);
        // Its temporary tables, and its snapshot, go with the connection.
        let connection = self.database.connect_to_stream()?;
        let blob = pack_all(pack, &*connection, export)?;
        Ok(Packed {
            blob,
            path,
            blob_key,
        })
    }

    /// Stores a packed archive, and records it in the database.
    pub(super) fn store(
        packed: Packed,
        store: &JobStore,
        export: &PendingExport,
        stopped: &Arc<AtomicBool>,
    ) -> Result<(), ExportError> {
        let Packed {
            blob,
            path,
            blob_key,
        } = packed;
        let size = i64::try_from(blob.length()).unwrap_or(i64::MAX);
        store.run_here(stopped, |db, now| announce_blobs(db, now, &[&blob_key]))?;
        blob.finish()?;
        let finished = FinishedExport {
            path: &path,
            blob_key: &blob_key,
            size,
        };
        store.run_here(stopped, |db, now| finish_export(db, now, export, &finished))?;
        Ok(())
    }
}

const fn scope(export_type: ExportType) -> Scope {
    match export_type {
        ExportType::Public => Scope::Public,
        ExportType::FullWithConsent => Scope::Consented,
        ExportType::FullWithoutConsent => Scope::Everything,
    }
}

/// Progress of a large export, in the log.
fn progress(id: i64) -> Progress {
    Progress::new(PROGRESS_EVERY, PROGRESS_EVERY, move |line| {
        tracing::info!(export = id, progress = line, "a data export is being built");
    })
}

/// Every file of the archive.
fn pack_all(
    mut pack: Pack<'_>,
    connection: &dyn Connection,
    export: &PendingExport,
) -> Result<NewBlob, ExportError> {
    let export_type = ExportType::from_name(&export.export_type)
        .ok_or(ExportError::Strange("there is no such type of export"))?;
    let snapshot = Snapshot {
        db: connection,
        realm_id: export.realm_id.into(),
        scope: scope(export_type),
    };
    archive::make_tables(connection)?;
    let reading = ReadTx::begin(connection)?;
    archive::prepare(connection, snapshot.realm_id.into(), snapshot.scope)?;
    tables::realm(&mut pack, &snapshot)?;
    messages::all(&mut pack, &snapshot, &progress(export.id))?;
    tables::attachments(&mut pack, &snapshot)?;
    tables::analytics(&mut pack)?;
    if snapshot.scope == Scope::Consented {
        pack.text("consented_user_ids.json", &archive::consenting(connection)?)?;
    }
    let status = json!({
        "migrations_by_app": {"spindle": [check::schema_version(connection)?]},
        "zulip_version": ZULIP_VERSION,
    });
    pack.json("migration_status.json", &status)?;
    files::all(&mut pack, &snapshot)?;
    apps::all(&mut pack, &snapshot)?;
    drop(reading);
    pack.finish()
}
