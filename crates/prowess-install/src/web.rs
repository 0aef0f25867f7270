//! Bytes over HTTPS, with manners: few redirects, each looked at; no way from a public address to
//! a private one; a bound on size and time; names and passwords only to the host they are for.

use std::{
    fmt,
    io::Read as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use reqwest::{
    StatusCode, Url,
    blocking::Client,
    dns::{Addrs, Name, Resolve, Resolving},
    header,
    redirect::Policy,
};

use crate::disk;

/// As many as a moved site needs.
const REDIRECTS: usize = 3;

/// A file with names and passwords is short.
const MOST_NETRC: u64 = 1024 * 1024;

/// What a download may use and cost.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// How many bytes one answer may have.
    pub bytes: u64,
    /// How long one request may take.
    pub time: Duration,
    /// The user's file with names and passwords by host, as curl and git read it.
    pub netrc: Option<PathBuf>,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            bytes: 64 * 1024 * 1024,
            time: Duration::from_secs(120),
            netrc: None,
        }
    }
}

/// Why a download gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// The address is not asked.
    #[error("`{}` is not asked: {reason}", prowess::display_text(url))]
    Refused {
        /// The address.
        url: String,
        /// Why.
        reason: &'static str,
    },
    /// No answer.
    #[error("`{}` does not answer", prowess::display_text(url))]
    Unreachable {
        /// The address.
        url: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An answer that broke off.
    #[error("the answer of `{}` broke off", prowess::display_text(url))]
    Cut {
        /// The address.
        url: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An answer that says no.
    #[error("`{}` answered {status}", prowess::display_text(url))]
    Status {
        /// The address.
        url: String,
        /// The code and its usual words.
        status: StatusCode,
    },
    /// An answer that is too long.
    #[error(
        "`{}` answered with more than {most} bytes",
        prowess::display_text(url)
    )]
    TooLarge {
        /// The address.
        url: String,
        /// The limit.
        most: u64,
    },
}

impl WebError {
    /// Whether the server says that there is no such thing.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Status { status, .. } if matches!(status.as_u16(), 404 | 410))
    }
}

/// What came, and from where in the end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) url: Url,
}

/// Asks on behalf of one address that the user named. Only its host may be a private one, and only
/// with its scheme may anything be asked without encryption.
#[derive(Debug)]
pub(crate) struct Web {
    client: Client,
    named: Url,
    options: WebOptions,
    login: Option<Login>,
}

/// A name and a password, which no log shows.
struct Login {
    name: String,
    password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

impl Web {
    pub(crate) fn new(named: &str, options: &WebOptions) -> Result<Self, WebError> {
        let named = address(named)?;
        let host = named.host_str().unwrap_or_default().to_owned();
        // Fails where a host program has chosen another one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("prowess/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(options.time.min(Duration::from_secs(20)))
            // Each one is looked at here.
            .redirect(Policy::none())
            .referer(false)
            .dns_resolver(Arc::new(PublicOnly {
                named: host.clone(),
            }));
        if is_local(&host) {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|source| unreachable(&named, source))?;
        let netrc = options.netrc.as_deref();
        let text = netrc.and_then(|path| disk::read_text(path, MOST_NETRC).ok().flatten());
        let login = text.and_then(|text| login(&text, &host));
        Ok(Self {
            client,
            named,
            options: options.clone(),
            login,
        })
    }

    /// The address that the user named.
    pub(crate) fn named(&self) -> &Url {
        &self.named
    }

