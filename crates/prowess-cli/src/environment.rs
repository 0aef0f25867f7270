//! What the process was started with, read once and passed on as values.

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

/// What `git`, and the programs it starts, need to act for this user, and nothing else.
const FOR_FETCHING: [&str; 24] = [
    "ALL_PROXY",
    "APPDATA",
    "GIT_CONFIG_GLOBAL",
    "GIT_SSL_CAINFO",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_PROXY",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TMPDIR",
    "USER",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Everything a command may know about the machine and the terminal.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each answers a question of its own"
)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// Where the command was started, as the shell names it.
    pub(crate) working_directory: PathBuf,
    /// The user's home.
    pub(crate) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where it is set.
    pub(crate) xdg_config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, where it is set.
    pub(crate) xdg_state_home: Option<PathBuf>,
    /// `XDG_CACHE_HOME`, where it is set.
    pub(crate) xdg_cache_home: Option<PathBuf>,
    /// `XDG_DATA_HOME`, where it is set.
    pub(crate) xdg_data_home: Option<PathBuf>,
    /// What a program that fetches for the user may know: home, proxies, certificates, agents.
    pub(crate) for_fetching: Vec<(OsString, OsString)>,
    /// `NETRC`, where it is set.
    pub(crate) netrc: Option<PathBuf>,
    /// A number that differs from build to build of this program.
    pub(crate) edition: u64,
    /// `PATH`, where programs are looked for.
    pub(crate) search_path: Option<OsString>,
    /// `CODEX_HOME`, where it is set.
    pub(crate) codex_home: Option<PathBuf>,
    /// Whether `NO_COLOR` or `TERM=dumb` asks for plain text.
    pub(crate) plain: bool,
    /// Whether `CLICOLOR_FORCE` or `FORCE_COLOR` asks for colour even in a pipe.
    pub(crate) force_color: bool,
    /// The width of the terminal, or what `COLUMNS` says.
    pub(crate) columns: Option<usize>,
    /// Whether a person can answer a question.
    pub(crate) stdin_terminal: bool,
    /// Whether a person reads the data.
    pub(crate) stdout_terminal: bool,
    /// Whether a person reads the messages.
    pub(crate) stderr_terminal: bool,
}

impl Environment {
    /// Reads the environment of this process.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
    pub(crate) fn read() -> io::Result<Self> {
        let working_directory = env::current_dir()?;
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        // The XDG rules: a relative path counts as unset.
        let folder = |name: &str| {
            set(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        Ok(Self {
            home: folder("HOME").or_else(|| folder("USERPROFILE")),
            xdg_config_home: folder("XDG_CONFIG_HOME"),
            xdg_state_home: folder("XDG_STATE_HOME"),
            xdg_cache_home: folder("XDG_CACHE_HOME"),
            xdg_data_home: folder("XDG_DATA_HOME"),
            for_fetching: FOR_FETCHING
                .iter()
                .filter_map(|name| Some((OsString::from(name), set(name)?)))
                .collect(),
            netrc: folder("NETRC"),
            edition: edition(),
            search_path: set("PATH"),
            codex_home: folder("CODEX_HOME"),
            plain: set("NO_COLOR").is_some() || set("TERM") == Some(OsString::from("dumb")),
            force_color: ["CLICOLOR_FORCE", "FORCE_COLOR"]
                .iter()
                .any(|name| set(name).is_some_and(|value| value != "0")),
            columns: set("COLUMNS")
                .and_then(|value| value.to_str()?.parse().ok())
                .or_else(terminal_columns),
            stdin_terminal: io::stdin().is_terminal(),
            stdout_terminal: io::stdout().is_terminal(),
            stderr_terminal: io::stderr().is_terminal(),
            working_directory,
        })
    }

    /// The user's file with names and passwords by host.
    pub(crate) fn netrc(&self) -> Option<PathBuf> {
        let named = self.netrc.clone();
        named.or_else(|| Some(self.home.as_deref()?.join(".netrc")))
    }

    /// The folder for settings.
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        self.xdg_folder(self.xdg_config_home.as_deref(), ".config")
    }

    /// The folder for what a program remembers.
    pub(crate) fn state_folder(&self) -> Option<PathBuf> {
        self.xdg_folder(self.xdg_state_home.as_deref(), ".local/state")
    }

    /// The folder for what can be had again.
    pub(crate) fn cache_folder(&self) -> Option<PathBuf> {
        self.xdg_folder(self.xdg_cache_home.as_deref(), ".cache")
    }

    /// The folder for what belongs to the user.
    pub(crate) fn data_folder(&self) -> Option<PathBuf> {
        self.xdg_folder(self.xdg_data_home.as_deref(), ".local/share")
    }

    fn xdg_folder(&self, set: Option<&Path>, below_home: &str) -> Option<PathBuf> {
        let base = match set {
            Some(folder) => folder.to_path_buf(),
            None => self.home.as_ref()?.join(below_home),
        };
        Some(base.join("prowess"))
    }

    /// The same as the library takes it, with projects looked for from `folder` on.
    pub(crate) fn seen_from(&self, folder: &Path) -> prowess::Environment {
        prowess::Environment {
            home: self.home.clone(),
            xdg_config_home: self.xdg_config_home.clone(),
            xdg_state_home: self.xdg_state_home.clone(),
            codex_home: self.codex_home.clone(),
            working_directory: folder.to_path_buf(),
        }
    }

    /// The path as a person would write it: below the working directory, or below `~`.
    pub(crate) fn shorten(&self, path: &Path) -> String {
        let below = |base: &Path| path.strip_prefix(base).ok().map(Path::to_path_buf);
        if let Some(rest) = below(&self.working_directory) {
            return if rest.as_os_str().is_empty() {
                ".".to_owned()
            } else {
                prowess::display_path(&rest)
            };
        }
        match self.home.as_deref().and_then(below) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", prowess::display_path(&rest)),
            None => prowess::display_path(path),
        }
    }
}

/// Two builds of one version may read skills differently; the program's file tells them apart.
#[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
fn edition() -> u64 {
    let file = env::current_exe().and_then(std::fs::metadata);
    let Ok(file) = file else {
        return 0;
    };
    let modified = file.modified().ok();
    let since = modified.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |it| it.as_nanos() as u64) ^ file.len().rotate_left(48)
}

fn terminal_columns() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size()?;
    Some(usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_as_a_person_writes_them() {
        let environment = Environment {
            working_directory: "/home/ada/work".into(),
            home: Some("/home/ada".into()),
            ..Environment::default()
        };
        let shorten = |path: &str| environment.shorten(Path::new(path));
        assert_eq!(shorten("/home/ada/work/skills/a"), "skills/a");
        assert_eq!(shorten("/home/ada/work"), ".");
        assert_eq!(shorten("/home/ada/.agents"), "~/.agents");
        assert_eq!(shorten("/home/adam"), "/home/adam");
        assert_eq!(shorten("skills/a"), "skills/a");
    }
}
