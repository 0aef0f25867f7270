//! A web server with encryption on loopback, under an authority of its own: git repositories by
//! `git http-backend`, and files.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};

/// The server; it ends with the test.
pub(crate) struct Server {
    /// `https://localhost:PORT`
    pub(crate) address: String,
    shared: Arc<Shared>,
}

struct Shared {
    /// What is served: repositories below `git/`, files otherwise.
    folder: PathBuf,
    tls: Arc<ServerConfig>,
    /// `Basic …`, which everything below `/git/private` asks for.
    login: &'static str,
    asked: Mutex<Vec<String>>,
}

impl Server {
    /// Serves a folder; writes the certificate of its authority to a file.
    pub(crate) fn new(folder: PathBuf, authority: &Path, login: &'static str) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let (key, certificate) = certificate(authority);
        let tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            folder,
            tls: Arc::new(tls),
            login,
            asked: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                thread::spawn(move || {
                    let connection = ServerConnection::new(Arc::clone(&shared.tls)).unwrap();
                    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
                    while let Ok(true) = shared.answer(&mut stream) {}
                    let stream = stream.get_mut();
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                });
            }
        });
        Self {
            address: format!("https://localhost:{port}"),
            shared,
        }
    }

    /// What was asked since the last time: the path, and whether a right password came with it.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }
}

/// A key and a certificate for `localhost`, signed by an authority that is made for it.
fn certificate(
    authority: &Path,
) -> (
    PrivateKeyDer<'static>,
    rustls::pki_types::CertificateDer<'static>,
) {
    let mut own = CertificateParams::new(Vec::new()).unwrap();
    own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    fs::write(authority, own.self_signed(&key).unwrap().pem()).unwrap();
    let issuer = Issuer::new(own, key);
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &issuer).unwrap();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
    (key, leaf.der().clone())
}

type Connection = BufReader<StreamOwned<ServerConnection, TcpStream>>;

impl Shared {
    /// Answers one request; `false` where no other follows.
    fn answer(&self, stream: &mut Connection) -> io::Result<bool> {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let mut head: Vec<(String, String)> = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            head.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let header = |name: &str| head.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
        let body = body(stream, header)?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let known = header("authorization") == Some(self.login);
        let seen = format!("{path}{}", if known { " with the password" } else { "" });
        self.asked.lock().unwrap().push(seen);
        let (status, more, bytes) = if path.starts_with("/git/private") && !known {
            let ask = "www-authenticate: Basic realm=\"x\"\r\n".to_owned();
            ("401 Unauthorized".to_owned(), ask, Vec::new())
        } else if path.starts_with("/git/") {
            self.backend(&method, path, query, header, &body)?
        } else {
            match fs::read(self.folder.join(path.trim_start_matches('/'))) {
                Ok(bytes) => ("200 OK".to_owned(), String::new(), bytes),
                Err(_) => ("404 Not Found".to_owned(), String::new(), Vec::new()),
            }
        };
        let length = bytes.len();
        let stream = stream.get_mut();
        write!(
            stream,
            "HTTP/1.1 {status}\r\n{more}content-length: {length}\r\n\r\n"
        )?;
        stream.write_all(&bytes)?;
        stream.flush()?;
        Ok(true)
    }

    /// Lets `git` answer, by the rules of CGI.
    fn backend<'a>(
        &self,
        method: &str,
        path: &str,
        query: &str,
        header: impl Fn(&str) -> Option<&'a str>,
        body: &[u8],
    ) -> io::Result<(String, String, Vec<u8>)> {
        let mut child = Command::new("git")
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", self.folder.join("git"))
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("GIT_CONFIG_GLOBAL", self.folder.join("gitconfig"))
            .env("REQUEST_METHOD", method)
            .env("PATH_INFO", path.trim_start_matches("/git"))
            .env("QUERY_STRING", query)
            .env("REMOTE_ADDR", "127.0.0.1")
            .env("CONTENT_LENGTH", body.len().to_string())
            .env("CONTENT_TYPE", header("content-type").unwrap_or_default())
            .env("GIT_PROTOCOL", header("git-protocol").unwrap_or_default())
            .env(
                "HTTP_CONTENT_ENCODING",
                header("content-encoding").unwrap_or_default(),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = child.stdin.take().unwrap();
        let answer = thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(body));
            child.wait_with_output()
        })?;
        let answer = answer.stdout;
        let end = answer
            .windows(4)
            .position(|it| it == b"\r\n\r\n")
            .unwrap_or(0);
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let mut status = "200 OK".to_owned();
        let mut more = String::new();
        for line in head.lines() {
            match line.strip_prefix("Status: ") {
                Some(it) => it.clone_into(&mut status),
                None => more.extend([line, "\r\n"]),
            }
        }
        Ok((status, more, answer[(end + 4).min(answer.len())..].to_vec()))
    }
}

/// What came with a request, whole or in pieces.
fn body<'a>(
    stream: &mut Connection,
    header: impl Fn(&str) -> Option<&'a str>,
) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if header("transfer-encoding").is_none() {
        let length = header("content-length").and_then(|it| it.parse().ok());
        stream.take(length.unwrap_or(0)).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        stream.take(length).read_to_end(&mut body)?;
        stream.read_line(&mut line)?;
        if length == 0 {
            return Ok(body);
        }
    }
}