    /// Gets what is there, following redirects.
    pub(crate) fn get(&self, url: &Url) -> Result<Answer, WebError> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            self.may_ask(&url)?;
            // For the whole request: that of a client holds for each piece of an answer anew.
            let request = self.client.get(url.clone());
            let mut request = request.timeout(self.options.time);
            if let Some(login) = self.login.as_ref().filter(|_| self.is_named(&url)) {
                request = request.basic_auth(&login.name, Some(&login.password));
            }
            let response = request.send().map_err(|source| unreachable(&url, source))?;
            let status = response.status();
            if status.is_redirection() {
                let next = response.headers().get(header::LOCATION);
                let next = next.and_then(|it| it.to_str().ok());
                let next = next.and_then(|it| url.join(it).ok());
                url = next.ok_or_else(|| refused(&url, "it leads nowhere"))?;
                continue;
            }
            if status != StatusCode::OK {
                return Err(WebError::Status {
                    url: shown(&url),
                    status,
                });
            }
            let most = self.options.bytes;
            let mut bytes = Vec::new();
            let cut = |source| WebError::Cut {
                url: shown(&url),
                source,
            };
            let mut body = response.take(most.saturating_add(1));
            body.read_to_end(&mut bytes).map_err(cut)?;
            if bytes.len() as u64 > most {
                return Err(WebError::TooLarge {
                    url: shown(&url),
                    most,
                });
            }
            return Ok(Answer { bytes, url });
        }
        Err(refused(&url, "it leads on more than three times"))
    }

    fn is_named(&self, url: &Url) -> bool {
        url.origin() == self.named.origin()
    }

    fn may_ask(&self, url: &Url) -> Result<(), WebError> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(url, "it holds a name or a password"));
        }
        match url.scheme() {
            "https" => {}
            "http" if self.is_named(url) => {}
            "http" => return Err(refused(url, "it is not encrypted")),
            _ => return Err(refused(url, "it is neither `https` nor `http`")),
        }
        let same_host = url.host() == self.named.host();
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        if !same_host && (address.is_ok_and(|it| !is_public(it)) || host == "localhost") {
            return Err(refused(url, "it is a private address that nobody named"));
        }
        Ok(())
    }
}

fn address(text: &str) -> Result<Url, WebError> {
    let url = Url::parse(text).ok().filter(Url::has_host);
    url.ok_or_else(|| WebError::Refused {
        url: text.to_owned(),
        reason: "it is no address",
    })
}

/// An address as messages name it: a query can hold a signature.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if url.query().is_some() {
        url.set_query(Some("…"));
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn refused(url: &Url, reason: &'static str) -> WebError {
    WebError::Refused {
        url: shown(url),
        reason,
    }
}

fn unreachable<E: std::error::Error + Send + Sync + 'static>(url: &Url, source: E) -> WebError {
    let source: Box<dyn std::error::Error + Send + Sync> = Box::new(source);
    // The address stands in the message already, with less of it.
    let source = match source.downcast::<reqwest::Error>() {
        Ok(source) => Box::new(source.without_url()),
        Err(source) => source,
    };
    WebError::Unreachable {
        url: shown(url),
        source,
    }
}

/// Finds the addresses of a host; private ones only of the host that the user named.
#[derive(Debug)]
struct PublicOnly {
    named: String,
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let any = name.as_str().eq_ignore_ascii_case(&self.named);
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let lookup = move || -> std::io::Result<Vec<SocketAddr>> {
                let found: Vec<SocketAddr> = (host.as_str(), 0).to_socket_addrs()?.collect();
                if !any && found.iter().any(|it| !is_public(it.ip())) {
                    return Err(std::io::Error::other(
                        "its name leads to a private address that nobody named",
                    ));
                }
                Ok(found)
            };
            let found = tokio::task::spawn_blocking(lookup).await??;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

fn is_local(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

/// Whether an address is one of the open net, by the registries of IANA for special purposes.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => is_public_v4(it),
        IpAddr::V6(it) => is_public_v6(it),
    }
}

fn is_public_v4(it: Ipv4Addr) -> bool {
    let [a, b, c, _] = it.octets();
    !(it.is_private()
        || it.is_loopback()
        || it.is_link_local()
        || it.is_documentation()
        || it.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0))
}

fn is_public_v6(it: Ipv6Addr) -> bool {
    if let Some(inner) = it.to_ipv4() {
        return is_public_v4(inner);
    }
    let parts = it.segments();
    let inner = |at: usize| Ipv4Addr::from((u32::from(parts[at]) << 16) | u32::from(parts[at + 1]));
    match (parts[0], parts[1]) {
        // Ways to an IPv4 address: NAT64 and 6to4.
        (0x64, 0xff9b) => is_public_v4(inner(6)),
        (0x2002, _) => is_public_v4(inner(1)),
        // Teredo, documentation.
        (0x2001, 0 | 0xdb8) => false,
        // Everything that was ever given out lies in 2000::/3.
        (first, _) => first & 0xe000 == 0x2000,
    }
}

