//! Where the server listens and by which names it answers, as a user writes them.

use std::net::{IpAddr, SocketAddr};

/// An address, a port of this machine, or an address without a port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    const PORT: u16 = 8645;
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(ip) = text.parse() {
        return Ok(SocketAddr::new(ip, PORT));
    }
    let port = text.strip_prefix("localhost:").or(text.strip_prefix(':'));
    let port = if text == "localhost" {
        Some(PORT)
    } else {
        port.unwrap_or(text).parse().ok()
    };
    port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .ok_or_else(|| "write an address and a port, such as `127.0.0.1:8645`".to_owned())
}

/// A host by itself: what a client writes before the port is compared with it.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    let is_ip = text.parse::<IpAddr>().is_ok();
    if text.is_empty() || (!is_ip && text.contains([':', '/', '@', ' '])) {
        return Err("write the name alone, such as `skills.example`".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_be_short() {
        let told = |text: &str| address(text).map(|it| it.to_string());
        for short in ["8645", ":8645", "localhost:8645", "localhost", "127.0.0.1"] {
            assert_eq!(told(short).as_deref(), Ok("127.0.0.1:8645"), "{short}");
        }
        assert_eq!(told("0.0.0.0:80").as_deref(), Ok("0.0.0.0:80"));
        assert_eq!(told("[::1]:80").as_deref(), Ok("[::1]:80"));
        assert_eq!(told("::1").as_deref(), Ok("[::1]:8645"));
        for bad in ["", "example.com:80", "99999", "127.0.0.1:x"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_is_a_name_alone() {
        for good in ["skills.example", "192.168.1.5", "fe80::1"] {
            assert_eq!(host_name(good).as_deref(), Ok(good));
        }
        for bad in ["", "skills.example:8645", "http://skills.example"] {
            assert!(host_name(bad).is_err(), "{bad}");
        }
    }
}
