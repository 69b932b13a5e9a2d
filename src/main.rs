//! Owns the process: one thread, one command, one exit code. Never anything else.

fn main() {
    // A proxy or a key in the environment is read later; the arguments say what to do.
    let arguments = std::env::args_os().skip(1).collect();
    let code = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(avenir_mcp::cli::run(arguments));
            // Reading stdin holds a thread that only the end of input would free.
            runtime.shutdown_background();
            code
        }
        Err(_) => 1,
    };
    std::process::exit(i32::from(code));
}
