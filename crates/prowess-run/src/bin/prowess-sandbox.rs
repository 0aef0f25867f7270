//! The launcher alone, for hosts that do not ship the `prowess` command.

fn main() {
    prowess_run::launcher::enter();
    eprintln!("error: this program is started by `prowess-run`, not by hand");
    std::process::exit(2);
}
