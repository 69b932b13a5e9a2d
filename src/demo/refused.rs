//! Owns what YNAB answers when it refuses: a status and an envelope of id, name and detail.
//! Never decides that it does.

use serde::Serialize;

use super::Response;

/// A refusal.
#[derive(Debug)]
pub(super) struct Refused {
    status: u16,
    body: Envelope,
}

#[derive(Debug, Serialize)]
struct Envelope {
    error: Detail,
}

#[derive(Debug, Serialize)]
struct Detail {
    id: &'static str,
    name: &'static str,
    detail: String,
}

impl Refused {
    fn new(status: u16, id: &'static str, name: &'static str, detail: String) -> Self {
        Self { status, body: Envelope { error: Detail { id, name, detail } } }
    }

    /// The request cannot be meant.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(400, "400", "bad_request", detail.into())
    }

    /// There is no such route.
    pub(super) fn no_route() -> Self {
        Self::new(404, "404.1", "not_found", "Not found".into())
    }

    /// There is no such thing in the plan, or no such plan.
    pub(super) fn missing() -> Self {
        Self::new(404, "404.2", "resource_not_found", "Resource not found".into())
    }

    /// The import id is taken.
    pub(super) fn taken() -> Self {
        let detail = "a transaction on the same account with the same import_id already exists";
        Self::new(409, "409", "conflict", detail.into())
    }

    /// The same, saying which of many items it is about.
    pub(super) fn of_item(mut self, index: usize) -> Self {
        self.body.error.detail.push_str(&format!(" (index: {index})"));
        self
    }

    /// What is sent back.
    pub(super) fn response(&self) -> Response {
        Response { status: self.status, body: serde_json::to_vec(&self.body).unwrap_or_default() }
    }
}
