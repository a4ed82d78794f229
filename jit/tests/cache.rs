//! The code cache: what it gives back, what it refuses, and what it throws away.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use propjit_jit::code::cache::{Cache, CacheError, CacheKey, DEFAULT_LIMIT, Entry, Refusal};
use proptest::prelude::*;
use tempfile::TempDir;

/// A cache in a directory of its own that does not exist yet.
fn cache(limit: u64) -> (TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path().join("deep/code"), limit).unwrap();
    (folder, cache)
}

fn key(name: &str) -> CacheKey {
    CacheKey::new(|hasher| hasher.bytes(name.as_bytes()))
}

fn file(cache: &Cache, key: &CacheKey) -> PathBuf {
    cache.directory().join(format!("{key}.code"))
}

fn load(cache: &Cache, key: &CacheKey) -> Option<Entry> {
    cache.load(key).unwrap_or_else(|error| panic!("{error}"))
}

/// Why the cache refuses the entry.
fn refusal<T: std::fmt::Debug>(result: Result<T, CacheError>) -> Refusal {
    match result {
        Err(CacheError::Refused { reason, .. }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

fn set_used(path: &Path, ago: Duration) {
    let used = SystemTime::now() - ago;
    File::open(path).unwrap().set_modified(used).unwrap();
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Whether the tests may give files to others; some need that, and only root may.
fn can_give_away(folder: &TempDir) -> bool {
    let probe = folder.path().join("probe");
    fs::write(&probe, "").unwrap();
    let is_other = fs::metadata(&probe).unwrap().uid() != NOBODY;
    let can = is_other && chown(&probe, Some(NOBODY), None).is_ok();
    if !can {
        propjit_test_support::skipped("in part: only root can give files to other users");
    }
    can
}

const NOBODY: u32 = 65534;

#[test]
fn what_was_stored_is_loaded() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    assert!(load(&cache, &key("a")).is_none());
    assert!(!cache.directory().exists(), "looking creates nothing");
    // Around the sizes of pages, and nothing at all.
    for (description, code) in [
        (0, 0),
        (0, 1),
        (4000, 4096),
        (4001, 4097),
        (70_000, 300_000),
    ] {
        let bytes = |length: usize, by: usize| -> Vec<u8> {
            (0..length).map(|at| (at * by % 251) as u8).collect()
        };
        let (description, code) = (bytes(description, 3), bytes(code, 7));
        cache
            .store(&key("a"), "label", &description, &code)
            .unwrap();
        let entry = load(&cache, &key("a")).unwrap();
        assert_eq!(entry.description, description);
        assert_eq!(entry.code.bytes(), code);
    }
    assert!(load(&cache, &key("b")).is_none());
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn loaded_code_runs_and_outlives_its_file() {
    // A function that returns 42.
    let code: &[u8] = if cfg!(target_arch = "x86_64") {
        &[0xb8, 42, 0, 0, 0, 0xc3]
    } else {
        &[0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6]
    };
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    let key = key("42");
    cache.store(&key, "", &[], code).unwrap();
    let entry = load(&cache, &key).unwrap();
    cache.store(&key, "", &[], &[0; 100]).unwrap();
    cache.clear().unwrap();
    drop(cache);
    // SAFETY: the bytes are a function of this type, in executable memory that
    // `entry` holds.
    let function: extern "C" fn() -> u32 =
        unsafe { std::mem::transmute(entry.code.bytes().as_ptr()) };
    assert_eq!(function(), 42);
}

#[test]
fn keys_differ_where_what_they_hash_differs() {
    let fields = |fields: &[&[u8]]| {
        CacheKey::new(|hasher| fields.iter().for_each(|field| hasher.bytes(field)))
    };
    let numbers = |numbers: &[u32]| CacheKey::new(|hasher| hasher.numbers(numbers.iter().copied()));
    let keys = [
        fields(&[]),
        fields(&[b""]),
        fields(&[b"ab"]),
        fields(&[b"a", b"b"]),
        fields(&[b"", b"ab"]),
        numbers(&[1, 2]),
        numbers(&[2, 1]),
        numbers(&[1]),
    ];
    for (at, key) in keys.iter().enumerate() {
        assert!(!keys[..at].contains(key), "key {at}");
    }
    assert_eq!(keys[2], fields(&[b"ab"]));
}

#[test]
fn only_the_user_has_rights() {
    let (folder, cache) = cache(DEFAULT_LIMIT);
    cache.store(&key("a"), "", b"description", b"code").unwrap();
    assert_eq!(mode(cache.directory()), 0o700);
    assert_eq!(mode(&folder.path().join("deep")), 0o700);
    assert_eq!(mode(&file(&cache, &key("a"))), 0o600);
    let left: Vec<_> = fs::read_dir(cache.directory()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file stays");
}

#[test]
fn directories_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("code");
    let open = || Cache::open(&directory, DEFAULT_LIMIT);

    fs::write(&directory, "").unwrap();
    assert!(matches!(refusal(open()), Refusal::Kind { .. }));
    fs::remove_file(&directory).unwrap();

    fs::create_dir(&directory).unwrap();
    for writable in [0o720, 0o702, 0o777, 0o1777] {
        set_mode(&directory, writable);
        assert_eq!(refusal(open()), Refusal::Writable { mode: writable });
    }
    set_mode(&directory, 0o755);
    let cache = open().unwrap();

    // A directory that changes while it is used is refused, too.
    cache.store(&key("a"), "", &[], &[1]).unwrap();
    set_mode(&directory, 0o777);
    let stored = cache.store(&key("a"), "", &[], &[1]);
    assert!(matches!(refusal(stored), Refusal::Writable { .. }));
    assert!(matches!(refusal(cache.list()), Refusal::Writable { .. }));
    assert!(matches!(refusal(cache.clear()), Refusal::Writable { .. }));
    set_mode(&directory, 0o700);

    let link = folder.path().join("link");
    symlink(&directory, &link).unwrap();
    for path in [link.clone(), link.join(""), link.join(".")] {
        let opened = Cache::open(path, DEFAULT_LIMIT);
        assert_eq!(refusal(opened), Refusal::Symlink);
    }

    let foreign = if can_give_away(&folder) {
        chown(&directory, Some(NOBODY), None).unwrap();
        open()
    } else {
        Cache::open("/", DEFAULT_LIMIT)
    };
    assert!(matches!(refusal(foreign), Refusal::Foreign { .. }));
}

#[test]
fn files_of_others_are_refused_and_replaced() {
    let (folder, cache) = cache(DEFAULT_LIMIT);
    let key = key("a");
    let path = file(&cache, &key);
    let rebuilt = |expected: fn(&Refusal) -> bool| {
        let reason = refusal(cache.load(&key));
        assert!(expected(&reason), "{reason}");
        cache.store(&key, "", &[], &[2]).unwrap();
        assert_eq!(load(&cache, &key).unwrap().code.bytes(), [2]);
    };
    cache.store(&key, "", &[], &[1]).unwrap();
    for writable in [0o620, 0o602, 0o666] {
        set_mode(&path, writable);
        rebuilt(|reason| matches!(reason, Refusal::Writable { .. }));
    }

    // A link to a file that would be fine.
    let target = folder.path().join("target");
    fs::rename(&path, &target).unwrap();
    symlink(&target, &path).unwrap();
    rebuilt(|reason| *reason == Refusal::Symlink);
    assert!(target.exists(), "what the link led to is not touched");

    // Opening a pipe must not wait for a writer.
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    rebuilt(|reason| matches!(reason, Refusal::Kind { .. }));

    if can_give_away(&folder) {
        chown(&path, Some(NOBODY), None).unwrap();
        rebuilt(|reason| matches!(reason, Refusal::Foreign { owner: NOBODY, .. }));
    }

    // A directory cannot be replaced by a file, but it does no harm.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(refusal(cache.load(&key)), Refusal::Kind { .. }));
    assert!(matches!(
        cache.store(&key, "", &[], &[2]),
        Err(CacheError::Io { .. })
    ));
    assert!(cache.list().unwrap().is_empty());
}

/// Puts these bytes in place of the entry; they must be refused for what they are, and
/// be gone after that.
fn refused_and_removed(cache: &Cache, key: &CacheKey, bytes: &[u8]) -> Refusal {
    let path = file(cache, key);
    fs::write(&path, bytes).unwrap();
    let reason = refusal(cache.load(key));
    assert!(!path.exists(), "{reason}");
    reason
}

#[test]
fn each_flipped_byte_and_each_cut_is_refused() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    let key = key("a");
    cache
        .store(&key, "label", b"description", b"some code")
        .unwrap();
    let good = fs::read(file(&cache, &key)).unwrap();
    assert_eq!(good.len(), 4096 + 9);
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        let reason = refused_and_removed(&cache, &key, &bytes);
        let expected = match at {
            0..8 => matches!(reason, Refusal::Magic),
            8..12 => matches!(reason, Refusal::Version { .. }),
            12..32 => matches!(reason, Refusal::Length { .. } | Refusal::Hash),
            32..64 => matches!(reason, Refusal::Key),
            _ => matches!(reason, Refusal::Hash),
        };
        assert!(expected, "byte {at}: {reason}");
        let reason = refused_and_removed(&cache, &key, &good[..at]);
        assert!(matches!(reason, Refusal::Length { .. }), "{reason}");
    }
    let longer = [&good[..], &[0]].concat();
    let reason = refused_and_removed(&cache, &key, &longer);
    assert!(matches!(reason, Refusal::Length { .. }), "{reason}");
    fs::write(file(&cache, &key), &good).unwrap();
    assert!(load(&cache, &key).is_some());
}

#[test]
fn lengths_beyond_all_numbers_are_refused() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    let key = key("a");
    cache.store(&key, "label", b"description", b"code").unwrap();
    let good = fs::read(file(&cache, &key)).unwrap();
    for lengths in [[u64::MAX, 4], [11, u64::MAX], [u64::MAX - 4095, 0]] {
        let mut bytes = good.clone();
        bytes[16..24].copy_from_slice(&lengths[0].to_le_bytes());
        bytes[24..32].copy_from_slice(&lengths[1].to_le_bytes());
        let reason = refused_and_removed(&cache, &key, &bytes);
        assert!(matches!(reason, Refusal::Length { .. }), "{reason}");
    }
}

#[test]
fn an_entry_under_another_name_is_refused() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    cache.store(&key("a"), "", b"a", b"a").unwrap();
    fs::rename(file(&cache, &key("a")), file(&cache, &key("b"))).unwrap();
    assert_eq!(refusal(cache.load(&key("b"))), Refusal::Key);
}

