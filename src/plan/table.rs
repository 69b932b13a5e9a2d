//! Owns the table of rows found by id, and the place of a row in it. Never knows what a row is about.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;
use std::sync::Arc;

use crate::ids::IdState;

/// A row of a table: something with an id.
pub trait Row {
    /// The id's text.
    fn key(&self) -> &Arc<str>;
}

/// The place of a row in its table.
pub struct Ix<T>(u32, PhantomData<fn() -> T>);

impl<T> Ix<T> {
    /// The place as a number, for arrays that run along a table.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl<T> Clone for Ix<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ix<T> {}
impl<T> PartialEq for Ix<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Ix<T> {}
impl<T> PartialOrd for Ix<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Ix<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Ix<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Ix<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{}", self.0)
    }
}

/// Rows in the order they came, found by id.
#[derive(Clone, Debug)]
pub struct Table<T> {
    rows: Vec<T>,
    places: HashMap<Arc<str>, u32, IdState>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), places: HashMap::default() }
    }
}

impl<T: Row> Table<T> {
    /// Adds a row, or replaces the one of the same id.
    pub fn put(&mut self, row: T) -> Ix<T> {
        let next = self.rows.len() as u32;
        let place = *self.places.entry(row.key().clone()).or_insert(next);
        match self.rows.get_mut(place as usize) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
        Ix(place, PhantomData)
    }

    /// Adds a row, or replaces the one of the same id, from which `keep` takes over what the new one lacks.
    pub fn put_over(&mut self, row: T, keep: impl FnOnce(&mut T, T)) {
        let next = self.rows.len() as u32;
        let place = *self.places.entry(row.key().clone()).or_insert(next);
        match self.rows.get_mut(place as usize) {
            Some(known) => {
                let old = std::mem::replace(known, row);
                keep(known, old);
            }
            None => self.rows.push(row),
        }
    }

    /// The place of the row of that id.
    pub fn find(&self, id: impl AsRef<str>) -> Option<Ix<T>> {
        self.places.get(id.as_ref()).map(|place| Ix(*place, PhantomData))
    }

    /// The row of that id.
    pub fn get(&self, id: impl AsRef<str>) -> Option<&T> {
        self.find(id).map(|ix| &self[ix])
    }

    /// The row at that place, to change it.
    pub fn at_mut(&mut self, ix: Ix<T>) -> &mut T {
        &mut self.rows[ix.get()]
    }

    /// Makes room for that many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
        self.places.reserve(rows);
    }

    /// Every row, deleted ones too, to change them; their ids must stay.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// Every row, deleted ones too.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// Every row with its place.
    pub fn enumerate(&self) -> impl Iterator<Item = (Ix<T>, &T)> {
        self.rows.iter().enumerate().map(|(place, row)| (Ix(place as u32, PhantomData), row))
    }

    /// How many rows there are, deleted ones too.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<T> Index<Ix<T>> for Table<T> {
    type Output = T;
    fn index(&self, ix: Ix<T>) -> &T {
        &self.rows[ix.get()]
    }
}

impl<'a, T> IntoIterator for &'a Table<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}
