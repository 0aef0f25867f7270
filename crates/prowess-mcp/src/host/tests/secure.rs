//! Servers over TLS. The certificates below `tls/` were made for these tests, hold for `localhost`
//! and nothing else, and are trusted by nobody.

use std::sync::Arc;

use rustls::{
    ServerConfig as TlsConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use super::*;

const AUTHORITY: &str = include_str!("tls/authority.pem");

fn secure() -> Script {
    let own = CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own], key)
        .unwrap();
    let skills = [Skill::new("pdf").file("forms.md", "Boxes.")];
    let answer = move |method: &str, params: &_| script::serve(&skills, method, params);
    Script::start(answer, Some(Arc::new(tls)))
}

/// Its address with the name in its certificate.
fn named(script: &Script) -> String {
    script.url().replace("127.0.0.1", "localhost")
}

fn believing(script: &Script, url: &str, authority: Option<&str>) -> ServerConfig {
    let mut config = server("acme", script);
    if let Transport::Url {
        url: place,
        authorities,
        ..
    } = &mut config.transport
    {
        url.clone_into(place);
        *authorities = authority.map(str::to_owned);
    }
    config
}

#[test]
fn an_authority_that_is_not_known_is_told_of() {
    let script = secure();
    check_catalog(
        vec![believing(&script, &named(&script), None)],
        &expect![[r"
            [server-unreachable] the MCP server `acme` shows a certificate of an authority that is not known here (if the server is yours, name the authority's certificate in `ca-file`)
        "]],
    );
}

#[test]
fn an_authority_that_is_named_is_believed() {
    let script = secure();
    let url = named(&script);
    let servers = vec![believing(&script, &url, Some(AUTHORITY))];
    let host = Host::start(servers, HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    assert_eq!(skill.instructions(), "Do pdf.");
    let page = skill.read_resource("forms.md", 0, &Limits::default());
    assert_eq!(page.unwrap().size, 6);
}

#[test]
fn a_certificate_is_for_one_name() {
    let script = secure();
    check_catalog(
        vec![believing(&script, script.url(), Some(AUTHORITY))],
        &expect![[r"
            [server-unreachable] the MCP server `acme` shows a certificate for another name (write the name in its certificate in `url`)
        "]],
    );
}

#[test]
fn a_server_without_tls_is_told_of() {
    let script = Script::serving([Skill::new("pdf")]);
    let url = script.url().replace("http://", "https://");
    check_catalog(
        vec![believing(&script, &url, None)],
        &expect![[r"
            [server-unreachable] the MCP server `acme` does not speak TLS (on this machine its `url` may begin with `http://`)
        "]],
    );
}

#[test]
fn what_is_no_certificate_is_told_of() {
    let script = secure();
    check_catalog(
        vec![believing(&script, script.url(), Some("not a certificate"))],
        &expect![[r"
            [server-unreachable] the MCP server `acme` is not asked: its `ca-file` holds no certificate (name a file with `BEGIN CERTIFICATE` in it)
        "]],
    );
}

#[test]
fn a_token_is_not_sent_in_the_clear() {
    let asked = |url: &str| {
        let mut config = ServerConfig::url("acme", url);
        config.timeout = Duration::from_millis(200);
        if let Transport::Url { token, .. } = &mut config.transport {
            *token = Some("secret".to_owned());
        }
        let host = Host::start(vec![config], HostOptions::default()).unwrap();
        seen(&catalog_of(&host))
    };
    expect![[r"
        [server-unreachable] the MCP server `acme` is not asked: everybody on the way could read its token (write `https://` in its `url`; where the way is safe, put `Authorization` into `headers`)
    "]]
    .assert_eq(&asked("http://192.0.2.1/mcp"));
    for url in [
        "http://127.0.0.1.evil.example/mcp",
        "HTTP://localhost.evil.example/mcp",
    ] {
        assert!(asked(url).contains("is not asked"), "{url}");
    }
    for url in [
        "http://127.0.0.1:9/mcp",
        "http://localhost:9/mcp",
        "http://[::1]:9/mcp",
    ] {
        assert!(!asked(url).contains("is not asked"), "{url}");
    }
}
