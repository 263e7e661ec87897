//! The verbs that read and write files.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Each line of the input is one of
  {\"command\":…}                    the bare input of a call; answered by {\"content\":…}
  {\"type\":\"tool_use\",\"id\":…,…}     a whole block; answered by a tool_result block
  [ …, … ]                         the calls of one turn, either way; answered by an array, in order;
                                   a message's whole content too: its texts are passed over
and is answered by one line, flushed. What was answered is saved. A line that cannot be read (not
JSON, not UTF-8, over 32 MiB) is answered by an error, and the stream goes on.

Example:
  echo '{\"command\":\"create\",\"path\":\"/memories/a.md\",\"file_text\":\"hi\"}' | memoseal tool")]
pub(crate) struct Tool {
    /// Refuse every change
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  memoseal cat /memories/notes/today.md\n  memoseal cat notes/today.md")]
pub(crate) struct Cat {
    /// The file, as the tool writes it; /memories/ may be left out
    pub(crate) path: String,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  memoseal put notes/today.md today.md
  memoseal put sketch.png ./sketch.png
  date | memoseal put now.txt -
  memoseal put notes/new.md draft.md --no-clobber")]
pub(crate) struct Put {
    /// Where it goes, as the tool writes it; /memories/ may be left out
    pub(crate) path: String,
    /// The file to read; - is stdin
    pub(crate) file: PathBuf,
    /// Replace nothing: if another content stands there, refuse
    #[arg(long, short)]
    pub(crate) no_clobber: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With -l: size in bytes, time of the last change, and the current version, which `show`, `diff` and
`restore` take.

Examples:
  memoseal ls
  memoseal ls -l notes
  memoseal ls --recursive --json")]
pub(crate) struct Ls {
    /// The directory, as the tool writes it; /memories/ may be left out
    #[arg(default_value = "/memories")]
    pub(crate) path: String,
    /// List every file below it
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// With size, time and version
    #[arg(long, short)]
    pub(crate) long: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
All of them go in one step, or none. The history stays as long as the store keeps it
(`memoseal retention`): until then `memoseal restore` brings a file back.

Examples:
  memoseal rm notes/today.md
  memoseal rm -r notes drafts --dry-run")]
pub(crate) struct Rm {
    /// Files and directories, as the tool writes them; /memories/ may be left out
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Directories too, with all that is in them
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Tell what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A directory goes with all that is in it, in one step. Nothing may stand at the new path yet.

Examples:
  memoseal mv notes/today.md notes/yesterday.md
  memoseal mv notes archive/notes")]
pub(crate) struct Mv {
    /// Where it stands, as the tool writes it; /memories/ may be left out
    #[arg(value_name = "OLD")]
    pub(crate) old_path: String,
    /// Where it goes
    #[arg(value_name = "NEW")]
    pub(crate) new_path: String,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Prints `path:line: text` for each line that holds TEXT as it is given, without patterns; nothing
if there is none. Exits with 0 either way. Pictures are passed over. The files are read from the
vault and searched here, so that the storage learns nothing of what is looked for.

Examples:
  memoseal search swordfish
  memoseal search --ignore-case 'acme corp' customers")]
pub(crate) struct Search {
    /// What to look for, within one line
    pub(crate) text: String,
    /// Where, as the tool writes it; /memories/ may be left out
    #[arg(default_value = "/memories")]
    pub(crate) path: String,
    /// Take capitals and small letters for the same
    #[arg(long, short)]
    pub(crate) ignore_case: bool,
}