#[derive(Clone, Debug)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Append(Vec<u8>),
    Move(
        prop::sample::Index,
        prop::sample::Index,
        prop::sample::Index,
    ),
    Replace(Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, with)| Damage::Flip(at, with)),
        at().prop_map(Damage::Cut),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Damage::Append),
        (at(), at(), at()).prop_map(|(from, to, by)| Damage::Move(from, to, by)),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Damage::Replace),
    ]
}

impl Damage {
    fn apply(self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        match self {
            Damage::Flip(at, with) => bytes[at.index(length)] ^= with,
            Damage::Cut(at) => bytes.truncate(at.index(length)),
            Damage::Append(more) => bytes.extend(more),
            Damage::Move(from, to, by) => {
                let (from, to) = (from.index(length), to.index(length));
                let count = by.index(length - from.max(to));
                bytes.copy_within(from..from + count, to);
            }
            Damage::Replace(with) => {
                bytes[..with.len().min(length)].copy_from_slice(&with[..with.len().min(length)])
            }
        }
    }
}

proptest! {
    /// Whatever happens to a file, the cache gives what was stored or a reason.
    #[test]
    fn what_is_loaded_is_what_was_stored(
        label in ".{0,100}",
        description in prop::collection::vec(any::<u8>(), 0..5000),
        code in prop::collection::vec(any::<u8>(), 0..9000),
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let (_folder, cache) = cache(DEFAULT_LIMIT);
        let key = key("a");
        cache.store(&key, &label, &description, &code).unwrap();
        let path = file(&cache, &key);
        let good = fs::read(&path).unwrap();
        let mut bytes = good.clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        fs::write(&path, &bytes).unwrap();
        let listed = cache.list().unwrap();
        prop_assert_eq!(listed[0].bytes, bytes.len() as u64);
        if bytes == good {
            let entry = load(&cache, &key).unwrap();
            prop_assert_eq!(entry.description, description);
            prop_assert_eq!(entry.code.bytes(), code);
        } else {
            refusal(cache.load(&key));
            prop_assert!(!path.exists());
        }
    }
}

