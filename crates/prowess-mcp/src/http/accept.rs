//! Connections: a bounded number, each within its times, and a calm end.

use std::{convert::Infallible, sync::Arc, time::Duration};

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

use super::{AppState, gate::Client};

/// Bytes of the head of a request.
const HEAD: usize = 32 * 1024;

/// Connections that are told at one time that there is no room; more are just closed.
const MAX_TURNED_AWAY: usize = 64;

const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
    Connection: close\r\nContent-Length: 0\r\n\r\n";

pub(super) async fn run(
    listener: TcpListener,
    router: Router,
    state: &Arc<AppState>,
    end: &CancellationToken,
) {
    let room = Arc::new(Semaphore::new(state.options.connections));
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
            state.metrics.turned_away();
            if let Some(unsaid) = state.quota.take() {
                let (client, most) = (address.ip(), state.options.connections);
                let unsaid = (unsaid > 0).then_some(unsaid);
                tracing::warn!(%client, most, unsaid, "a connection was turned away");
            }
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
        stream.set_write_timeout(Some(state.options.write_timeout));
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
            .header_read_timeout(state.options.head_timeout)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        let state = Arc::clone(state);
        state.metrics.connected();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            state.metrics.disconnected();
            drop(permit);
        });
    }
    drop(listener);
    let answered = async {
        state.in_flight.quiet().await;
        // What is left are streams, which end only when they are told to.
        state.ended.cancel();
    };
    let all = async { tokio::join!(graceful.shutdown(), answered) };
    if timeout(state.options.grace, all).await.is_err() {
        state.ended.cancel();
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
