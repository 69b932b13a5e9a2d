//! Owns a zip archive of a few files, stored as they are: the least that every unpacker reads. Never reads a file.

/// A file of the archive.
pub struct Entry<'a> {
    /// Its path, with slashes.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its permissions, as on Unix.
    pub mode: u16,
}

/// Midnight of 1980-01-01, the first day that the format knows: the same files give the same archive.
const DAY: u16 = (1 << 5) | 1;
/// The version of the format that is needed: the oldest that has folders.
const NEEDED: u16 = 20;
/// Made on Unix, so that the permissions count.
const MADE_BY: u16 = (3 << 8) | NEEDED;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

/// The archive; `None` when it is larger than the format's four gigabytes.
pub fn archive(entries: &[Entry<'_>]) -> Option<Vec<u8>> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for entry in entries {
        let (size, at) = (u32::try_from(entry.bytes.len()).ok()?, u32::try_from(out.len()).ok()?);
        let name = u16::try_from(entry.name.len()).ok()?;
        let mut shared = Vec::new();
        put16(&mut shared, &[NEEDED, FLAGS, 0, 0, DAY]);
        put32(&mut shared, &[crc32(entry.bytes), size, size]);
        put16(&mut shared, &[name, 0]);
        put32(&mut out, &[0x0403_4b50]);
        out.extend([shared.as_slice(), entry.name.as_bytes(), entry.bytes].concat());
        put32(&mut list, &[0x0201_4b50]);
        put16(&mut list, &[MADE_BY]);
        list.extend(shared);
        put16(&mut list, &[0, 0, 0]);
        put32(&mut list, &[(0o100_000 | u32::from(entry.mode)) << 16, at]);
        list.extend(entry.name.as_bytes());
    }
    let (at, size) = (u32::try_from(out.len()).ok()?, u32::try_from(list.len()).ok()?);
    let count = u16::try_from(entries.len()).ok()?;
    out.extend(list);
    put32(&mut out, &[0x0605_4b50]);
    put16(&mut out, &[0, 0, count, count]);
    put32(&mut out, &[size, at]);
    put16(&mut out, &[0]);
    Some(out)
}

fn put16(out: &mut Vec<u8>, numbers: &[u16]) {
    numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
}

fn put32(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
}

/// The checksum of the format.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let (mut value, mut bit) = (at as u32, 0);
            while bit < 8 {
                value = (value >> 1) ^ if value & 1 == 1 { 0xedb8_8320 } else { 0 };
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, byte| (sum >> 8) ^ TABLE[usize::from(sum as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_formats() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn each_part_is_where_its_list_says() {
        let files = [("a.txt", &b"hello"[..], 0o644), ("bin/é", &b"\0\xFF"[..], 0o755)];
        let entries: Vec<Entry<'_>> =
            files.iter().map(|(name, bytes, mode)| Entry { name, bytes, mode: *mode }).collect();
        let zip = archive(&entries).expect("small");
        let number = |at: usize, size: usize| {
            zip[at..at + size].iter().rev().fold(0_usize, |value, byte| value << 8 | usize::from(*byte))
        };
        let end = zip.len() - 22;
        assert_eq!((number(end, 4), number(end + 10, 2)), (0x0605_4b50, 2));
        let mut at = number(end + 16, 4);
        assert_eq!(at + number(end + 12, 4), end);
        for (name, bytes, mode) in files {
            assert_eq!(number(at, 4), 0x0201_4b50);
            assert_eq!(number(at + 40, 2), 0o100_000 | usize::from(mode));
            assert_eq!(
                (number(at + 20, 4), number(at + 24, 4), number(at + 28, 2)),
                (bytes.len(), bytes.len(), name.len())
            );
            assert_eq!(&zip[at + 46..at + 46 + name.len()], name.as_bytes());
            let local = number(at + 42, 4);
            assert_eq!(number(local, 4), 0x0403_4b50);
            assert_eq!(zip[local + 4..local + 30], zip[at + 6..at + 32]);
            let body = local + 30 + name.len();
            assert_eq!(&zip[body..body + bytes.len()], bytes);
            at += 46 + name.len();
        }
    }
}