#[test]
fn least_recently_used_entries_go() {
    // Room for three entries, each with a page before its code.
    let (_folder, cache) = cache(3 * 4196);
    let store = |name: &str| cache.store(&key(name), name, &[], &[0; 100]).unwrap();
    for (name, days) in [("a", 3), ("b", 2), ("c", 1)] {
        store(name);
        set_used(
            &file(&cache, &key(name)),
            Duration::from_secs(days * 86_400),
        );
    }
    load(&cache, &key("a")).unwrap();
    store("d");
    let left = || {
        let listed = cache.list().unwrap();
        let labels = listed.into_iter().map(|entry| entry.label.unwrap());
        labels.collect::<Vec<_>>()
    };
    assert_eq!(left(), ["d", "a", "c"]);

    // What was just stored stays, even if the clock was wrong before.
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    for name in ["a", "c", "d"] {
        let file = File::open(file(&cache, &key(name))).unwrap();
        file.set_modified(tomorrow).unwrap();
    }
    store("e");
    assert!(left().contains(&"e".to_string()));
    assert_eq!(left().len(), 3);
}

#[test]
fn an_entry_over_the_limit_is_not_stored() {
    let (folder, cache) = cache(10_000);
    cache.store(&key("a"), "", &[], &[0; 100]).unwrap();
    let stored = cache.store(&key("b"), "", &[], &[0; 10_000]);
    assert!(matches!(
        stored,
        Err(CacheError::TooLarge { limit: 10_000, .. })
    ));
    assert!(load(&cache, &key("a")).is_some(), "and displaces no other");
    assert!(load(&cache, &key("b")).is_none());
    // Nor is it read if it comes from a time with a higher limit.
    let directory = folder.path().join("deep/code");
    let smaller = Cache::open(directory, 1000).unwrap();
    let loaded = smaller.load(&key("a"));
    assert!(matches!(loaded, Err(CacheError::TooLarge { .. })));
}

