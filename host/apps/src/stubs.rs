//! What an app gets in place of WASI.
//!
//! The standard libraries of languages import WASI. An app must compute the same each time, so its clock shows the time
//! of the event, random numbers come from the seed, and there are neither arguments nor an environment nor files. What it prints
//! is kept for the message of a panic. Every other function ends the call.

use wasmtime::component::{Component, Linker, LinkerInstance, Resource, ResourceAny, Val};
use wasmtime::{AsContextMut, Result, StoreContextMut, bail};

use crate::guest::Guest;

/// Random bytes of one call.
const MAX_RANDOM: u64 = 64 << 10;
/// Bytes that an app may print at once.
const MAX_WRITE: u64 = 4096;

/// A stream of output, or what waits for one. Linkers define all resources that they do not know with this type, also
/// where an interface names the resource of another one.
type Handle = ();

/// Defines the functions that do something, of the interfaces that the component imports, whatever their version.
pub(crate) fn add(linker: &mut Linker<Guest>, component: &Component) -> Result<()> {
    let engine = component.engine().clone();
    for (import, _) in component.component_type().imports(&engine) {
        let (name, version) = import.split_once('@').unwrap_or((import, ""));
        if !version.starts_with("0.2.") {
            continue;
        }
        let mut stub = |function, value: fn(&mut Guest) -> Val| {
            linker.instance(import)?.func_new(
                function,
                move |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
                    release(&mut store, parameters)?;
                    set(results, value(store.data_mut()))
                },
            )
        };
        match name {
            "wasi:cli/environment" => {
                stub("get-environment", |_| Val::List(Vec::new()))?;
                stub("get-arguments", |_| Val::List(Vec::new()))?;
                stub("initial-cwd", |_| Val::Option(None))?;
            }
            "wasi:cli/terminal-stdin" => stub("get-terminal-stdin", |_| Val::Option(None))?,
            "wasi:cli/terminal-stdout" => stub("get-terminal-stdout", |_| Val::Option(None))?,
            "wasi:cli/terminal-stderr" => stub("get-terminal-stderr", |_| Val::Option(None))?,
            "wasi:filesystem/preopens" => stub("get-directories", |_| Val::List(Vec::new()))?,
            "wasi:clocks/wall-clock" => {
                stub("now", |guest| datetime(guest.time))?;
                stub("resolution", |_| datetime(1))?;
            }
            "wasi:clocks/monotonic-clock" => {
                stub("now", |_| Val::U64(0))?;
                stub("resolution", |_| Val::U64(1))?;
            }
            "wasi:random/random" => {
                stub("get-random-u64", |guest| Val::U64(guest.random()))?;
                random_bytes(&mut linker.instance(import)?, "get-random-bytes")?;
            }
            "wasi:random/insecure" => {
                stub("get-insecure-random-u64", |guest| Val::U64(guest.random()))?;
                random_bytes(&mut linker.instance(import)?, "get-insecure-random-bytes")?;
            }
            "wasi:random/insecure-seed" => stub("insecure-seed", |guest| {
                Val::Tuple(vec![Val::U64(guest.random()), Val::U64(guest.random())])
            })?,
            "wasi:cli/stdout" => handle(&mut linker.instance(import)?, "get-stdout")?,
            "wasi:cli/stderr" => handle(&mut linker.instance(import)?, "get-stderr")?,
            "wasi:io/streams" => streams(&mut linker.instance(import)?)?,
            // Only output can be waited for, which is always ready: clocks give nothing to wait for.
            "wasi:io/poll" => {
                stub("[method]pollable.ready", |_| Val::Bool(true))?;
                let mut poll = linker.instance(import)?;
                poll.func_new(
                    "[method]pollable.block",
                    |mut store: StoreContextMut<'_, Guest>, _, parameters, _| {
                        release(&mut store, parameters)
                    },
                )?;
                poll.func_new(
                    "poll",
                    |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
                        release(&mut store, parameters)?;
                        let all = match parameters {
                            [Val::List(all)] => u32::try_from(all.len())?,
                            _ => 0,
                        };
                        set(results, Val::List((0..all).map(Val::U32).collect()))
                    },
                )?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn datetime(seconds: i64) -> Val {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    Val::Record(vec![
        ("seconds".to_owned(), Val::U64(seconds)),
        ("nanoseconds".to_owned(), Val::U32(0)),
    ])
}

fn random_bytes(random: &mut LinkerInstance<'_, Guest>, function: &str) -> Result<()> {
    random.func_wrap(
        function,
        |mut store: StoreContextMut<'_, Guest>, (length,): (u64,)| {
            if length > MAX_RANDOM {
                bail!("an app gets at most {MAX_RANDOM} random bytes at once");
            }
            let guest = store.data_mut();
            let byte = |_| guest.random().to_le_bytes().first().copied();
            Ok(((0..length).filter_map(byte).collect::<Vec<u8>>(),))
        },
    )
}

/// A function that returns a handle.
fn handle(instance: &mut LinkerInstance<'_, Guest>, function: &str) -> Result<()> {
    instance.func_new(
        function,
        |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
            release(&mut store, parameters)?;
            if !store.data_mut().may_have_handle() {
                bail!("an app has too many handles");
            }
            let handle = Resource::<Handle>::new_own(0);
            let handle = ResourceAny::try_from_resource(handle, store.as_context_mut())?;
            set(results, Val::Resource(handle))
        },
    )
}

/// Standard output and standard error lead to the same place.
fn streams(streams: &mut LinkerInstance<'_, Guest>) -> Result<()> {
    handle(streams, "[method]output-stream.subscribe")?;
    streams.func_new(
        "[method]output-stream.check-write",
        |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
            release(&mut store, parameters)?;
            let room = Some(Box::new(Val::U64(MAX_WRITE)));
            set(results, Val::Result(Ok(room)))
        },
    )?;
    for write in [
        "[method]output-stream.write",
        "[method]output-stream.blocking-write-and-flush",
    ] {
        streams.func_new(
            write,
            |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
                release(&mut store, parameters)?;
                if let Some(Val::List(bytes)) = parameters.get(1) {
                    let byte = |byte: &Val| match byte {
                        Val::U8(byte) => Some(*byte),
                        _ => None,
                    };
                    store.data_mut().print(bytes.iter().filter_map(byte));
                }
                set(results, Val::Result(Ok(None)))
            },
        )?;
    }
    for flush in [
        "[method]output-stream.flush",
        "[method]output-stream.blocking-flush",
    ] {
        streams.func_new(
            flush,
            |mut store: StoreContextMut<'_, Guest>, _, parameters, results| {
                release(&mut store, parameters)?;
                set(results, Val::Result(Ok(None)))
            },
        )?;
    }
    Ok(())
}

/// Ends what a function has borrowed.
fn release(store: &mut StoreContextMut<'_, Guest>, parameters: &[Val]) -> Result<()> {
    for parameter in parameters {
        match parameter {
            Val::Resource(handle) => handle.resource_drop(&mut *store)?,
            // `poll` has a list of them; the items of other lists are bytes.
            Val::List(items) if matches!(items.first(), Some(Val::Resource(_))) => {
                release(store, items)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn set(results: &mut [Val], value: Val) -> Result<()> {
    match results {
        [result] => {
            *result = value;
            Ok(())
        }
        _ => bail!("a function of WASI has another type"),
    }
}
