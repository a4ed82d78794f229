//! The version.

/// The first number of the version of this header.
pub const VERSION_MAJOR: u32 = 0;
/// The second number of the version of this header.
pub const VERSION_MINOR: u32 = 1;
/// The third number of the version of this header.
pub const VERSION_PATCH: u32 = 0;

// cbindgen reads no more than literals.
const _: () = assert!(
    VERSION_MAJOR == number(env!("CARGO_PKG_VERSION_MAJOR"))
        && VERSION_MINOR == number(env!("CARGO_PKG_VERSION_MINOR"))
        && VERSION_PATCH == number(env!("CARGO_PKG_VERSION_PATCH")),
    "Cargo.toml has another version than bindings/c/src/version.rs: change it there, and write the header anew"
);

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("a version has three numbers"),
    }
}

/// The version of the library: equal to `PROPJIT_VERSION` if it is that of this header.
#[unsafe(no_mangle)]
pub extern "C" fn propjit_version() -> u32 {
    VERSION_MAJOR * 1_000_000 + VERSION_MINOR * 1_000 + VERSION_PATCH
}