#[test]
fn clear_removes_entries_and_nothing_else() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    assert_eq!(cache.clear().unwrap().entries, 0);
    cache.store(&key("a"), "", &[], &[0; 100]).unwrap();
    cache.store(&key("b"), "", &[], &[0; 200]).unwrap();
    let own = |name: &str, content: &[u8]| {
        let path = cache.directory().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let capitals = key("c").to_string().to_uppercase();
    let others = [
        own("notes.txt", b"mine"),
        own(&format!("{}.txt", key("c")), b"mine"),
        own(&format!("{capitals}.code"), b"mine"),
        own("0123.code", b"mine"),
        own(".writing-now", b"being written"),
    ];
    let abandoned = own(".writing-abandoned", &[0; 50]);
    set_used(&abandoned, Duration::from_secs(2 * 86_400));

    let cleared = cache.clear().unwrap();
    assert_eq!(cleared.entries, 2);
    assert_eq!(cleared.bytes, 2 * 4096 + 300 + 50);
    assert!(cache.list().unwrap().is_empty());
    assert!(!abandoned.exists());
    for path in others {
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn abandoned_files_go_when_something_is_stored() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    cache.store(&key("a"), "", &[], &[1]).unwrap();
    let abandoned = cache.directory().join(".writing-abandoned");
    fs::write(&abandoned, [0; 50]).unwrap();
    set_used(&abandoned, Duration::from_secs(2 * 86_400));
    cache.store(&key("b"), "", &[], &[1]).unwrap();
    assert!(!abandoned.exists());
}

#[test]
fn the_list_tells_labels_and_damage() {
    let (_folder, cache) = cache(DEFAULT_LIMIT);
    let long = "ä".repeat(200);
    cache.store(&key("a"), "chess\n\x1b[2J", &[], &[1]).unwrap();
    cache.store(&key("b"), &long, &[], &[1]).unwrap();
    cache.store(&key("c"), "damaged", &[], &[1]).unwrap();
    fs::write(file(&cache, &key("c")), "nonsense").unwrap();
    let listed = cache.list().unwrap();
    assert_eq!(listed.len(), 3);
    for entry in listed {
        if entry.key == key("a") {
            assert_eq!(entry.label.unwrap(), "chess\u{fffd}\u{fffd}[2J");
        } else if entry.key == key("b") {
            assert_eq!(
                entry.label.unwrap(),
                "ä".repeat(127),
                "255 bytes hold no more"
            );
        } else {
            assert_eq!(refusal(entry.label), Refusal::Length { bytes: 8 });
        }
    }
}

#[test]
fn many_use_a_cache_at_a_time() {
    let (_folder, cache) = cache(5 * 4200);
    // Nothing is shared but the directory, as between processes.
    let user = |number: usize| {
        let cache = Cache::open(cache.directory(), 5 * 4200).unwrap();
        for round in 0..300 {
            let name = (round * (number + 1)) % 8;
            let key = key(&name.to_string());
            match load(&cache, &key) {
                Some(entry) => assert_eq!(entry.code.bytes(), [name as u8; 50]),
                None => cache.store(&key, "", &[], &[name as u8; 50]).unwrap(),
            }
            if round % 50 == 49 {
                cache.clear().unwrap();
            }
            cache.list().unwrap();
        }
    };
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || user(number));
        }
    });
}
