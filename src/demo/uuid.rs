//! Owns the ids of created things: name-based UUIDs (RFC 4122, version 5), so that a replay makes the same ones.
//! Never used for secrecy: SHA-1 is here because version 5 asks for it.

/// The namespace of every id made here.
const NAMESPACE: [u8; 16] =
    [0x6f, 0x1f, 0x7f, 0x0e, 0x1d, 0x2c, 0x4b, 0x3a, 0x9a, 0x59, 0x0a, 0x7a, 0x4c, 0x1d, 0x5e, 0x00];

/// The UUID of that name.
pub(super) fn named(name: &str) -> String {
    let mut message = NAMESPACE.to_vec();
    message.extend_from_slice(name.as_bytes());
    let digest = sha1(&message);
    let mut bytes: [u8; 16] = std::array::from_fn(|i| digest[i]);
    bytes[6] = (bytes[6] & 0x0f) | 0x50;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn sha1(message: &[u8]) -> [u8; 20] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - message.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let length = padded.len();
    padded[length - 8..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());

    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = four.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        }
        for i in 16..80 {
            words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (round, word) in words.into_iter().enumerate() {
            let (mixed, key) = match round {
                0..20 => ((b & c) | (!b & d), 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(key).wrapping_add(word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    std::array::from_fn(|i| state[i / 4].to_be_bytes()[i % 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_gives_the_published_digests() {
        let hex = |text: &[u8]| sha1(text).iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        );
        assert_eq!(hex(&[b'a'; 1000]), "291e9a6c66994949b57ba5e650361e98fc36b1ba");
    }

    #[test]
    fn an_id_depends_on_its_name_alone() {
        assert_eq!(named("user"), "61083517-acd2-5267-a677-5fb7849b2fc2");
        let first = "7e38c991-f401-583b-b11d-ccd728b2f963/transaction/1";
        assert_eq!(named(first), "ed5289c9-e416-5e07-9970-43834af6bff0");
    }
}
