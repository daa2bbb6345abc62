//! The addresses that may be called: public Internet addresses, and the networks that the operator
//! allows. All others may be the operator's internal systems, which users must not reach through the
//! server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// The rule for addresses.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Vec<IpNet>,
    /// Whether the operator has chosen the service, so that its name does not wait for those that users have chosen.
    is_for_operator: bool,
}

impl AddressGuard {
    /// Allows public addresses and the networks `allowed`.
    #[must_use]
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self {
            allowed,
            is_for_operator: false,
        }
    }

    /// Allows public addresses, of services that the operator has chosen.
    #[must_use]
    pub fn for_operator() -> Self {
        Self {
            is_for_operator: true,
            ..Self::default()
        }
    }

    /// Allows every address: for services that the operator has chosen.
    #[must_use]
    pub fn open() -> Self {
        let everywhere = |address: IpAddr| IpNet::new(address, 0).ok();
        let both = [Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()];
        Self {
            allowed: both.into_iter().filter_map(everywhere).collect(),
            is_for_operator: true,
        }
    }

    pub(super) fn is_for_operator(&self) -> bool {
        self.is_for_operator
    }

    /// Whether a service may be called at this address.
    #[must_use]
    pub fn admits(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allowed.iter().any(|net| net.contains(&address)) || is_public(address)
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_for_protocols = a == 192 && b == 0 && c == 0;
    let is_for_benchmarks = a == 198 && (b == 18 || b == 19);
    !(a == 0
        || a >= 240
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_benchmarks)
}

/// Only global unicast; an address that embeds an IPv4 address only if that is public.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let [one, two] = high.to_be_bytes();
        let [three, four] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(one, two, three, four))
    };
    match a {
        0x64 if b == 0xff9b && (c, d, e, f) == (0, 0, 0, 0) => embedded(g, h),
        0x2001 if b == 0 || b == 0xdb8 => false,
        0x2002 => embedded(b, c),
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_open_internet_may_be_called() {
        let guard = AddressGuard::default();
        let cases = [
            ("93.184.216.34", true),
            ("127.0.0.1", false),
            ("127.8.8.8", false),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("172.32.0.1", true),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("100.128.0.1", true),
            ("198.18.0.1", false),
            ("192.0.0.8", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700::1111", true),
            ("::1", false),
            ("::", false),
            ("fe80::1", false),
            ("fd00::1", false),
            ("ff02::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b::808:808", true),
            ("2002:7f00:1::", false),
            ("2001:db8::1", false),
            ("2001::1", false),
        ];
        for (address, admitted) in cases {
            assert_eq!(
                guard.admits(address.parse().unwrap()),
                admitted,
                "{address}"
            );
        }
    }

    #[test]
    fn the_operator_opens_networks() {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]);
        assert!(guard.admits("127.0.0.1".parse().unwrap()));
        assert!(guard.admits("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!guard.admits("10.0.0.1".parse().unwrap()));
        for address in ["127.0.0.1", "10.0.0.1", "::1", "2606:4700::1111"] {
            assert!(AddressGuard::open().admits(address.parse().unwrap()));
        }
        assert!(!AddressGuard::for_operator().admits("10.0.0.1".parse().unwrap()));
    }
}
