//! The proxy as a program, for servers that need it to be understood: `memoseal-testproxy --gcs URL`.

#![forbid(unsafe_code)]

use clap::Parser;
use memoseal_testproxy::Proxy;

/// A reverse proxy on 127.0.0.1, for tests
#[derive(Debug, Parser)]
#[command(after_help = "Example:\n  memoseal-testproxy --port 4444 --gcs http://127.0.0.1:4443")]
struct Args {
    /// The server behind it
    upstream: String,
    /// The port to listen on; any that is free without it
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Translate the PUTs of a GCS client for fake-gcs-server
    #[arg(long)]
    gcs: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let proxy = Proxy::listen(&args.upstream, args.port, args.gcs).await?;
    println!("{}", proxy.url());
    // Until it is ended from outside.
    std::future::pending::<()>().await;
    Ok(())
}
