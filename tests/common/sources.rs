//! The code and the paths in source files, for tests of what uses what.

/// The code of a file without comments and tests.
pub(crate) fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or("");
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths that begin with `crate::` or `super::`, those of groups one by one.
pub(crate) fn paths(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    for (at, _) in code
        .match_indices("crate::")
        .chain(code.match_indices("super::"))
    {
        if code[..at].ends_with(is_part) {
            continue;
        }
        let length = code[at..].find(|c| !is_part(c)).unwrap_or(code.len() - at);
        let (path, rest) = code[at..].split_at(length);
        match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            // Of a group in a group, the name before it is enough.
            Some((group, _)) if path.ends_with("::") => {
                let items = group.split(',').map(str::trim);
                let items = items.map(|item| item.split([' ', '{']).next().unwrap());
                found.extend(items.map(|item| format!("{path}{item}")));
            }
            _ => found.push(path.to_string()),
        }
    }
    found
}

#[test]
fn paths_are_found() {
    let source = "use crate::a::{self, B, c::D};\n// crate::e\nfn f() { super::g(); crate::d_2::g(); }\n\
        #[cfg(test)]\nmod tests { use crate::h::I; }";
    let expected = [
        "crate::a::self",
        "crate::a::B",
        "crate::a::c::D",
        "crate::d_2::g",
        "super::g",
    ];
    assert_eq!(paths(&code(source)), expected);
}
