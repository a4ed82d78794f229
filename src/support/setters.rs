//! `with_*` setters of configurations.

/// Setters that take and return the configuration, one for each of the named fields, also those of its groups.
macro_rules! setters {
    ($($setter:ident($field:ident $(. $of_group:ident)?: $type:ty);)*) => {$(
        #[doc = concat!("The same with another `", stringify!($field) $(, ".", stringify!($of_group))?, "`.")]
        #[must_use]
        pub fn $setter(mut self, $field: $type) -> Self {
            self.$field$(.$of_group)? = $field;
            self
        }
    )*};
}
pub(crate) use setters;
