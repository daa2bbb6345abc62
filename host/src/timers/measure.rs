//! The measurement of how busy channels are: a component does it for those that are due.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/measure_channels` once a minute; each channel is due once a day.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeasureChannels;

#[async_trait::async_trait]
impl Job for MeasureChannels {
    fn name(&self) -> &'static str {
        "measure-channels"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/measure_channels"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(60)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        calls
            .post("/internal/measure_channels", String::new())
            .await
    }
}
