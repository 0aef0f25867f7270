//! `[check]`: which rules speak, how loud, and where.

use super::reader::{Fault, Reader, Section};
use crate::commands::check::settings::{Level, PathGlob, known_code};

impl Reader<'_> {
    pub(super) fn check(&mut self, mut section: Section<'_>) {
        let base = self
            .path
            .parent()
            .map(std::path::Path::to_path_buf)
            .unwrap_or_default();
        if let Some(value) = section.take("exclude") {
            let globs: Option<Vec<String>> = self.read(&value, "check.exclude");
            for glob in globs.unwrap_or_default() {
                match PathGlob::new(&glob, &base) {
                    Ok(glob) => self.config.check.exclude.push(glob),
                    Err(message) => self.error(value.span(), Fault::plain(message)),
                }
            }
        }
        if let Some(most) = self.get::<u64>(&mut section, "max-warnings") {
            self.config.check.max_warnings = Some(most as usize);
        }
        if let Some(value) = section.take("baseline")
            && let Some(text) = self.read::<String>(&value, "check.baseline")
            && let Some(named) = self.path(&text, value.span(), "file")
        {
            self.config.check.baseline = Some(named.path);
        }
        if let Some(rules) = self.section(&mut section, "rules") {
            for (code, value) in rules.into_entries() {
                let name = format!("check.rules.{}", code.get_ref());
                let level = self.read::<String>(&value, &name);
                let level = level.map(|level| level.parse::<Level>());
                match (known_code(code.get_ref()), level) {
                    (Ok(code), Some(Ok(level))) => {
                        self.config.check.levels.insert(code, level);
                    }
                    (Err(message), _) => self.error(code.span(), Fault::plain(message)),
                    (_, Some(Err(message))) => self.error(value.span(), Fault::plain(message)),
                    (_, None) => {}
                }
            }
        }
        if let Some(paths) = self.section(&mut section, "ignore") {
            for (glob, value) in paths.into_entries() {
                let name = format!("check.ignore.{}", glob.get_ref());
                let codes = self.read::<Vec<String>>(&value, &name).unwrap_or_default();
                let codes: Result<Vec<_>, _> = codes.iter().map(|code| known_code(code)).collect();
                match (PathGlob::new(glob.get_ref(), &base), codes) {
                    (Ok(glob), Ok(codes)) => self.config.check.ignore.push((glob, codes)),
                    (Err(message), _) => self.error(glob.span(), Fault::plain(message)),
                    (_, Err(message)) => self.error(value.span(), Fault::plain(message)),
                }
            }
        }
        self.finish(section);
    }
}