/// The name and password for a host in a `netrc` file.
fn login(text: &str, host: &str) -> Option<Login> {
    let lines = text.lines();
    let lines = lines.map(|line| line.split(" #").next().unwrap_or(line));
    let lines = lines.filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    let (mut here, mut name, mut password) = (false, None, None);
    while let Some(word) = words.next() {
        match word {
            "machine" | "default" if here && password.is_some() => break,
            "machine" | "default" => {
                here = word == "default" || words.next() == Some(host);
                (name, password) = (None, None);
            }
            "login" if here => name = words.next(),
            "password" if here => password = words.next(),
            _ => {}
        }
    }
    let password = password.filter(|_| here)?.to_owned();
    let name = name.unwrap_or_default().to_owned();
    Some(Login { name, password })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known_in_every_dress() {
        let private = [
            "10.1.2.3",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.0.8",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:db8::1",
            "2001::1",
            "::127.0.0.1",
        ];
        for address in private {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "140.82.112.3",
            "2606:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_password_is_for_its_host_alone() {
        let text = "# mine\nmachine a.org login me password one # old\nmachine b.org\n  login you\n  password two\n";
        let pair = |text: &str, host: &str| {
            login(text, host).map_or_else(String::new, |it| format!("{}:{}", it.name, it.password))
        };
        assert_eq!(pair(text, "a.org"), "me:one");
        assert_eq!(pair(text, "b.org"), "you:two");
        assert_eq!(pair(text, "c.org"), "");
        assert_eq!(pair("default login x password y#z", "c.org"), "x:y#z");
    }

    #[test]
    fn a_redirect_leads_to_no_private_place_and_to_nothing_unencrypted() {
        let web = Web::new("https://example.org/a", &WebOptions::default()).unwrap();
        let reason = |url: &str| match web.may_ask(&Url::parse(url).unwrap()) {
            Ok(()) => "",
            Err(WebError::Refused { reason, .. }) => reason,
            Err(_) => "another",
        };
        assert_eq!(reason("https://example.org/b"), "");
        assert_eq!(reason("https://other.org/b"), "");
        assert_eq!(reason("http://example.org/b"), "it is not encrypted");
        assert_eq!(
            reason("file:///etc/passwd"),
            "it is neither `https` nor `http`"
        );
        assert_eq!(
            reason("https://a:b@other.org/"),
            "it holds a name or a password"
        );
        let private = "it is a private address that nobody named";
        for url in [
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://0x7f.1/",
            "https://localhost/",
        ] {
            assert_eq!(reason(url), private, "{url}");
        }
        let web = Web::new("http://127.0.0.1:8000/", &WebOptions::default()).unwrap();
        assert!(
            web.may_ask(&Url::parse("http://127.0.0.1:8000/x").unwrap())
                .is_ok()
        );
        assert!(
            web.may_ask(&Url::parse("http://127.0.0.1:9/x").unwrap())
                .is_err()
        );
    }

    /// A server that does this with each connection, on loopback.
    fn server(serve: fn(std::net::TcpStream)) -> Url {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/a.zip", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                serve(stream);
            }
        });
        Url::parse(&address).unwrap()
    }

    #[test]
    fn nobody_waits_for_a_server_that_is_gone_silent_or_slow() {
        use std::io::Write as _;
        let gone = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap()
        };
        let silent = server(|stream| {
            std::thread::sleep(Duration::from_secs(30));
            drop(stream);
        });
        let slow = server(|mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
            while stream.write_all(b".").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let endless = server(|mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[0; 4096]).is_ok() {}
        });
        let options = WebOptions {
            time: Duration::from_millis(400),
            bytes: 100_000,
            netrc: None,
        };
        let ask = |url: &Url| {
            let started = std::time::Instant::now();
            let answer = Web::new(url.as_str(), &options).unwrap().get(url);
            assert!(started.elapsed() < Duration::from_secs(10));
            answer.unwrap_err()
        };
        assert!(matches!(ask(&gone), WebError::Unreachable { .. }));
        assert!(matches!(ask(&silent), WebError::Unreachable { .. }));
        assert!(matches!(ask(&slow), WebError::Cut { .. }));
        assert!(matches!(ask(&endless), WebError::TooLarge { .. }));
    }
}
