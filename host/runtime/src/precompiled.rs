//! The on-disk cache of components' machine code, so that each is compiled once.
//!
//! Apart from `heap.rs`, this is the only module of the project that may contain unsafe code: the one call that loads
//! such a file. Machine code is executed unchecked, so this program itself must have written the file.
//!
//! This holds because the directory belongs to the user the host runs as and is inaccessible to
//! others (mode 0700, checked at every start); each file is a regular file of that user that no other
//! user may write (checked before it is loaded); it is written to a temporary name, flushed and then
//! renamed, so that a name never refers to an incomplete file; and its name contains a hash of the
//! component and of the engine's version and settings. A user who can still change the file can
//! change the host's program as well.

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{DirBuilder, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use wasmtime::Engine;
use wasmtime::component::Component;

/// A hash that identifies a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Reads 64 hexadecimal digits; `None` for other texts.
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Reads the component to its end.
    pub fn of(wasm: impl Read) -> io::Result<Self> {
        let mut wasm = BufReader::with_capacity(64 << 10, wasm);
        let mut hash = Sha256::new();
        loop {
            let part = wasm.fill_buf()?;
            if part.is_empty() {
                return Ok(Self(hash.finalize().into()));
            }
            hash.update(part);
            let length = part.len();
            wasm.consume(length);
        }
    }
}

/// In hexadecimal.
impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A directory of machine code that only this user can access.
pub struct CodeCache {
    directory: PathBuf,
    owner: u32,
}

impl CodeCache {
    /// Opens `directory`, creating it with mode 0700 when absent.
    ///
    /// # Errors
    ///
    /// When it belongs to another user or other users may access it.
    pub fn open(directory: &Path) -> Result<Self> {
        if !directory.exists() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let owner = current_user(directory)?;
        let metadata = std::fs::symlink_metadata(directory)?;
        ensure!(
            metadata.is_dir() && metadata.uid() == owner && metadata.mode() & 0o077 == 0,
            "{} must be a directory of the user that runs the host, with mode 0700",
            directory.display()
        );
        Ok(Self {
            directory: directory.to_owned(),
            owner,
        })
    }

    /// Whether there is code of a component, which is not loaded and does not count as used.
    #[must_use]
    pub fn contains(&self, engine: &Engine, component: Fingerprint) -> bool {
        self.path(engine, component).exists()
    }

    /// Loads the component with this fingerprint, if it is cached.
    pub fn find(&self, engine: &Engine, component: Fingerprint) -> Option<Component> {
        let path = self.path(engine, component);
        if !path.exists() {
            return None;
        }
        match self.deserialize(engine, &path) {
            Ok(component) => {
                // What was not used for long is removed first. Without this it is compiled again.
                let used = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
                if let Err(error) = used {
                    tracing::debug!(path = %path.display(), %error, "the use of code is not recorded");
                }
                Some(component)
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cached code is not usable");
                None
            }
        }
    }

    /// Compiles the component in `wasm` and caches the code.
    pub fn compile(&self, engine: &Engine, wasm: &[u8]) -> Result<Component> {
        let path = self.path(engine, Fingerprint::of(wasm)?);
        let code = engine.precompile_component(wasm).map_err(plain)?;
        self.store(&path, &code)?;
        self.deserialize(engine, &path)
    }

    /// Removes the code of this component from the disk; loaded code stays valid.
    pub fn forget(&self, engine: &Engine, component: Fingerprint) {
        let path = self.path(engine, component);
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "superseded code stays in the cache");
        }
    }

    fn path(&self, engine: &Engine, component: Fingerprint) -> PathBuf {
        self.directory.join(file_name(engine, component))
    }

    fn store(&self, path: &Path, code: &[u8]) -> Result<()> {
        // Other processes, and other threads of this one, may write the same file.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(code)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)?;
        Ok(())
    }

    #[allow(unsafe_code)]
    fn deserialize(&self, engine: &Engine, path: &Path) -> Result<Component> {
        let metadata = std::fs::symlink_metadata(path)?;
        if !self.is_ours(&metadata) {
            bail!("{} is not a file of this user alone", path.display());
        }
        // SAFETY: `store` wrote the file; the head of this module says why no other program can have
        // written it.
        let component = unsafe { Component::deserialize_file(engine, path) };
        component.map_err(plain)
    }

    fn is_ours(&self, metadata: &Metadata) -> bool {
        metadata.is_file()
            && metadata.uid() == self.owner
            && metadata.permissions().mode() & 0o022 == 0
    }
}

fn plain(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:#}")
}

/// The effective user of this process, read from a file that it creates.
fn current_user(directory: &Path) -> Result<u32> {
    let probe = directory.join(format!(".probe-{}", std::process::id()));
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&probe)
        .with_context(|| format!("cannot write in {}", directory.display()))?;
    let user = file.metadata()?.uid();
    // Already removed if another thread of this process did the same.
    let _ = std::fs::remove_file(&probe);
    Ok(user)
}

fn file_name(engine: &Engine, component: Fingerprint) -> String {
    let mut settings = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut settings);
    format!("{component}-{:016x}.cwasm", settings.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let unique = format!("spindle-code-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(unique);
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn a_component_is_compiled_once() {
        let engine = Engine::default();
        let path = directory("once");
        let cache = CodeCache::open(&path).unwrap();
        let wasm = &b"\0asm\x0d\0\x01\0"[..];
        let fingerprint = Fingerprint::of(wasm).unwrap();
        assert!(cache.find(&engine, fingerprint).is_none());
        cache.compile(&engine, wasm).unwrap();
        assert!(cache.find(&engine, fingerprint).is_some());
        cache.forget(&engine, fingerprint);
        assert!(cache.find(&engine, fingerprint).is_none());
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_fingerprint_can_be_written_as_hexadecimal() {
        let fingerprint = Fingerprint::of(&b"abc"[..]).unwrap();
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Fingerprint::from_hex(text), Some(fingerprint));
        assert_eq!(fingerprint.to_string(), text);
        for wrong in [
            "",
            &text[1..],
            &text.replace('b', "g"),
            &text.replace("ba", "+1"),
        ] {
            assert_eq!(Fingerprint::from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_others_may_write_is_refused() {
        let engine = Engine::default();
        let path = directory("others");
        let cache = CodeCache::open(&path).unwrap();
        let wasm = &b"\0asm\x0d\0\x01\0"[..];
        cache.compile(&engine, wasm).unwrap();
        let fingerprint = Fingerprint::of(wasm).unwrap();
        let file = path.join(file_name(&engine, fingerprint));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(cache.deserialize(&engine, &file).is_err());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(CodeCache::open(&path).is_err());
        std::fs::remove_dir_all(path).unwrap();
    }
}
