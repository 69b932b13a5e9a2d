//! Owns an in-memory YNAB: plans behind the API's routes, with its rules and its arithmetic. Users try the server on it
//! (`--demo`), tests wrap it in HTTP. Never accepts what YNAB refuses; never opens a connection, a file or the clock.

mod age;
mod bodies;
mod book;
mod builder;
mod dice;
mod entries;
mod file;
mod household;
mod inputs;
mod large;
mod refused;
mod routes;
mod rows;
mod sums;
mod targets;
#[cfg(test)]
mod tests;
mod uuid;

use bodies::{Accounts, PlanSummary, answer, answer_data};
use book::Book;
use inputs::Query;
use refused::Refused;
use serde::Serialize;

use crate::dates::Date;
use crate::ids::PlanId;

/// A request, as it arrives after its token was checked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'a str,
    /// What follows `/v1`, such as `/plans/ID/transactions?since_date=2020-01-01`.
    pub path: &'a str,
    /// The body's bytes; empty where there is none.
    pub body: &'a [u8],
}

/// What is answered: JSON in YNAB's envelope.
#[derive(Clone, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body's bytes.
    pub body: Vec<u8>,
}

/// A generated plan of that many transactions (at least its accounts' opening ones) over eight years, for tests of size.
pub fn large(today: Date, transactions: usize) -> Ynab {
    Ynab::of(large::book(today, transactions))
}

/// YNAB, holding its state in memory; a clone lives on by itself.
#[derive(Clone, Debug)]
pub struct Ynab {
    today: Date,
    user: std::sync::Arc<str>,
    plans: Vec<Book>,
    last_used: Option<PlanId>,
    default_plan: Option<PlanId>,
}

impl Ynab {
    /// The demo: an invented household of eighteen months, up to that day.
    pub fn demo(today: Date) -> Self {
        Self::of(household::book(today))
    }

    fn of(plan: Book) -> Self {
        Self {
            today: plan.today,
            user: uuid::named("user").into(),
            last_used: Some(plan.id.clone()),
            plans: vec![plan],
            default_plan: None,
        }
    }

    /// YNAB as a recorded file describes it: `today`, `last_used`, `imports`, `server_knowledge`, and `plans` as
    /// `GET /plans/{id}` gives them. An error when it is not such a file.
    pub fn from_json(file: &[u8]) -> Result<Self, serde_json::Error> {
        file::read(file)
    }

    /// The day it takes for today.
    pub fn today(&self) -> Date {
        self.today
    }

    /// Answers a request, carrying it out where it is a write.
    pub fn handle(&mut self, request: Request<'_>) -> Response {
        self.route(&request).unwrap_or_else(|refused| refused.response())
    }

    fn route(&mut self, request: &Request<'_>) -> Result<Response, Refused> {
        let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
        let query = Query::read(query)?;
        let steps: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (request.method, steps.as_slice()) {
            ("GET", ["user"]) => Ok(answer(200, "user", User { id: &self.user }, None)),
            ("GET", ["plans"]) => Ok(self.list(query.accounts)),
            (_, ["plans", id, rest @ ..]) => self.plan(id)?.route(request, rest, &query),
            _ => Err(Refused::no_route()),
        }
    }

    fn list(&self, accounts: Accounts) -> Response {
        let default_plan = self.plans.iter().find(|plan| Some(&plan.id) == self.default_plan.as_ref());
        let plans = self.plans.iter().map(|plan| plan.summary(accounts)).collect();
        answer_data(200, Plans { plans, default_plan: default_plan.map(|plan| plan.summary(accounts)) })
    }

    fn plan(&mut self, id: &str) -> Result<&mut Book, Refused> {
        let id = match id {
            "last-used" => self.last_used.as_ref().map(PlanId::as_str),
            "default" => self.default_plan.as_ref().map(PlanId::as_str),
            id => Some(id),
        };
        let found = self.plans.iter_mut().find(|plan| Some(plan.id.as_str()) == id);
        found.ok_or_else(Refused::missing)
    }
}

#[derive(Serialize)]
struct User<'a> {
    id: &'a str,
}

#[derive(Serialize)]
struct Plans<'a> {
    plans: Vec<PlanSummary<'a>>,
    default_plan: Option<PlanSummary<'a>>,
}
