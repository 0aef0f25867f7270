//! What a cache holds of each skill, file and folder, as bytes of one size: reading one of ten
//! thousand costs nothing for the others.

use super::field::{Fields, Range, STAMP, write_range, write_stamp};
use crate::source::{Layout, disk::seen::Stamp};

/// What a cache holds of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SkillRecord {
    pub(super) path: Range,
    pub(super) name: Range,
    pub(super) id: Option<Range>,
    pub(super) description: Range,
    /// Findings, tags and where it really is, for those that have any.
    pub(super) more: Range,
    pub(super) hash: Option<[u8; 32]>,
    pub(super) last_modified: Option<i64>,
    pub(super) text: u64,
    pub(super) length: u32,
    pub(super) tokens: u32,
    pub(super) layout: Layout,
    pub(super) broken: bool,
    pub(super) explicit_only: bool,
}

/// What a cache holds of a skill's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileRecord {
    pub(super) skill: u32,
    /// How much of the skill's path is the name of the file.
    pub(super) name: u32,
    pub(super) stamp: Option<Stamp>,
}

/// What a cache holds of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FolderRecord {
    pub(super) path: Range,
    /// Its files among all of them.
    pub(super) files: Range,
    /// What only a look at the folder needs.
    pub(super) more: Range,
    pub(super) stamp: Option<Stamp>,
    /// Whether a link led there.
    pub(super) located: bool,
}

const HASH: u8 = 1;
const MODIFIED: u8 = 1 << 1;
const ID: u8 = 1 << 2;
const BROKEN: u8 = 1 << 3;
const EXPLICIT_ONLY: u8 = 1 << 4;
const LAYOUTS: [Layout; 4] = [
    Layout::Folder,
    Layout::Flat,
    Layout::Convention,
    Layout::Record,
];

impl SkillRecord {
    pub(super) const SIZE: usize = 5 * 8 + 32 + 8 + 8 + 4 + 4 + 2;

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for range in [
            self.path,
            self.name,
            self.id.unwrap_or_default(),
            self.description,
            self.more,
        ] {
            write_range(range, bytes);
        }
        bytes.extend(self.hash.unwrap_or_default());
        bytes.extend(self.last_modified.unwrap_or_default().to_le_bytes());
        bytes.extend(self.text.to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.tokens.to_le_bytes());
        let layout = LAYOUTS.iter().position(|it| *it == self.layout);
        let flags = [
            (self.hash.is_some(), HASH),
            (self.last_modified.is_some(), MODIFIED),
            (self.id.is_some(), ID),
            (self.broken, BROKEN),
            (self.explicit_only, EXPLICIT_ONLY),
        ];
        let flags = flags.iter().filter(|(set, _)| *set);
        bytes.push(flags.fold(0, |all, (_, flag)| all | flag));
        bytes.push(layout.unwrap_or_default() as u8);
    }

    /// The name alone, which is asked for most.
    #[inline]
    pub(super) fn name(bytes: &[u8; Self::SIZE]) -> Range {
        let mut fields = Fields(bytes);
        let [_path, name] = [(); 2].map(|()| fields.range());
        name
    }

    /// Whether it is broken, and whether it asks to be called by name, without the rest.
    #[inline]
    pub(super) fn is_broken_or_explicit_only(bytes: &[u8; Self::SIZE]) -> (bool, bool) {
        let flags = bytes[Self::SIZE - 2];
        (flags & BROKEN != 0, flags & EXPLICIT_ONLY != 0)
    }

    #[inline]
    pub(super) fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let mut fields = Fields(bytes);
        let [path, name, id, description, more] = [(); 5].map(|()| fields.range());
        let hash = fields.take();
        let last_modified = i64::from_le_bytes(fields.take());
        let text = u64::from_le_bytes(fields.take());
        let [length, tokens] = [(); 2].map(|()| u32::from_le_bytes(fields.take()));
        let [flags, layout] = fields.take();
        let is = |flag: u8| flags & flag != 0;
        Self {
            path,
            name,
            id: is(ID).then_some(id),
            description,
            more,
            hash: is(HASH).then_some(hash),
            last_modified: is(MODIFIED).then_some(last_modified),
            text,
            length,
            tokens,
            layout: LAYOUTS[usize::from(layout % 4)],
            broken: is(BROKEN),
            explicit_only: is(EXPLICIT_ONLY),
        }
    }
}

impl FileRecord {
    pub(super) const SIZE: usize = 4 + 4 + STAMP;

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.skill.to_le_bytes());
        bytes.extend(self.name.to_le_bytes());
        write_stamp(self.stamp, bytes);
    }

    #[inline]
    pub(super) fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let mut fields = Fields(bytes);
        Self {
            skill: u32::from_le_bytes(fields.take()),
            name: u32::from_le_bytes(fields.take()),
            stamp: fields.stamp(),
        }
    }
}

impl FolderRecord {
    pub(super) const SIZE: usize = 3 * 8 + STAMP + 1;

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for range in [self.path, self.files, self.more] {
            write_range(range, bytes);
        }
        write_stamp(self.stamp, bytes);
        bytes.push(u8::from(self.located));
    }

    #[inline]
    pub(super) fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let mut fields = Fields(bytes);
        let [path, files, more] = [(); 3].map(|()| fields.range());
        let stamp = fields.stamp();
        let [located] = fields.take();
        Self {
            path,
            files,
            more,
            stamp,
            located: located != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp() -> Stamp {
        Stamp {
            device: 1,
            inode: u64::MAX,
            size: 3,
            modified: -4,
            changed: i64::MAX,
        }
    }

    fn range(start: u32) -> Range {
        Range { start, length: 7 }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let skill = SkillRecord {
            path: range(1),
            name: range(2),
            id: Some(range(3)),
            description: range(4),
            more: range(5),
            hash: Some([9; 32]),
            last_modified: Some(-1),
            text: 1 << 40,
            length: 10,
            tokens: 11,
            layout: Layout::Convention,
            broken: true,
            explicit_only: true,
        };
        let less = SkillRecord {
            id: None,
            hash: None,
            last_modified: None,
            layout: Layout::Folder,
            broken: false,
            explicit_only: false,
            ..skill
        };
        for record in [skill, less] {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            let bytes = bytes.try_into().unwrap();
            assert_eq!(SkillRecord::read(&bytes), record);
            assert_eq!(SkillRecord::name(&bytes), record.name);
            assert_eq!(
                SkillRecord::is_broken_or_explicit_only(&bytes),
                (record.broken, record.explicit_only)
            );
        }
        for stamp in [Some(stamp()), None] {
            let (mut file, mut folder) = (Vec::new(), Vec::new());
            let one = FileRecord {
                skill: 1,
                name: 8,
                stamp,
            };
            one.write(&mut file);
            assert_eq!(FileRecord::read(&file.try_into().unwrap()), one);
            let one = FolderRecord {
                path: range(1),
                files: range(2),
                more: range(3),
                stamp,
                located: stamp.is_none(),
            };
            one.write(&mut folder);
            assert_eq!(FolderRecord::read(&folder.try_into().unwrap()), one);
        }
    }
}
