//! A server that gives one answer to everything and keeps what came.

use std::sync::{Arc, Mutex};

use memoseal_testproxy::{Kind, Op, Proxy, Request};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

pub(crate) struct Upstream {
    port: u16,
    came: Arc<Mutex<Vec<String>>>,
    comes: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Upstream {
    pub(crate) async fn start(answer: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (came, comes) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Notify>::default());
        let task = tokio::spawn({
            let (came, comes, answer) = (Arc::clone(&came), Arc::clone(&comes), answer.to_owned());
            async move {
                while let Ok((mut stream, _)) = listener.accept().await {
                    let request = read_request(&mut stream).await;
                    came.lock().unwrap().push(request);
                    comes.notify_one();
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            }
        });
        Self { port, came, comes, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What came since the last time.
    pub(crate) fn took(&self) -> Vec<String> {
        std::mem::take(&mut self.came.lock().unwrap())
    }

    /// Waits until something came that nobody has waited for.
    pub(crate) async fn comes(&self) {
        self.comes.notified().await;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    loop {
        let n = stream.read(&mut buffer).await.unwrap();
        text.push_str(std::str::from_utf8(&buffer[..n]).unwrap());
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.unwrap_or("0").parse::<usize>().unwrap() {
                return text;
            }
        }
        assert_ne!(n, 0, "half a request: {text}");
    }
}

/// Sends a request on a connection of its own; all that comes back until it is closed.
pub(crate) async fn ask(proxy: &Proxy, request: &str) -> String {
    let address = proxy.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = request.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an error, and what came before it counts.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

/// A request for rules that do not look at it.
pub(crate) fn some_request() -> Request {
    Request { op: Op::Get, kind: Kind::Other, name: String::new(), number: 0 }
}
