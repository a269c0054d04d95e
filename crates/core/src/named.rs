//! Kinds that have names.

/// Declares an enum of kinds, each with the name that settings and files use: `ALL` lists them in
/// their order, `name` returns the name of one, and `named` the one of a name.
///
/// ```
/// evenhand_core::named! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     enum Fruit {
///         Apple = "apple",
///         Pear = "pear",
///     }
/// }
/// assert_eq!(Fruit::ALL.map(Fruit::name), ["apple", "pear"]);
/// assert_eq!(Fruit::named("pear"), Some(Fruit::Pear));
/// ```
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $visibility:vis enum $kinds:ident {
        $($(#[$about:meta])* $kind:ident = $name:literal,)+
    }) => {
        $(#[$meta])*
        $visibility enum $kinds {
            $($(#[$about])* $kind,)+
        }

        impl $kinds {
            /// All of them, in their order.
            pub const ALL: [$kinds; [$($name),+].len()] = [$($kinds::$kind),+];

            /// Returns the name that settings and files use.
            pub fn name(self) -> &'static str {
                match self {
                    $($kinds::$kind => $name,)+
                }
            }

            /// Returns the one of this name.
            pub fn named(name: &str) -> Option<$kinds> {
                $kinds::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}
