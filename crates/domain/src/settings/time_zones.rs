//! Names of time zones: zones and links of the IANA database.
//!
//! `time_zones.txt` holds one name a line. The server knows names alone; clients compute the times.

const NAMES: &str = include_str!("time_zones.txt");

/// Whether there is a time zone of this name.
pub fn is_time_zone(name: &str) -> bool {
    NAMES.lines().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_exactly() {
        for name in ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"] {
            assert!(is_time_zone(name), "{name}");
        }
        for name in ["", "Europe", "europe/berlin", "Mars/Phobos", "UTC\n"] {
            assert!(!is_time_zone(name), "{name}");
        }
    }
}
