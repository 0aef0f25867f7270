//! Connections: a bounded number, each within its times, and a calm end.

use std::{convert::Infallible, future::Future, net::IpAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::client::Client;

/// Bytes of the head of a request.
const HEAD: usize = 32 * 1024;

/// Connections that are told at one time that there is no room; more are just closed.
const MAX_TURNED_AWAY: usize = 64;

const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
    Connection: close\r\nContent-Length: 0\r\n\r\n";

/// What one connection may take, and how many there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Connections at one time; more are answered with 503.
    pub connections: usize,
    /// How long the head of a request may take, and a connection may be idle.
    pub head_timeout: Duration,
    /// How long a client may leave an answer unread.
    pub write_timeout: Duration,
    /// How long requests may go on once the server is told to end.
    pub grace: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 512,
            head_timeout: Duration::from_secs(15),
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(10),
        }
    }
}

/// Is told of every connection, and ends what lasts.
pub trait Observer: Send + Sync + 'static {
    /// One more is open.
    fn connected(&self) {}

    /// One has ended.
    fn disconnected(&self) {}

    /// There was no room for one.
    fn turned_away(&self, client: IpAddr);

    /// Waits until every request that ends by itself has its answer.
    fn answered(&self) -> impl Future<Output = ()> + Send;

    /// Ends the streams that are left.
    fn end_streams(&self);
}

/// Serves a router until `end` is cancelled. Then nobody new is let in, requests under way get
/// their answers, and after them streams end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    observer: &Arc<impl Observer>,
    end: &CancellationToken,
) {
    let room = Arc::new(Semaphore::new(bounds.connections));
    let turning_away = Arc::new(Semaphore::new(MAX_TURNED_AWAY));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = end.cancelled() => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most often there are no more file descriptors; trying at once would spin.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            observer.turned_away(address.ip());
            if let Ok(permit) = Arc::clone(&turning_away).try_acquire_owned() {
                tokio::spawn(async move {
                    turn_away(stream).await;
                    drop(permit);
                });
            }
            continue;
        };
        // Small answers must not wait for company.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(bounds.write_timeout));
        let service = {
            let router = router.clone();
            let client = Client::new(address);
            service_fn(move |request: Request<Incoming>| {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(client);
                answer(router.clone(), request)
            })
        };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.head_timeout)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        let observer = Arc::clone(observer);
        observer.connected();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            observer.disconnected();
            drop(permit);
        });
    }
    drop(listener);
    let answered = async {
        observer.answered().await;
        // What is left are streams, which end only when they are told to.
        observer.end_streams();
    };
    let all = async { tokio::join!(graceful.shutdown(), answered) };
    if timeout(bounds.grace, all).await.is_err() {
        observer.end_streams();
        tracing::warn!("some requests did not end in time");
    }
}

async fn answer(
    router: Router,
    request: Request<Body>,
) -> Result<axum::response::Response, Infallible> {
    router.oneshot(request).await
}

/// Says that there is no room, and reads what was sent: a connection that is closed on unread
/// bytes takes the answer with it.
async fn turn_away(mut stream: TcpStream) {
    let told = async {
        stream.write_all(NO_ROOM).await?;
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // Whoever does not listen is left.
    let _ = timeout(Duration::from_secs(1), told).await;
}
