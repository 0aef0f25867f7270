//! Archives: what is taken from those that common programs make, and what is refused.
#![expect(clippy::too_many_lines, reason = "tables of hostile inputs")]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use expect_test::expect;
use flate2::{Compression, Crc, write::DeflateEncoder, write::GzEncoder};
use prowess_install::{ArchiveLimits, Mode, read_archive};

const SKILL: &[u8] = b"---\nname: demo\ndescription: A demo.\n---\nHello\n";

fn told(bytes: &[u8]) -> String {
    match read_archive(bytes, &ArchiveLimits::default()) {
        Ok(files) => {
            let line = |(path, mode, bytes): &(_, Mode, Vec<u8>)| {
                format!("{} {path} {}\n", mode.as_str(), bytes.len())
            };
            files.iter().map(line).collect()
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|it| format!(": {it}"));
            format!("{error}{}\n", cause.unwrap_or_default())
        }
    }
}

/// One entry of a tar: what its header says, whether that is so or not.
fn entry(kind: u8, name: &[u8], mode: u32, bytes: &[u8]) -> Vec<u8> {
    sized(kind, name, mode, bytes, bytes.len() as u64)
}

fn sized(kind: u8, name: &[u8], mode: u32, bytes: &[u8], size: u64) -> Vec<u8> {
    let mut header = [0; 512];
    let length = name.len().min(100);
    header[..length].copy_from_slice(&name[..length]);
    header[100..108].copy_from_slice(format!("{mode:07o}\0").as_bytes());
    header[108..124].copy_from_slice(b"0000000\x000000000\0");
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    header[136..148].copy_from_slice(b"00000000000\0");
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|&it| u32::from(it)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut all = header.to_vec();
    all.extend_from_slice(bytes);
    all.resize(all.len().next_multiple_of(512), 0);
    all
}

fn file(name: &str) -> Vec<u8> {
    entry(b'0', name.as_bytes(), 0o644, b"x")
}

fn extended(kind: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::new();
    for (key, value) in fields {
        let rest = key.len() + value.len() + 3;
        let length = (rest..rest + 9)
            .find(|it| rest + it.to_string().len() == *it)
            .unwrap();
        let _ = writeln!(text, "{length} {key}={value}");
    }
    entry(kind, b"PaxHeaders/x", 0o644, text.as_bytes())
}

fn tape(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut all = entries.concat();
    all.resize(all.len() + 1024, 0);
    all
}

fn with_skill(more: &[Vec<u8>]) -> Vec<u8> {
    tape(&[&[entry(b'0', b"SKILL.md", 0o644, SKILL)], more].concat())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One entry of a zip, with what its two headers say.
#[derive(Clone)]
struct Zipped<'a> {
    name: &'a [u8],
    bytes: &'a [u8],
    /// Unix mode.
    mode: u32,
    flags: u16,
    method: u16,
    crc: Option<u32>,
    /// What the list says, where that differs.
    listed_name: Option<&'a [u8]>,
    listed_size: Option<u32>,
    listed_crc: Option<u32>,
    listed_method: Option<u16>,
    listed_offset: Option<u32>,
    unlisted: bool,
    extra: &'a [u8],
}

fn zipped<'a>(name: &'a str, bytes: &'a [u8]) -> Zipped<'a> {
    Zipped {
        name: name.as_bytes(),
        bytes,
        mode: 0o100_644,
        flags: 0,
        method: 8,
        crc: None,
        listed_name: None,
        listed_size: None,
        listed_crc: None,
        listed_method: None,
        listed_offset: None,
        unlisted: false,
        extra: b"",
    }
}

