//! A connection that ends where its client takes no more.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, Sleep, sleep};

/// A request, and each part of an answer, must be through in so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A connection on which each write must be done in [`PATIENCE`]: a client that asks for much and
/// reads nothing would hold it, and the answer, for ever.
pub(crate) struct Patient {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    /// Whether a write waits for the client.
    waits: bool,
}

impl Patient {
    pub(crate) fn new(stream: TcpStream) -> Patient {
        Patient {
            stream,
            end: Box::pin(sleep(PATIENCE)),
            waits: false,
        }
    }

    /// Passes on what a write came to, unless it has waited for too long.
    fn bound<T>(&mut self, context: &mut Context<'_>, done: Poll<Result<T>>) -> Poll<Result<T>> {
        if done.is_ready() {
            self.waits = false;
            return done;
        }
        if !self.waits {
            self.waits = true;
            self.end.as_mut().reset(Instant::now() + PATIENCE);
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bound(context, done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.bound(context, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(context);
        self.bound(context, done)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bound(context, done)
    }
}
