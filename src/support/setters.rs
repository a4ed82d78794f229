//! `with_*` setters of configurations.

/// Setters that take and return the configuration, one for each of the named fields.
macro_rules! setters {
    ($($setter:ident($field:ident: $type:ty);)*) => {$(
        #[doc = concat!("The same with another [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $setter(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )*};
}
pub(crate) use setters;
