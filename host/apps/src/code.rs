//! Compiled components: on the disk by their hashes, the last used ones also in memory.
//!
//! Each is compiled once, in a process of its own where there is a program for that, and one at a time, since a compilation
//! takes memory.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use spindle_runtime::{CodeCache, Fingerprint};
use spindle_system::low_priority;
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Result, format_err};

use crate::bindings::AppPre;
use crate::compiler::Compiler;
use crate::guest::Guest;
use crate::stubs;

/// Components in memory.
const KEPT: usize = 64;

pub(crate) struct Codes {
    engine: Engine,
    /// The folder, and what is in it.
    cache: Option<(PathBuf, CodeCache)>,
    compiler: Option<Compiler>,
    kept: Mutex<Kept>,
    /// Held while something is compiled.
    compiling: Mutex<()>,
}

#[derive(Default)]
struct Kept {
    codes: HashMap<String, (u64, AppPre<Guest>)>,
    uses: u64,
}

impl Codes {
    pub(crate) fn new(
        engine: Engine,
        cache: Option<PathBuf>,
        compiler: Option<Compiler>,
    ) -> Result<Self> {
        let open = |folder: PathBuf| match CodeCache::open(&folder) {
            Ok(cache) => Ok((folder, cache)),
            Err(error) => Err(format_err!("{error:#}")),
        };
        Ok(Self {
            engine,
            cache: cache.map(open).transpose()?,
            compiler,
            kept: Mutex::default(),
            compiling: Mutex::default(),
        })
    }

    /// The code of the component with this hash; `load` reads the component if it was not compiled yet.
    pub(crate) fn get<B: AsRef<[u8]>>(
        &self,
        hash: &str,
        load: impl FnOnce() -> B,
    ) -> Result<AppPre<Guest>> {
        if let Some(code) = self.compiled(hash)? {
            return Ok(code);
        }
        let _compiling = lock(&self.compiling);
        // Another thread may have compiled it in the meantime.
        if let Some(code) = self.compiled(hash)? {
            return Ok(code);
        }
        let component = self.checked(fingerprint(hash)?, load().as_ref())?;
        let code = self.link(&component)?;
        lock(&self.kept).keep(hash, &code);
        Ok(code)
    }

    /// The code of a component that was compiled before, in memory or on the disk.
    pub(crate) fn compiled(&self, hash: &str) -> Result<Option<AppPre<Guest>>> {
        if let Some(code) = lock(&self.kept).find(hash) {
            return Ok(Some(code));
        }
        let Some(component) = self.find(fingerprint(hash)?) else {
            return Ok(None);
        };
        let code = self.link(&component)?;
        lock(&self.kept).keep(hash, &code);
        Ok(Some(code))
    }

    pub(crate) fn is_on_disk(&self, hash: &str) -> bool {
        let fingerprint = fingerprint(hash).ok();
        (self.cache.as_ref().zip(fingerprint))
            .is_some_and(|((_, cache), hash)| cache.contains(&self.engine, hash))
    }

    /// The component in the cache.
    fn find(&self, fingerprint: Fingerprint) -> Option<Component> {
        let (_, cache) = self.cache.as_ref()?;
        cache.find(&self.engine, fingerprint)
    }

    fn checked(&self, fingerprint: Fingerprint, wasm: &[u8]) -> Result<Component> {
        // Code is found by this hash ever after.
        if Fingerprint::of(wasm)? != fingerprint {
            return Err(format_err!("the stored component has another hash"));
        }
        if let (Some(compiler), Some((folder, _))) = (&self.compiler, &self.cache) {
            compiler.compile(wasm, folder)?;
            let missing = || format_err!("the compiler has written no code");
            return self.find(fingerprint).ok_or_else(missing);
        }
        self.compile(wasm)
    }

    /// Compiles a component in this process, on a thread of low priority.
    pub(crate) fn compile(&self, wasm: &[u8]) -> Result<Component> {
        low_priority::run_blocking(|| match &self.cache {
            Some((_, cache)) => cache
                .compile(&self.engine, wasm)
                .map_err(|error| format_err!("{error:#}")),
            None => Component::new(&self.engine, wasm),
        })
    }

    fn link(&self, component: &Component) -> Result<AppPre<Guest>> {
        let mut linker = Linker::new(&self.engine);
        stubs::add(&mut linker, component)?;
        linker.define_unknown_imports_as_traps(component)?;
        AppPre::new(linker.instantiate_pre(component)?)
    }
}

impl Kept {
    fn find(&mut self, hash: &str) -> Option<AppPre<Guest>> {
        self.uses += 1;
        let (last, code) = self.codes.get_mut(hash)?;
        *last = self.uses;
        Some(code.clone())
    }

    fn keep(&mut self, hash: &str, code: &AppPre<Guest>) {
        self.codes
            .insert(hash.to_owned(), (self.uses, code.clone()));
        if self.codes.len() > KEPT {
            let oldest = self.codes.iter().min_by_key(|(_, (last, _))| *last);
            if let Some(oldest) = oldest.map(|(hash, _)| hash.clone()) {
                self.codes.remove(&oldest);
            }
        }
    }
}

fn fingerprint(hash: &str) -> Result<Fingerprint> {
    Fingerprint::from_hex(hash).ok_or_else(|| format_err!("{hash} is not a SHA-256"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
