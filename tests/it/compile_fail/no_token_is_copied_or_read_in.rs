//! A yes and a record are used once, and come from nowhere else.

use avenir_mcp::confirm::Confirmed;
use avenir_mcp::journal::Recorded;

fn copied<T: Clone>() {}
fn empty<T: Default>() {}
fn read<T: serde::de::DeserializeOwned>() {}

fn main() {
    copied::<Confirmed>();
    copied::<Recorded>();
    empty::<Confirmed>();
    empty::<Recorded>();
    read::<Confirmed>();
    read::<Recorded>();
}
