//! Owns bringing a plan's mirror up to date: whole, by delta, or list by list where YNAB will not send it whole.
//! Never sends a change.

use super::error::{Error, Why};
use super::fresh::Asked;
use super::mirror::Mirror;
use super::scope::Scope;
use super::step::Request;
use super::{Client, wire};
use crate::dates::Month;
use crate::ids::PlanId;
use crate::plan::Plan;
use crate::text;

/// A mirror that does not prove itself is loaded again at most so often, in seconds.
const RELOAD_EVERY: u64 = 3600;
/// How many months are read one by one, latest first, where the plan is read list by list.
const MONTHS_MAX: usize = 26;
/// How many accounts a note names.
const NAMES_MAX: usize = 3;

/// A mirror and what is known of it.
pub(super) struct Held {
    pub(super) mirror: Mirror,
    /// When it was last brought up to date.
    pub(super) asked: Asked,
    /// The month that was current when it was loaded: its categories carry that month's figures.
    month: Month,
    /// Whether YNAB would not send it whole.
    listed: bool,
    /// When it was last loaded again because it did not prove itself.
    reloaded: Option<u64>,
    /// What every answer made from it must say besides.
    pub(super) notes: Vec<String>,
}

impl Client {
    /// Brings a mirror up to date, or makes one.
    pub(super) async fn refresh(&self, scope: &Scope, id: &PlanId, held: &mut Option<Held>) -> Result<(), Error> {
        let (asked, month) = (self.ask().await, self.month_now());
        let reloaded = held.as_ref().and_then(|held| held.reloaded);
        let kept = match held.as_mut().filter(|held| held.month == month) {
            Some(held) => self.delta(scope, id, held).await?,
            None => false,
        };
        if !kept {
            *held = None;
            let (mirror, listed) = self.load(scope, id).await?;
            *held = Some(Held { mirror, asked, month, listed, reloaded, notes: Vec::new() });
        }
        let Some(held) = held else { return Ok(()) };
        let mut unproven = held.mirror.unproven();
        let now = self.now().unix;
        if !unproven.is_empty() && !held.listed && held.reloaded.is_none_or(|at| at.abs_diff(now) >= RELOAD_EVERY) {
            held.reloaded = Some(now);
            match self.load(scope, id).await {
                Ok((mirror, listed)) => (held.mirror, held.listed) = (mirror, listed),
                Err(error) => tracing::debug!(%error, "the plan could not be loaded again"),
            }
            unproven = held.mirror.unproven();
        }
        held.asked = asked;
        held.notes = notes(&held.mirror, &unproven);
        Ok(())
    }

    /// Merges what changed since; false when the plan must be loaded anew.
    async fn delta(&self, scope: &Scope, id: &PlanId, held: &mut Held) -> Result<bool, Error> {
        // Until this has ended well, nobody may use what it leaves.
        held.asked = Asked::default();
        let month = held.month;
        let path = format!("/plans/{id}?last_knowledge_of_server={}", held.mirror.knowledge());
        let request = Request::get(path, "read what changed in the plan");
        match self.read(scope, &request, |reply| held.mirror.absorb(&reply.body, month)).await {
            Err(error) if held.listed && is_too_much(&error) => {
                self.lists(scope, id, &mut held.mirror).await.map(|()| true)
            }
            Err(Error { why: Why::TooLarge | Why::Unreadable | Why::Refused(_), .. }) => Ok(false),
            answer => answer,
        }
    }

    /// Loads the plan whole, or list by list; says whether it was the latter.
    async fn load(&self, scope: &Scope, id: &PlanId) -> Result<(Mirror, bool), Error> {
        let month = self.month_now();
        let request = Request::get(format!("/plans/{id}"), "read the plan");
        match self.read(scope, &request, |reply| Mirror::whole(id, &reply.body, month)).await {
            Ok(mirror) => Ok((mirror, false)),
            Err(error) if is_too_much(&error) => {
                tracing::debug!(%error, "the plan is read list by list");
                let mut plan = Plan { id: id.clone(), ..Plan::default() };
                match self.summary(scope, id).await? {
                    Some(about) => {
                        (plan.name, plan.currency) = (about.name, about.currency);
                        (plan.first_month, plan.last_month) = (about.first_month, about.last_month);
                    }
                    None => plan.currency = self.settings(scope, id).await?,
                }
                let mut mirror = Mirror::of(plan);
                self.lists(scope, id, &mut mirror).await?;
                Ok((mirror, true))
            }
            Err(error) => Err(error),
        }
    }

    /// Merges every list of the plan, or what changed in it; then the months that did, one by one.
    async fn lists(&self, scope: &Scope, id: &PlanId, mirror: &mut Mirror) -> Result<(), Error> {
        let known = Some(mirror.knowledge()).filter(|knowledge| *knowledge > 0);
        let known = known.map(|knowledge| format!("last_knowledge_of_server={knowledge}"));
        let path = |list: &str| {
            let since = (list == "transactions").then(|| format!("since_date={EVER}"));
            let query: Vec<String> = since.into_iter().chain(known.clone()).collect();
            let mark = if query.is_empty() { "" } else { "?" };
            format!("/plans/{id}/{list}{mark}{}", query.join("&"))
        };
        let (month, mut least) = (self.month_now(), i64::MAX);
        for list in ["accounts", "categories", "payees", "transactions", "scheduled_transactions"] {
            let request = Request::get(path(list), "read the plan list by list");
            least = least.min(self.read(scope, &request, |reply| mirror.absorb_list(&reply.body, month)).await?);
        }
        let request = Request::get(path("months"), "list the plan's months");
        let mut changed = self
            .read(scope, &request, |reply| {
                least = least.min(mirror.absorb_list(&reply.body, month)?);
                wire::month_names(&reply.body)
            })
            .await?;
        changed.sort_unstable();
        for month in changed.into_iter().rev().take(MONTHS_MAX) {
            mirror.put_month(self.month_alone(scope, id, month).await?);
        }
        mirror.set_knowledge(least);
        Ok(())
    }
}

/// The day before any transaction: without it YNAB lists one year only.
pub(super) const EVER: &str = "1900-01-01";

/// Whether YNAB would not send something because it is too much.
fn is_too_much(error: &Error) -> bool {
    matches!(error.why, Why::Server(503 | 504) | Why::TooLarge | Why::TimedOut)
}

fn notes(mirror: &Mirror, unproven: &[std::sync::Arc<str>]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(from) = mirror.months_from() {
        notes.push(format!(
            "YNAB did not send this plan as a whole: of the months before {from} only the totals are known."
        ));
    }
    if !unproven.is_empty() {
        let mut names: Vec<_> = unproven.iter().take(NAMES_MAX).map(|name| text::safe(name).into_owned()).collect();
        if unproven.len() > NAMES_MAX {
            names.push(format!("{} more", unproven.len() - NAMES_MAX));
        }
        notes.push(format!(
            "The transactions that YNAB sent do not add up to its own balance of {}: figures made from them may be off.",
            names.join(", ")
        ));
    }
    notes
}
