//! The verbs about the program itself.

use clap::Args as ClapArgs;
use clap_complete::Shell;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  memoseal completions bash > ~/.local/share/bash-completion/completions/memoseal
  memoseal completions zsh > ~/.zfunc/_memoseal
  memoseal completions fish > ~/.config/fish/completions/memoseal.fish")]
pub(crate) struct Completions {
    /// The shell that reads it
    pub(crate) shell: Shell,
}
