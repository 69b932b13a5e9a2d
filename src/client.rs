//! Owns the way to YNAB: what is read of a plan, kept fresh and shared among calls, and the one sender of changes.
//! Never asks the user, keeps the journal, or computes with what it reads.

mod apply;
pub mod error;
pub mod fresh;
mod http;
mod load;
pub mod mirror;
pub mod pace;
mod retry;
mod scope;
pub mod secret;
mod send;
mod share;
mod step;
pub mod wire;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex as Turns;

pub use self::error::{ApplyError, Error, Why};
pub use self::fresh::Age;
use self::fresh::{Asked, Moment};
use self::load::{EVER, Held};
pub use self::scope::{OnProgress, Progress, Scope};
use self::send::Link;
use self::step::Request;
use crate::clock::Clock;
use crate::config::TokenSource;
use crate::dates::{Month, days_between};
use crate::demo::Ynab;
use crate::ids::{AccountId, PlanId, TransactionId, is_segment};
use crate::money::Currency;
use crate::plan::{Account, Category, Group, MonthBudget, Plan, PlanSummary};
use crate::text;

/// YNAB's word for the plan that was used last.
pub const LAST_USED: &str = "last-used";
/// How long the list of plans is believed when it only helps to find one.
const PLANS_KEPT: Duration = Duration::from_secs(600);
/// How many months read on their own are kept for a plan.
const MONTHS_KEPT: usize = 24;
/// After how many small questions the whole plan is loaded for the next: most conversations that ask so many ask more.
const SMALL_MAX: usize = 2;

/// How YNAB is reached.
#[derive(Clone, Debug)]
pub struct Http {
    /// YNAB's address, without a slash at its end.
    pub url: String,
    /// Where the token comes from.
    pub token: TokenSource,
    /// The time.
    pub clock: Clock,
    /// The folder in which processes of one user count their requests together.
    pub shared_rate: Option<PathBuf>,
    /// How long a request may take with its whole answer.
    pub request_max: Duration,
}

impl Http {
    /// YNAB at that address, on the machine's clock, counted for this process alone, 35 seconds a request.
    pub fn new(url: impl Into<String>, token: TokenSource) -> Self {
        Self { url: url.into(), token, clock: Clock::default(), shared_rate: None, request_max: http::REQUEST_MAX }
    }
}

/// YNAB, as far as this server uses it. Clones share everything.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    link: Link,
    clock: Clock,
    turn: AtomicU64,
    plans: Slot<Vec<PlanSummary>>,
    last_used: Slot<Vec<AccountId>>,
    known: Mutex<HashMap<PlanId, Arc<Known>>>,
}

/// Something read, with when; readers take turns, so that those who come together read it once.
type Slot<T> = Turns<Option<(Asked, Arc<T>)>>;

/// What is known of one plan.
#[derive(Default)]
struct Known {
    /// The turn of the latest change sent.
    dirty: AtomicU64,
    /// Whether the mirror is loaded, so that small questions are answered from it.
    mirrored: AtomicBool,
    /// How many small questions YNAB answered.
    small: AtomicUsize,
    knowledge: AtomicI64,
    mirror: Turns<Option<Held>>,
    accounts: Slot<Vec<Account>>,
    categories: Slot<(Vec<Group>, Vec<Category>)>,
    months: Mutex<HashMap<Month, Arc<Slot<MonthBudget>>>>,
}

impl Known {
    /// Whether a small question is better answered from the mirror: it is loaded, or there were so many that loading it
    /// spares requests.
    fn wants_mirror(&self) -> bool {
        self.mirrored.load(Ordering::Relaxed) || self.small.load(Ordering::Relaxed) >= SMALL_MAX
    }

    /// Nothing where the mirror could not be loaded, so that the small request is made after all.
    fn unless_unloaded<T>(&self, answer: Result<T, Error>) -> Result<Option<T>, Error> {
        match answer {
            Err(error) if self.mirrored.load(Ordering::Relaxed) => Err(error),
            answer => Ok(answer.ok()),
        }
    }

    /// A small question to YNAB, counted when it is answered.
    async fn counted<T>(&self, asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let answer = asked.await?;
        self.small.fetch_add(1, Ordering::Relaxed);
        Ok(answer)
    }
}

/// What YNAB said to a request for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// YNAB's clock less this machine's, in seconds.
    pub clock_ahead: Option<i64>,
}