fn zip(entries: &[Zipped<'_>]) -> Vec<u8> {
    zip_with(b"", entries, b"")
}

fn zip_with(before: &[u8], entries: &[Zipped<'_>], comment: &[u8]) -> Vec<u8> {
    let mut all = before.to_vec();
    let mut list = Vec::new();
    let mut count = 0_u16;
    let le16 = |to: &mut Vec<u8>, it: u16| to.extend(it.to_le_bytes());
    let le32 = |to: &mut Vec<u8>, it: u32| to.extend(it.to_le_bytes());
    for it in entries {
        let start = (all.len() - before.len()) as u32;
        let mut crc = Crc::new();
        crc.update(it.bytes);
        let crc = it.crc.unwrap_or(crc.sum());
        let packed = if it.method == 8 {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(it.bytes).unwrap();
            encoder.finish().unwrap()
        } else {
            it.bytes.to_vec()
        };
        let head = |to: &mut Vec<u8>, method: u16, crc: u32, size: u32, name: &[u8], extra: u16| {
            le16(to, 20);
            le16(to, it.flags);
            le16(to, method);
            le32(to, 0x0021_0000);
            le32(to, crc);
            le32(to, packed.len() as u32);
            le32(to, size);
            le16(to, name.len() as u16);
            le16(to, extra);
        };
        let size = it.bytes.len() as u32;
        all.extend(b"PK\x03\x04");
        head(&mut all, it.method, crc, size, it.name, 0);
        all.extend(it.name);
        all.extend(&packed);
        if it.unlisted {
            continue;
        }
        count += 1;
        list.extend(b"PK\x01\x02");
        le16(&mut list, 0x031e);
        let name = it.listed_name.unwrap_or(it.name);
        head(
            &mut list,
            it.listed_method.unwrap_or(it.method),
            it.listed_crc.unwrap_or(crc),
            it.listed_size.unwrap_or(size),
            name,
            it.extra.len() as u16,
        );
        le32(&mut list, 0);
        le16(&mut list, 0);
        le32(&mut list, it.mode << 16);
        le32(&mut list, it.listed_offset.unwrap_or(start));
        list.extend(name);
        list.extend(it.extra);
    }
    let start = (all.len() - before.len()) as u32;
    let size = list.len() as u32;
    all.extend(list);
    all.extend(b"PK\x05\x06\0\0\0\0");
    le16(&mut all, count);
    le16(&mut all, count);
    le32(&mut all, size);
    le32(&mut all, start);
    le16(&mut all, comment.len() as u16);
    all.extend(comment);
    all
}

fn zip_of(it: Zipped<'_>) -> Vec<u8> {
    zip(&[zipped("SKILL.md", SKILL), it])
}

#[test]
fn what_is_plain_is_taken_with_bytes_and_mode() {
    let tar = with_skill(&[
        entry(b'5', b"./scripts/", 0o755, b""),
        entry(b'0', b"./scripts/run.sh", 0o6755, b"x\r\n"),
        entry(b'0', b"__MACOSX/._SKILL.md", 0o644, b"junk"),
        extended(b'g', &[("comment", "0123")]),
        extended(
            b'x',
            &[("path", "a b/ç.md"), ("mtime", "1.5"), ("size", "1")],
        ),
        file("short"),
        entry(b'L', b"././@LongLink", 0o644, b"long/name\0"),
        file("long"),
    ]);
    let taken = told(&tar);
    expect![[r#"
        0644 SKILL.md 46
        0644 a b/ç.md 1
        0644 long/name 1
        0755 scripts/run.sh 3
    "#]]
    .assert_eq(&taken);
    assert_eq!(told(&gzip(&tar)), taken);
    let mut run = zipped("scripts/run.sh", b"x\r\n");
    run.mode = 0o106_755;
    let mut stored = zipped("long/name", b"x");
    stored.method = 0;
    let zip = zip(&[
        zipped("SKILL.md", SKILL),
        zipped("scripts/", b""),
        run,
        zipped("a b/ç.md", b"x"),
        stored,
        zipped("__MACOSX/._SKILL.md", b"junk"),
    ]);
    assert_eq!(told(&zip), taken);
}

#[test]
fn names_that_lead_elsewhere_are_refused_in_every_format() {
    let long = "x".repeat(256);
    let deep = ["a"; 33].join("/");
    let names = [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a/./x",
        "a//x",
        "..",
        "a\\..\\x",
        "C:\\x",
        "C:x",
        "\\\\host\\share\\x",
        "a\0.md",
        "a\nb",
        "a\u{1b}[2Jb",
        "a\u{202e}dm.exe",
        "a\u{200b}b",
        "e\u{301}.md",
        ".git/hooks/post-checkout",
        "a/.GIT/config",
        ".git",
        "git~1/config",
        "NUL",
        "a/aux.md",
        "Com1.txt",
        "x.",
        "x ",
        "a?b",
        "__MACOSX/../x",
        &long,
        &deep,
    ];
    let mut all = String::new();
    for name in names {
        let tar = with_skill(&[extended(b'x', &[("path", name)]), file("y")]);
        let zip = zip_of(zipped(name, b"x"));
        let answer = told(&tar);
        assert_eq!(answer, told(&zip));
        assert_eq!(answer, told(&gzip(&tar)));
        all += &answer.replace('\u{301}', "<301>");
    }
    expect![[r#"
        the path `/etc/passwd` is absolute
        the path `../x` has a part `.` or `..`
        the path `a/../../x` has a part `.` or `..`
        the path `a/./x` has a part `.` or `..`
        the path `a//x` has an empty part
        the path `..` has a part `.` or `..`
        the path `a\..\x` has a backslash
        the path `C:\x` has a backslash
        the path `C:x` has a sign that Windows does not take in names
        the path `\\host\share\x` has a backslash
        the path `a\u{0}.md` has a control character
        the path `a\nb` has a control character
        the path `a\u{1b}[2Jb` has a control character
        the path `a\u{202e}dm.exe` has a character that hides or turns text
        the path `a\u{200b}b` has a character that hides or turns text
        the path `e<301>.md` is not in the normal form NFC
        the path `.git/hooks/post-checkout` leads into `.git`
        the path `a/.GIT/config` leads into `.git`
        the path `.git` leads into `.git`
        the path `git~1/config` leads into `.git`
        the path `NUL` is the name of a device on Windows
        the path `a/aux.md` is the name of a device on Windows
        the path `Com1.txt` is the name of a device on Windows
        the path `x.` has a name that ends in a dot or a space
        the path `x ` has a name that ends in a dot or a space
        the path `a?b` has a sign that Windows does not take in names
        the path `__MACOSX/../x` has a part `.` or `..`
        the path `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` has a name of more than 255 bytes
        the path `a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a` has more than 32 parts
    "#]].assert_eq(&all);
}

#[test]
fn two_names_for_one_file_are_refused_in_every_format() {
    let cases: [&[&str]; 6] = [
        &["a.md", "a.md"],
        &["SKILL.MD"],
        &["a/x", "A/y"],
        &["a", "a/b"],
        &["É.md", "é.md"],
        &["a/", "A"],
    ];
    let mut all = String::new();
    for names in cases {
        let entries: Vec<Vec<u8>> = names
            .iter()
            .map(|it| match it.strip_suffix('/') {
                Some(_) => entry(b'5', it.as_bytes(), 0o755, b""),
                None => file(it),
            })
            .collect();
        let bytes = |name: &str| -> &[u8] { if name.ends_with('/') { b"" } else { b"x" } };
        let zipped: Vec<Zipped<'_>> = [zipped("SKILL.md", SKILL)]
            .into_iter()
            .chain(names.iter().map(|it| zipped(it, bytes(it))))
            .collect();
        all += &told(&with_skill(&entries));
        all += &told(&zip(&zipped));
    }
    expect![[r#"
        the entry `a.md` is there twice
        the entry `a.md` is there twice
        `SKILL.MD` and `SKILL.md` are one file where case does not count
        `SKILL.MD` and `SKILL.md` are one file where case does not count
        `A/y` and `a/x` are one file where case does not count
        `A/y` and `a/x` are one file where case does not count
        `a` is a file and the folder of `a/b`
        `a` is a file and the folder of `a/b`
        `É.md` and `é.md` are one file where case does not count
        `É.md` and `é.md` are one file where case does not count
        `A` is a file and the folder of `a`
        `A` is a file and the folder of `a`
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_tar_that_means_more_than_plain_files_is_refused() {
    let long = "x".repeat(65 * 1024);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "symbolic link",
            with_skill(&[entry(b'2', b"l", 0o777, b"")]),
        ),
        ("hard link", with_skill(&[entry(b'1', b"l", 0o644, b"")])),
        (
            "link with a long target",
            with_skill(&[
                entry(b'K', b"././@LongLink", 0o644, b"t\0"),
                entry(b'2', b"l", 0o777, b""),
            ]),
        ),
        (
            "linkpath",
            with_skill(&[extended(b'x', &[("linkpath", "/etc/passwd")]), file("l")]),
        ),
        (
            "character device",
            with_skill(&[entry(b'3', b"tty", 0o644, b"")]),
        ),
        (
            "block device",
            with_skill(&[entry(b'4', b"sda", 0o644, b"")]),
        ),
        ("pipe", with_skill(&[entry(b'6', b"pipe", 0o644, b"")])),
        ("sparse", with_skill(&[entry(b'S', b"holes", 0o644, b"")])),
        (
            "sparse by fields",
            with_skill(&[
                extended(
                    b'x',
                    &[("GNU.sparse.name", "holes"), ("GNU.sparse.major", "1")],
                ),
                file("y"),
            ]),
        ),
        (
            "volume label",
            with_skill(&[entry(b'V', b"label", 0o644, b"")]),
        ),
        ("unknown kind", with_skill(&[entry(b'Z', b"z", 0o644, b"")])),
        (
            "folder with bytes",
            with_skill(&[entry(b'5', b"d/", 0o755, b"x")]),
        ),
        (
            "size said twice",
            with_skill(&[extended(b'x', &[("size", "512")]), file("y")]),
        ),
        (
            "two sizes in one header",
            with_skill(&[extended(b'x', &[("size", "1"), ("size", "2")]), file("y")]),
        ),
        (
            "size for all",
            with_skill(&[extended(b'g', &[("size", "0")]), file("y")]),
        ),
        (
            "path for all",
            with_skill(&[extended(b'g', &[("path", "z")]), file("y")]),
        ),
        (
            "name said twice",
            with_skill(&[
                extended(b'x', &[("path", "z")]),
                entry(b'L', b"././@LongLink", 0o644, b"w\0"),
                file("y"),
            ]),
        ),
        (
            "two names in one header",
            with_skill(&[extended(b'x', &[("path", "z"), ("path", "w")]), file("y")]),
        ),
        (
            "name of no text",
            with_skill(&[entry(b'0', b"\xff.md", 0o644, b"x")]),
        ),
        (
            "very long name",
            with_skill(&[extended(b'x', &[("path", &long)]), file("y")]),
        ),
        (
            "broken field",
            with_skill(&[entry(b'x', b"p", 0o644, b"9 path=z"), file("y")]),
        ),
        (
            "field of signed length",
            with_skill(&[entry(b'x', b"p", 0o644, b"+9 path=z\n"), file("y")]),
        ),
        (
            "header for nothing",
            with_skill(&[extended(b'x', &[("path", "z")])]),
        ),
        ("wrong checksum", {
            let mut it = with_skill(&[file("y")]);
            it[1024 + 1] = b'z';
            it
        }),
        (
            "more than there is",
            tape(&[sized(b'0', b"SKILL.md", 0o644, b"x", 1 << 20)]),
        ),
        ("size of all bits", {
            let mut it = entry(b'0', b"SKILL.md", 0o644, b"x");
            it[124..136].fill(0xff);
            let sum: u32 = it[..148]
                .iter()
                .chain(&it[156..512])
                .map(|&it| u32::from(it))
                .sum::<u32>()
                + 256;
            it[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            tape(&[it])
        }),
        ("no end", entry(b'0', b"SKILL.md", 0o644, SKILL)),
        (
            "second archive behind",
            [with_skill(&[]), with_skill(&[file("../x")])].concat(),
        ),
        ("cut gzip", {
            let it = gzip(&with_skill(&[]));
            it[..it.len() - 4].to_vec()
        }),
        ("gzip with a wrong checksum", {
            let mut it = gzip(&with_skill(&[]));
            let at = it.len() - 6;
            it[at] ^= 1;
            it
        }),
        (
            "bytes behind the gzip",
            [gzip(&with_skill(&[])), b"more".to_vec()].concat(),
        ),
        ("gzip of no tar", gzip(b"hello")),
        (
            "bomb",
            gzip(&with_skill(&[entry(
                b'0',
                b"zeros",
                0o644,
                &vec![0; 4 << 20],
            )])),
        ),
        ("cut zstd", b"\x28\xb5\x2f\xfd\x04".to_vec()),
        ("nothing", Vec::new()),
        ("xz", b"\xfd7zXZ\0".to_vec()),
        ("text", b"hello".repeat(200)),
    ];
    let mut all = String::new();
    for (what, bytes) in cases {
        let _ = write!(all, "{what}: {}", told(&bytes));
    }
    expect![[r#"
        symbolic link: the entry `l` is a link, and only plain files are installed
        hard link: the entry `l` is a link, and only plain files are installed
        link with a long target: the entry `l` is a link, and only plain files are installed
        linkpath: the entry `l` is a link, and only plain files are installed
        character device: the entry `tty` is a device, and only plain files are installed
        block device: the entry `sda` is a device, and only plain files are installed
        pipe: the entry `pipe` is a pipe, and only plain files are installed
        sparse: the entry `holes` is a file with holes, and only plain files are installed
        sparse by fields: the entry `holes` is a file with holes, and only plain files are installed
        volume label: the entry `label` is no plain file, and only plain files are installed
        unknown kind: the entry `z` is no plain file, and only plain files are installed
        folder with bytes: the entry `d/` is a folder with bytes of its own
        size said twice: the entry `y` has two sizes
        two sizes in one header: the archive is damaged: one entry has two sizes
        size for all: the entry `PaxHeaders/x` gives all others one name, size or target
        path for all: the entry `PaxHeaders/x` gives all others one name, size or target
        name said twice: the entry `w` has two names
        two names in one header: the entry `w` has two names
        name of no text: the entry `�.md` is named by no text
        very long name: it has more than 65536 bytes for one name
        broken field: the archive is damaged: a field of an extended header is none
        field of signed length: the archive is damaged: a field of an extended header is none
        header for nothing: the archive is damaged: it is cut short
        wrong checksum: the archive is damaged: archive header checksum mismatch
        more than there is: the archive is damaged: it is cut short
        size of all bits: the archive is damaged: size overflow
        no end: the archive is damaged: it is cut short
        second archive behind: the archive is damaged: more comes after its end
        cut gzip: the archive is damaged: unexpected end of file
        gzip with a wrong checksum: the archive is damaged: corrupt gzip stream does not have a matching checksum
        bytes behind the gzip: the archive is damaged: unexpected end of file
        gzip of no tar: the archive is damaged: failed to read entire block
        bomb: it unpacks to more than 200 times its size
        cut zstd: the archive is damaged: the head of a zstd frame cannot be read
        nothing: it is no zip, tar, tar.gz or tar.zst
        xz: it is no zip, tar, tar.gz or tar.zst
        text: it is no zip, tar, tar.gz or tar.zst
    "#]].assert_eq(&all);
}

#[test]
fn a_zip_that_two_programs_read_in_two_ways_is_refused() {
    let second = zip(&[zipped("SKILL.md", b"other")]);
    let unicode = {
        let mut crc = Crc::new();
        crc.update(b"y");
        [&b"\x75\x70\x06\0\x01"[..], &crc.sum().to_le_bytes(), b"z"].concat()
    };
    let plain = || zipped("y", b"yyyy");
    let zeros = vec![0; 4 << 20];
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "link",
            zip_of(Zipped {
                mode: 0o120_777,
                ..plain()
            }),
        ),
        (
            "character device",
            zip_of(Zipped {
                mode: 0o020_644,
                ..plain()
            }),
        ),
        (
            "block device",
            zip_of(Zipped {
                mode: 0o060_644,
                ..plain()
            }),
        ),
        (
            "pipe",
            zip_of(Zipped {
                mode: 0o010_644,
                ..plain()
            }),
        ),
        (
            "socket",
            zip_of(Zipped {
                mode: 0o140_644,
                ..plain()
            }),
        ),
        (
            "file that is a folder",
            zip_of(Zipped {
                mode: 0o040_755,
                ..plain()
            }),
        ),
        ("folder with bytes", zip_of(zipped("d/", b"x"))),
        (
            "encrypted",
            zip_of(Zipped {
                flags: 1,
                ..plain()
            }),
        ),
        (
            "bzip2",
            zip_of(Zipped {
                method: 12,
                ..plain()
            }),
        ),
        (
            "wrong checksum",
            zip_of(Zipped {
                crc: Some(1),
                ..plain()
            }),
        ),
        (
            "another name in the list",
            zip_of(Zipped {
                listed_name: Some(b"z"),
                ..plain()
            }),
        ),
        (
            "another name in a field",
            zip_of(Zipped {
                extra: &unicode,
                ..plain()
            }),
        ),
        (
            "another size in the list",
            zip_of(Zipped {
                listed_size: Some(3),
                ..plain()
            }),
        ),
        (
            "another checksum in the list",
            zip_of(Zipped {
                listed_crc: Some(3),
                ..plain()
            }),
        ),
        (
            "another method in the list",
            zip_of(Zipped {
                listed_method: Some(0),
                ..plain()
            }),
        ),
        (
            "one place for two",
            zip_of(Zipped {
                listed_offset: Some(0),
                ..plain()
            }),
        ),
        (
            "entry that is not listed",
            zip_of(Zipped {
                unlisted: true,
                ..plain()
            }),
        ),
        (
            "name of no text",
            zip_of(Zipped {
                name: b"\xff",
                ..plain()
            }),
        ),
        (
            "bytes before it",
            zip_with(b"PK\x03\x04#!/bin/sh\n", &[zipped("SKILL.md", SKILL)], b""),
        ),
        (
            "second list in the comment",
            zip_with(
                b"",
                &[zipped("SKILL.md", SKILL)],
                &second[second.len() - 22..],
            ),
        ),
        (
            "bytes behind it",
            [zip(&[zipped("SKILL.md", SKILL)]), b"more".to_vec()].concat(),
        ),
        (
            "two archives",
            [zip(&[zipped("SKILL.md", SKILL)]), second.clone()].concat(),
        ),
        ("bomb", zip_of(zipped("zeros", &zeros))),
        ("cut", second[..second.len() - 8].to_vec()),
        ("no list", second[..40].to_vec()),
    ];
    let mut all = String::new();
    for (what, bytes) in cases {
        let _ = write!(all, "{what}: {}", told(&bytes));
    }
    expect![[r#"
        link: the entry `y` is a link, and only plain files are installed
        character device: the entry `y` is a device, and only plain files are installed
        block device: the entry `y` is a device, and only plain files are installed
        pipe: the entry `y` is a pipe, and only plain files are installed
        socket: the entry `y` is no plain file, and only plain files are installed
        file that is a folder: the entry `y` is a file and a folder
        folder with bytes: the entry `d/` is a file and a folder
        encrypted: the entry `y` is encrypted
        bzip2: the entry `y` is packed in a way that is not read; pack it with `deflate`
        wrong checksum: the entry `y` is damaged: Invalid checksum
        another name in the list: the archive is damaged: invalid Zip archive: header inconsistency detected: Local file header filename mismatch (does not match central directory)
        another name in a field: the entry `z` has two names
        another size in the list: the archive is damaged: invalid Zip archive: header inconsistency detected: uncompressed size mismatch (does not match central directory)
        another checksum in the list: the archive is damaged: invalid Zip archive: header inconsistency detected: CRC32 checksum mismatch (does not match central directory)
        another method in the list: the archive is damaged: invalid Zip archive: header inconsistency detected: compression method mismatch (does not match central directory)
        one place for two: the archive is damaged: invalid Zip archive: header inconsistency detected: Local file header filename mismatch (does not match central directory)
        entry that is not listed: the archive is damaged: invalid Zip archive: header inconsistency detected: local file header missing from central directory
        name of no text: the entry `�` is named by no text
        bytes before it: the archive is damaged: invalid Zip archive: No CDFH found
        second list in the comment: the archive is damaged: its list of entries does not end where the file does
        bytes behind it: the archive is damaged: its list of entries does not end where the file does
        two archives: the archive is damaged: its list of entries does not end where the file does
        bomb: it unpacks to more than 200 times its size
        cut: the archive is damaged: invalid Zip archive: Unexpected end of zip::format::blocks::Zip32CDEBlock
        no list: the archive is damaged: invalid Zip archive: Could not find EOCD
    "#]].assert_eq(&all);
}

#[test]
fn what_is_too_much_is_refused() {
    let few = ArchiveLimits {
        entries: 3,
        bytes: 2048,
        file_bytes: 1000,
        ratio: 200,
    };
    let large = vec![b'x'; 1001];
    let half = vec![b'x'; 900];
    let names = ["SKILL.md", "a", "b", "c"];
    let mut all = String::new();
    for (what, files) in [
        ("entries", names.map(|it| (it, &b"x"[..])).to_vec()),
        ("one file", vec![("SKILL.md", &large[..])]),
        (
            "all files",
            names[..3].iter().map(|it| (*it, &half[..])).collect(),
        ),
    ] {
        let tar = tape(
            &files
                .iter()
                .map(|(name, bytes)| entry(b'0', name.as_bytes(), 0o644, bytes))
                .collect::<Vec<_>>(),
        );
        let zip = zip(&files
            .iter()
            .map(|(name, bytes)| zipped(name, bytes))
            .collect::<Vec<_>>());
        for bytes in [gzip(&tar), zip] {
            let error = read_archive(&bytes, &few).unwrap_err();
            let _ = writeln!(all, "{what}: {error}");
        }
    }
    expect![[r#"
        entries: it has more than 3 entries
        entries: it has more than 3 entries
        one file: the entry `SKILL.md` has more than 1000 bytes
        one file: the entry `SKILL.md` has more than 1000 bytes
        all files: it has more than 2048 bytes in it
        all files: it has more than 2048 bytes in it
    "#]]
    .assert_eq(&all);
}

fn program(line: &str, at: &Path, input: &str) -> Option<bool> {
    let mut words = line.split_whitespace();
    let mut child = Command::new(words.next()?)
        .args(words)
        .current_dir(at)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    Some(child.wait().ok()?.success())
}

/// GNU tar, zip and Python pack one folder; each gives the same bytes and modes back.
#[test]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn what_common_programs_pack_comes_back_the_same() {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("demo");
    let long = "d".repeat(120);
    let files: BTreeMap<String, (&[u8], u32)> = [
        ("SKILL.md".to_owned(), (SKILL, 0o644)),
        ("ends.txt".to_owned(), (&b"one\r\ntwo\n\0"[..], 0o644)),
        ("scripts/run.sh".to_owned(), (&b"#!/bin/sh\n"[..], 0o755)),
        ("a b/ç é.md".to_owned(), (&b""[..], 0o644)),
        (format!("{long}/{long}.md"), (&b"x"[..], 0o644)),
    ]
    .into();
    for (path, (bytes, mode)) in &files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
    }
    let python = "\
import tarfile, zipfile, os
for name, form in (('pax', tarfile.PAX_FORMAT), ('gnu', tarfile.GNU_FORMAT)):
    with tarfile.open(f'py-{name}.tar.gz', 'w:gz', format=form) as it:
        it.add('demo')
with zipfile.ZipFile('py.zip', 'w', zipfile.ZIP_DEFLATED) as it:
    for at, _, names in os.walk('demo'):
        for name in names:
            it.write(os.path.join(at, name))
";
    let made = [
        ("tar -cf gnu.tar demo", ""),
        ("tar -czf gnu.tar.gz demo", ""),
        ("tar --zstd -cf gnu.tar.zst demo", ""),
        ("tar --format=posix -czf posix.tgz demo", ""),
        ("tar -C demo -czf dot.tar.gz .", ""),
        ("zip -q -r info.zip demo", ""),
        ("zip -q -0 -r stored.skill demo", ""),
        ("python3 -", python),
    ];
    let made = made.iter().filter(|(line, input)| {
        let done = program(line, folder.path(), input);
        assert_ne!(done, Some(false), "{line}");
        done.is_some()
    });
    assert!(made.count() > 0, "no program that packs is here");
    let mut seen = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path == root {
            continue;
        }
        seen += 1;
        let bytes = fs::read(&path).unwrap();
        let files_back = read_archive(&bytes, &ArchiveLimits::default());
        let files_back = files_back.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let back: BTreeMap<String, (Vec<u8>, &str)> = files_back
            .into_iter()
            .map(|(path, mode, bytes)| {
                let path = path.as_str();
                let path = path.strip_prefix("demo/").unwrap_or(path);
                (path.to_owned(), (bytes, mode.as_str()))
            })
            .collect();
        let expected: BTreeMap<String, (Vec<u8>, &str)> = files
            .iter()
            .map(|(path, (bytes, mode))| {
                let bits = if *mode == 0o755 { "0755" } else { "0644" };
                (path.clone(), (bytes.to_vec(), bits))
            })
            .collect();
        assert_eq!(back, expected, "{}", path.display());
    }
    assert!(seen >= 4, "{seen}");
}
