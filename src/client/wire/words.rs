//! Owns texts that come again and again in one body: each is held once. Never outlives the body.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::fields::Text;
use crate::ids::IdState;

/// Texts that come again and again, held once.
#[derive(Default)]
pub(super) struct Words<'a> {
    known: HashMap<Cow<'a, str>, Arc<str>, IdState>,
}

impl<'a> Words<'a> {
    pub(super) fn share(&mut self, text: &Text<'a>) -> Arc<str> {
        let Some(text) = &text.0 else { return Arc::from("") };
        if let Some(word) = self.known.get(text) {
            return word.clone();
        }
        let word: Arc<str> = Arc::from(&**text);
        self.known.insert(text.clone(), word.clone());
        word
    }

    pub(super) fn share_some(&mut self, text: &Text<'a>) -> Option<Arc<str>> {
        text.some().filter(|t| !t.is_empty())?;
        Some(self.share(text))
    }
}
