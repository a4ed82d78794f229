//! The file in which profilers look up the names of routines.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use super::memory::Executable;

/// The file in which `perf` and other profilers look up the names of this process's machine code:
/// `/tmp/perf-PID.map`, with a line for each routine.
///
/// Lines stay when code is freed; where other code takes its place, the later line counts. The file
/// stays when the process ends, as it is read after that.
///
/// Its form is that of [perf's documentation](https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/jit-interface.txt).
#[derive(Clone, Debug)]
pub struct PerfMap {
    file: Arc<File>,
    path: PathBuf,
}

/// The map that is open, and the process that it is of: a process that is forked has another one.
static OPEN: Mutex<Option<(u32, PerfMap)>> = Mutex::new(None);

impl PerfMap {
    /// The map of this process. It is created when it is first opened, in place of one that an
    /// earlier process with the same number has left.
    ///
    /// # Errors
    /// When the file cannot be created, as where it is another user's; always, on systems other
    /// than Unix.
    pub fn open() -> io::Result<PerfMap> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let process = process::id();
        match &*open {
            Some((owner, map)) if *owner == process => Ok(map.clone()),
            _ => {
                let map = PerfMap::create(&Path::new("/tmp").join(format!("perf-{process}.map")))?;
                *open = Some((process, map.clone()));
                Ok(map)
            }
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file in place of the one that is there: anyone can create files in the
    /// folder, so neither what is there is written nor what it links to.
    fn create(path: &Path) -> io::Result<PerfMap> {
        if !cfg!(unix) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)?;
        Ok(PerfMap {
            file: Arc::new(file),
            path: path.to_path_buf(),
        })
    }

    /// Adds routines that start at these offsets, in ascending order, under these names.
    pub(super) fn add(&self, memory: &Executable, entries: &[u32], names: &[String]) {
        let code = memory.bytes();
        let ends = entries.iter().skip(1).map(|&entry| entry as usize);
        let ends = ends.chain([code.len()]);
        let mut lines = String::new();
        for ((&entry, end), name) in entries.iter().zip(ends).zip(names) {
            let start = code.as_ptr().addr() + entry as usize;
            let size = end.saturating_sub(entry as usize);
            lines += &format!("{start:x} {size:x} {name}\n");
        }
        // All at once, so that threads do not mix their lines. If the disk is full, profilers show
        // addresses in place of names.
        let _ = (&*self.file).write_all(lines.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::circuit::{Builder, Circuit, OutputId};
    use crate::code::compiled::Function;
    use crate::code::{Code, CodeConfig, Guards};
    use crate::section::Section;

    /// Eight words of rows, aligned as code may expect it.
    #[repr(C, align(64))]
    #[derive(Clone)]
    struct Line([u64; 8]);

    /// Whether both inputs are true, and whether any is.
    fn circuit() -> Circuit {
        let mut builder = Builder::new(2);
        let (a, b) = (builder.input(0), builder.input(1));
        let both = builder.and(a, b);
        let any = builder.or(a, b);
        builder.finish(vec![both, any])
    }

    fn sections() -> [Section; 2] {
        let section = |output, name| Section::alone(vec![OutputId(output)]).named(name);
        [section(0, "both"), section(1, "any")]
    }

    /// The address and the size of each symbol in a map.
    fn read(map: &PerfMap) -> BTreeMap<String, (usize, usize)> {
        let text = fs::read_to_string(map.path()).unwrap();
        let symbol = |line: &str| {
            let parts: Vec<&str> = line.splitn(3, ' ').collect();
            let number = |digits: &str| usize::from_str_radix(digits, 16).unwrap();
            (parts[2].to_string(), (number(parts[0]), number(parts[1])))
        };
        text.lines().map(symbol).collect()
    }

    /// Calls the functions whose addresses the map has, and checks what they compute.
    fn check(code: &Code, map: &PerfMap) {
        let memory = code.memory.bytes().as_ptr_range();
        let (symbols, words) = (read(map), code.width().words());
        let names = ["the_game::both_0", "the_game::any_1"];
        assert!(
            symbols
                .keys()
                .eq(BTreeMap::from(names.map(|name| (name, ()))).keys())
        );
        let mut rows = vec![Line([0; 8]); code.rows()];
        let (inputs, outputs) = (code.layout().inputs(), code.layout().outputs());
        for (row, value) in [(inputs.start, 0b0011), (inputs.start + 1, 0b0101)] {
            rows[row * words / 8].0[row * words % 8] = value;
        }
        let mut end = memory.start.addr();
        for (name, output, expected) in [(names[0], 0, 0b0001), (names[1], 1, 0b0111)] {
            let (address, size) = symbols[name];
            assert_eq!(address, end, "no gap");
            end = address + size;
            let entry = memory.start.with_addr(address);
            // SAFETY: if the map is right, a function of this type is there. It accesses the
            // rows only, and there are as many as it may access.
            unsafe {
                let function: Function = std::mem::transmute(entry);
                function(rows.as_mut_ptr().cast());
            }
            let row = outputs.start + output;
            let result = rows[row * words / 8].0[row * words % 8];
            assert_eq!(result, expected, "{name}");
        }
        assert_eq!(end, memory.end.addr());
    }

    #[test]
    #[cfg(unix)]
    fn maps_have_the_addresses_of_new_code_and_of_code_from_the_cache() {
        use crate::code::cache::{Cache, DEFAULT_LIMIT};
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path().join("code"), DEFAULT_LIMIT).unwrap();
        let (circuit, sections) = (circuit(), sections());
        for config in CodeConfig::supported() {
            let map = |name| PerfMap::create(&folder.path().join(name)).unwrap();
            let (new, loaded) = (map("new"), map("loaded"));
            let config = config.with_name("the game".to_string());
            let with_map = |map: &PerfMap| config.clone().with_perf_map(Some(map.clone()));
            let guards = Guards::default();
            let code = Code::compile(&circuit, &sections, &guards, &with_map(&new)).unwrap();
            check(&code, &new);
            let key = Code::key(&circuit, &sections, &[], &config).unwrap();
            code.store(&cache, &key, "label").unwrap();
            let code = Code::load(&cache, &key, &sections, &with_map(&loaded));
            check(&code.unwrap().unwrap(), &loaded);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_map_replaces_what_is_there_and_leaves_what_it_links_to() {
        let folder = tempfile::tempdir().unwrap();
        let [target, file, link] = ["target", "file", "link"].map(|name| folder.path().join(name));
        for path in [&target, &file] {
            fs::write(path, "before").unwrap();
        }
        std::os::unix::fs::symlink(&target, &link).unwrap();
        for path in [&file, &link] {
            assert!(read(&PerfMap::create(path).unwrap()).is_empty());
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
        assert!(PerfMap::create(folder.path()).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_process_has_one_map() {
        let map = PerfMap::open().unwrap();
        (&*map.file).write_all(b"0 1 name\n").unwrap();
        assert_eq!(read(&PerfMap::open().unwrap())["name"], (0, 1));
        let name = format!("perf-{}.map", process::id());
        assert_eq!(map.path().file_name().unwrap(), name.as_str());
        fs::remove_file(map.path()).unwrap();
    }
}