impl Client {
    /// YNAB over HTTP. Nothing is read, resolved or connected before the first request.
    pub fn over_http(settings: Http) -> Self {
        let clock = settings.clock;
        Self::new(Link::http(settings), clock)
    }

    /// The demo, in memory: no token, no limit, nothing leaves the process.
    pub fn in_memory(ynab: Ynab) -> Self {
        Self::new(Link::Memory(Mutex::new(ynab)), Clock::default())
    }

    fn new(link: Link, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            link,
            clock,
            turn: AtomicU64::new(1),
            plans: Slot::default(),
            last_used: Slot::default(),
            known: Mutex::default(),
        }))
    }

    fn now(&self) -> Moment {
        Moment { steady: crate::clock::monotonic(), unix: self.0.clock.unix() }
    }

    fn turn(&self) -> u64 {
        self.0.turn.fetch_add(1, Ordering::Relaxed)
    }

    /// The mark of what is asked of YNAB from now on. Calls that began at the same moment come in first, to share it.
    async fn ask(&self) -> Asked {
        tokio::task::yield_now().await;
        Asked { turn: self.turn(), at: self.now() }
    }

    /// YNAB's current month: UTC's, or that of the day that is pinned.
    fn month_now(&self) -> Month {
        let seconds = i64::try_from(self.now().unix).unwrap_or_default();
        let now = jiff::Timestamp::from_second(seconds).unwrap_or_default();
        let (utc, today) = (now.to_zoned(jiff::tz::TimeZone::UTC).date(), self.0.clock.today());
        Month::of(if days_between(utc, today).abs() > 1 { today } else { utc })
    }

    fn known(&self, id: &PlanId) -> Arc<Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner).entry(id.clone()).or_default().clone()
    }

    /// Marks everything read so far of a plan as old.
    fn soil(&self, known: &Known) {
        known.dirty.store(self.turn(), Ordering::Relaxed);
    }

    /// What a slot holds if that serves, else what the request gives.
    async fn shared<T>(
        &self,
        slot: &Slot<T>,
        serves: impl Fn(Asked, Moment) -> bool,
        asked: impl Future<Output = Result<T, Error>>,
    ) -> Result<Arc<T>, Error> {
        let mut slot = slot.lock().await;
        if let Some((at, held)) = &*slot
            && serves(*at, self.now())
        {
            return Ok(held.clone());
        }
        let mark = self.ask().await;
        let held = Arc::new(asked.await?);
        *slot = Some((mark, held.clone()));
        Ok(held)
    }

    /// A read that stops at once when its call is cancelled.
    async fn reading<T>(
        &self,
        scope: &Scope,
        doing: &str,
        read: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        match scope.cancel().run_until_cancelled(read).await {
            Some(answer) => answer,
            None => Err(Error::new(doing, Why::Cancelled)),
        }
    }

    /// The plans that the token reaches.
    pub async fn plans(&self, scope: &Scope) -> Result<Vec<PlanSummary>, Error> {
        let began = self.turn();
        let serves = |at: Asked, now| at.serves(Age::Recent, began, 0, now);
        let plans =
            self.reading(scope, LIST_PLANS, self.shared(&self.0.plans, serves, self.plans_asked(scope))).await?;
        Ok(plans.to_vec())
    }

    async fn plans_asked(&self, scope: &Scope) -> Result<Vec<PlanSummary>, Error> {
        let request = Request::get("/plans?include_accounts=true".into(), LIST_PLANS);
        self.read(scope, &request, |reply| wire::plans(&reply.body)).await
    }

    /// The plans as they were some minutes ago at most.
    async fn plans_lately(&self, scope: &Scope) -> Result<Arc<Vec<PlanSummary>>, Error> {
        let serves = |at: Asked, now| at.at.is_within(PLANS_KEPT, now);
        self.shared(&self.0.plans, serves, self.plans_asked(scope)).await
    }

    async fn summary(&self, scope: &Scope, id: &PlanId) -> Result<Option<PlanSummary>, Error> {
        Ok(self.plans_lately(scope).await?.iter().find(|plan| plan.id == *id).cloned())
    }

    async fn settings(&self, scope: &Scope, id: &PlanId) -> Result<Currency, Error> {
        let request = Request::get(format!("/plans/{id}/settings"), "read the plan's currency");
        self.read(scope, &request, |reply| wire::settings(&reply.body)).await
    }

    /// The plan that the argument names: `last-used` becomes an id, once for the whole call; an id stays as it is.
    pub async fn resolve(&self, scope: &Scope, plan_id: &str) -> Result<PlanId, Error> {
        if !is_segment(plan_id) {
            return Err(Error::new(FIND_PLAN, Why::NotAnId(text::safe(plan_id).into_owned())));
        }
        if plan_id != LAST_USED {
            return Ok(plan_id.into());
        }
        self.reading(scope, FIND_PLAN, self.last_used(scope)).await
    }

    async fn last_used(&self, scope: &Scope) -> Result<PlanId, Error> {
        let began = self.turn();
        let plans = self.plans_lately(scope).await?;
        match &plans[..] {
            [] => return Err(Error::new(FIND_PLAN, Why::NoPlan)),
            [only] => return Ok(only.id.clone()),
            _ => {}
        }
        let request = Request::get(format!("/plans/{LAST_USED}/accounts"), FIND_PLAN);
        let ids = async {
            let accounts = self.read(scope, &request, |reply| wire::accounts(&reply.body)).await?;
            Ok(accounts.into_iter().map(|account| account.id).collect())
        };
        let serves = |at: Asked, now| at.serves(Age::Recent, began, 0, now);
        let accounts = self.shared(&self.0.last_used, serves, ids).await?;
        let holder = |plans: &[PlanSummary]| {
            plans.iter().find(|plan| accounts.iter().any(|id| plan.accounts.contains(id))).map(|plan| plan.id.clone())
        };
        if let Some(id) = holder(&plans) {
            return Ok(id);
        }
        // A plan or an account newer than the list.
        let serves = |at: Asked, _| at.turn >= began;
        let plans = self.shared(&self.0.plans, serves, self.plans_asked(scope)).await?;
        let mut empty = plans.iter().filter(|plan| plan.accounts.is_empty());
        match (holder(&plans), accounts.is_empty(), empty.next(), empty.next()) {
            (Some(id), ..) => Ok(id),
            (None, true, Some(only), None) => Ok(only.id.clone()),
            _ => Err(Error::new(FIND_PLAN, Why::LastUsedUnclear)),
        }
    }

    /// The plan's currency, from what is known where possible.
    pub async fn currency(&self, scope: &Scope, id: &PlanId) -> Result<Currency, Error> {
        let known = self.known(id);
        if known.mirrored.load(Ordering::Relaxed)
            && let Ok(held) = known.mirror.try_lock()
            && let Some(held) = &*held
        {
            return Ok(held.mirror.plan().currency.clone());
        }
        self.reading(scope, "read the plan's currency", async {
            match self.summary(scope, id).await? {
                Some(plan) => Ok(plan.currency),
                None => self.settings(scope, id).await,
            }
        })
        .await
    }

    /// The accounts that are not deleted, closed ones included.
    pub async fn accounts(&self, scope: &Scope, id: &PlanId, age: Age) -> Result<Vec<Account>, Error> {
        let known = self.known(id);
        if known.wants_mirror()
            && let Some(plan) = known.unless_unloaded(self.plan(scope, id, age).await)?
        {
            return Ok(plan.accounts.iter().filter(|account| !account.deleted).cloned().collect());
        }
        let request = Request::get(format!("/plans/{id}/accounts"), "list the accounts");
        let (began, dirty) = (self.turn(), &known.dirty);
        let serves = |at: Asked, now| at.serves(age, began, dirty.load(Ordering::Relaxed), now);
        let asked = known.counted(self.read(scope, &request, |reply| wire::accounts(&reply.body)));
        let accounts = self.reading(scope, request.doing(), self.shared(&known.accounts, serves, asked)).await?;
        Ok(accounts.to_vec())
    }

    /// Groups and categories that are not deleted, by group, with the current month's figures.
    pub async fn categories(&self, scope: &Scope, id: &PlanId, age: Age) -> Result<(Vec<Group>, Vec<Category>), Error> {
        let known = self.known(id);
        if known.wants_mirror()
            && let Some(lists) =
                known.unless_unloaded(self.mirror(scope, id, age, |held| held.mirror.categories()).await)?
        {
            return Ok(lists);
        }
        let request = Request::get(format!("/plans/{id}/categories"), "list the categories");
        let (began, dirty) = (self.turn(), &known.dirty);
        let serves = |at: Asked, now| at.serves(age, began, dirty.load(Ordering::Relaxed), now);
        let asked = known.counted(self.read(scope, &request, |reply| wire::categories(&reply.body)));
        let lists = self.reading(scope, request.doing(), self.shared(&known.categories, serves, asked)).await?;
        Ok((*lists).clone())
    }

    /// One month with its categories.
    pub async fn month(&self, scope: &Scope, id: &PlanId, month: Month, age: Age) -> Result<MonthBudget, Error> {
        let known = self.known(id);
        if known.wants_mirror()
            && let Some(Some(found)) =
                known.unless_unloaded(self.mirror(scope, id, age, |held| held.mirror.month(month)).await)?
        {
            return Ok(found);
        }
        let slot = {
            let mut months = known.months.lock().unwrap_or_else(PoisonError::into_inner);
            if months.len() >= MONTHS_KEPT && !months.contains_key(&month) {
                months.clear();
            }
            months.entry(month).or_default().clone()
        };
        let (began, dirty) = (self.turn(), &known.dirty);
        let serves = |at: Asked, now| at.serves(age, began, dirty.load(Ordering::Relaxed), now);
        let asked = known.counted(self.month_alone(scope, id, month));
        Ok((*self.reading(scope, READ_MONTH, self.shared(&slot, serves, asked)).await?).clone())
    }

    async fn month_alone(&self, scope: &Scope, id: &PlanId, month: Month) -> Result<MonthBudget, Error> {
        let request = Request::get(format!("/plans/{id}/months/{month}"), READ_MONTH);
        let found = self.read(scope, &request, |reply| wire::month(&reply.body)).await?;
        found.ok_or_else(|| Error::new(READ_MONTH, Why::Unreadable))
    }

    /// Everything the plan holds, from its mirror.
    pub async fn plan(&self, scope: &Scope, id: &PlanId, age: Age) -> Result<Arc<Plan>, Error> {
        self.mirror(scope, id, age, |held| held.mirror.plan().clone()).await
    }

    async fn mirror<T>(&self, scope: &Scope, id: &PlanId, age: Age, take: impl FnOnce(&Held) -> T) -> Result<T, Error> {
        let (known, began) = (self.known(id), self.turn());
        self.reading(scope, "read the plan", async {
            let mut held = known.mirror.lock().await;
            let dirty = known.dirty.load(Ordering::Relaxed);
            if !held.as_ref().is_some_and(|held| held.asked.serves(age, began, dirty, self.now())) {
                let refreshed = self.refresh(scope, id, &mut held).await;
                known.mirrored.store(held.is_some(), Ordering::Relaxed);
                refreshed?;
            }
            let Some(held) = &*held else { return Err(Error::new("read the plan", Why::Unreadable)) };
            known.knowledge.store(held.mirror.knowledge(), Ordering::Relaxed);
            held.notes.iter().for_each(|note| scope.note(note.clone()));
            Ok(take(held))
        })
        .await
    }

    /// YNAB's knowledge that the plan's mirror stands at; 0 while none is loaded.
    pub fn knowledge(&self, id: &PlanId) -> i64 {
        self.known(id).knowledge.load(Ordering::Relaxed)
    }

    /// The transactions that were made or changed since that knowledge, deleted ones included.
    pub async fn changed_since(&self, scope: &Scope, id: &PlanId, knowledge: i64) -> Result<Vec<TransactionId>, Error> {
        let path = format!("/plans/{id}/transactions?since_date={EVER}&last_knowledge_of_server={knowledge}");
        let request = Request::get(path, "read which transactions changed");
        let asked = self.read(scope, &request, |reply| wire::transaction_ids(&reply.body));
        self.reading(scope, request.doing(), asked).await
    }

    /// Whether YNAB is reached and accepts the token.
    pub async fn user_reachable(&self, scope: &Scope) -> Result<Reached, Error> {
        let request = Request::get("/user".into(), "reach YNAB");
        let asked = self.read(scope, &request, |reply| {
            wire::user(&reply.body)?;
            Ok(reply.date)
        });
        let date = self.reading(scope, request.doing(), asked).await?;
        let now = i64::try_from(self.now().unix).unwrap_or_default();
        Ok(Reached { clock_ahead: date.map(|date| date - now) })
    }

    /// How many requests were counted in the last hour; none for the demo, which has no limit.
    pub async fn requests_used(&self) -> Option<usize> {
        self.0.link.used(self.now().unix).await
    }
}

const LIST_PLANS: &str = "list the plans";
const FIND_PLAN: &str = "find the plan";
const READ_MONTH: &str = "read the month";
