//! `spin:key-value@3.0.0` for guests, over [`KeyValue`].

use super::handle;
use crate::GuestState;
use crate::key_value::KeyValue;
use spindle_bindings::spin::key_value::key_value::{
    Error, Host, HostStore, HostStoreWithStore, Store,
};
use std::sync::Arc;
use wasmtime::Result;
use wasmtime::component::{Accessor, FutureReader, HasSelf, Resource, StreamReader};

/// Most stores that one instance has open.
const MAX_STORES: usize = 256;
/// Largest value, in bytes: stores are for small things.
const MAX_VALUE: usize = 8 << 20;

/// What the table holds for a store handle.
struct GuestStore {
    label: Arc<str>,
    key_value: KeyValue,
}

impl Host for GuestState {}

impl HostStore for GuestState {
    async fn drop(&mut self, store: Resource<Store>) -> Result<()> {
        self.table.delete::<GuestStore>(handle(&store))?;
        self.open_stores = self.open_stores.saturating_sub(1);
        Ok(())
    }
}

impl GuestState {
    fn open_store(&mut self, label: String) -> Result<Result<Resource<Store>, Error>> {
        if !self.component.allows_store(&label) {
            return Ok(Err(Error::AccessDenied));
        }
        let Some(key_value) = self.component.key_value.clone() else {
            return Ok(Err(Error::NoSuchStore));
        };
        if self.open_stores >= MAX_STORES {
            return Ok(Err(Error::StoreTableFull));
        }
        self.open_stores += 1;
        let label = label.into();
        let store = self.table.push(GuestStore { label, key_value })?;
        Ok(Ok(handle(&store)))
    }
}

fn lookup(
    accessor: &Accessor<GuestState, HasSelf<GuestState>>,
    store: &Resource<Store>,
) -> Result<(Arc<str>, KeyValue)> {
    accessor.with(|mut access| {
        let store: &GuestStore = access.get().table.get(&handle(store))?;
        Ok((Arc::clone(&store.label), store.key_value.clone()))
    })
}

impl HostStoreWithStore<GuestState> for HasSelf<GuestState> {
    async fn open(
        accessor: &Accessor<GuestState, Self>,
        label: String,
    ) -> Result<Result<Resource<Store>, Error>> {
        accessor.with(|mut access| access.get().open_store(label))
    }

    async fn get(
        accessor: &Accessor<GuestState, Self>,
        store: Resource<Store>,
        key: String,
    ) -> Result<Result<Option<Vec<u8>>, Error>> {
        let (label, key_value) = lookup(accessor, &store)?;
        Ok(key_value.get(&label, &key).await.map_err(Error::from))
    }

    async fn set(
        accessor: &Accessor<GuestState, Self>,
        store: Resource<Store>,
        key: String,
        value: Vec<u8>,
    ) -> Result<Result<(), Error>> {
        if value.len() > MAX_VALUE {
            return Ok(Err(Error::Other("the value is too large".to_owned())));
        }
        let (label, key_value) = lookup(accessor, &store)?;
        Ok(key_value
            .set(&label, &key, &value)
            .await
            .map_err(Error::from))
    }

    async fn delete(
        accessor: &Accessor<GuestState, Self>,
        store: Resource<Store>,
        key: String,
    ) -> Result<Result<(), Error>> {
        let (label, key_value) = lookup(accessor, &store)?;
        Ok(key_value.delete(&label, &key).await.map_err(Error::from))
    }

    async fn exists(
        accessor: &Accessor<GuestState, Self>,
        store: Resource<Store>,
        key: String,
    ) -> Result<Result<bool, Error>> {
        let (label, key_value) = lookup(accessor, &store)?;
        let value = key_value.get(&label, &key).await;
        Ok(value.map(|value| value.is_some()).map_err(Error::from))
    }

    async fn get_keys(
        accessor: &Accessor<GuestState, Self>,
        store: Resource<Store>,
    ) -> Result<(
        StreamReader<String>,
        FutureReader<std::result::Result<(), Error>>,
    )> {
        let (label, key_value) = lookup(accessor, &store)?;
        let (keys, end) = match key_value.keys(&label).await {
            Ok(keys) => (keys, Ok(())),
            Err(error) => (Vec::new(), Err(Error::from(error))),
        };
        accessor.with(|mut access| {
            let keys = StreamReader::new(&mut access, keys)?;
            let end = FutureReader::new(&mut access, async { wasmtime::error::Ok(end) })?;
            Ok((keys, end))
        })
    }
}
