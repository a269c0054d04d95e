//! Readers of the ecosystem's file formats.
