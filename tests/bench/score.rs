//! Owns the figures: how right answers are, next to the truth. Never answers itself.

use crate::answers::Answers;
use crate::lives::Life;

/// Months ahead at which a forecast is judged.
const HORIZONS: [usize; 4] = [1, 3, 6, 12];
/// What a wrong suggestion costs, in right ones.
const WRONG_COSTS: f64 = 5.0;

#[derive(Default)]
pub struct Scores {
    pub waiting: f64,
    pub right: f64,
    pub wrong: f64,
    /// Per horizon, of each life: the error in percent of a month's spending, whether the first shortfall is right,
    /// whether the range held the truth.
    pub errors: [Vec<f64>; 4],
    pub shortfalls: [Vec<bool>; 4],
    pub ranges: [Vec<bool>; 4],
    pub listed: f64,
    pub listed_right: f64,
    pub known: f64,
    pub found: f64,
    pub yearly_errors: Vec<f64>,
}

impl Scores {
    pub fn of(lives: &[Life], answers: &[Answers]) -> Self {
        let mut scores = Self::default();
        for (life, answers) in lives.iter().zip(answers) {
            scores.suggestions(life, answers);
            scores.forecast(life, answers);
            scores.recurring(life, answers);
        }
        scores
    }

    fn suggestions(&mut self, life: &Life, answers: &Answers) {
        self.waiting += life.truth.categories.len() as f64;
        for (id, (category, ..)) in &answers.suggestions {
            match life.truth.categories.get(id) {
                Some(Some(truth)) if truth == category => self.right += 1.0,
                _ => self.wrong += 1.0,
            }
        }
    }

    fn forecast(&mut self, life: &Life, answers: &Answers) {
        let truth = &life.truth;
        for (place, horizon) in HORIZONS.into_iter().enumerate() {
            let end = truth.ends[horizon] as f64 / 1000.0;
            self.errors[place].push((answers.ends[horizon] - end).abs() / (truth.spending / 1000.0) * 100.0);
            let short = truth.lows.iter().take(horizon + 1).position(|low| *low < 0);
            self.shortfalls[place].push(answers.shortfall.filter(|month| *month <= horizon) == short);
            if let Some((low, high)) = answers.ranges.get(horizon) {
                self.ranges[place].push((*low..=*high).contains(&end));
            }
        }
    }

    fn recurring(&mut self, life: &Life, answers: &Answers) {
        let judged = judge(life, answers);
        self.listed += judged.iter().filter(|one| !matches!(one, Listed::Unknown(..))).count() as f64;
        self.listed_right += judged.iter().filter(|one| matches!(one, Listed::Right { .. })).count() as f64;
        let exact = judged.iter().filter(|one| matches!(one, Listed::Right { same_amount: true, .. })).count();
        (self.known, self.found) = (self.known + life.truth.charges.len() as f64, self.found + exact as f64);
        let truth: f64 = life.truth.charges.iter().map(|(_, yearly, _)| yearly).sum();
        let listed = judged.iter().filter(|one| !matches!(one, Listed::Unknown(..)));
        let total: f64 = listed.map(|one| one.yearly()).sum();
        self.yearly_errors.push(((total - truth) / truth).abs() * 100.0);
    }
}

/// One charge of an answer beside the truth.
#[derive(Debug)]
pub enum Listed {
    Right {
        truth: usize,
        same_amount: bool,
        yearly: f64,
    },
    /// It comes back too rarely or too newly to be known.
    Unknown(#[allow(dead_code, reason = "printed")] String, f64),
    Wrong(#[allow(dead_code, reason = "printed")] String, f64),
}

impl Listed {
    fn yearly(&self) -> f64 {
        match self {
            Self::Right { yearly, .. } | Self::Unknown(_, yearly) | Self::Wrong(_, yearly) => *yearly,
        }
    }
}

/// Each charge of an answer beside the nearest true one of that name.
pub fn judge(life: &Life, answers: &Answers) -> Vec<Listed> {
    let plain = |name: &str| -> String { name.to_uppercase().chars().filter(|c| c.is_alphanumeric()).collect() };
    let mut free: Vec<usize> = (0..life.truth.charges.len()).collect();
    let mut listed = answers.charges.clone();
    listed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let judge_one = |(payee, yearly): &(String, f64)| {
        let shown = plain(payee);
        let named = free.iter().copied().filter(|&n| shown.contains(&plain(&life.truth.charges[n].0)));
        let distance = |n: usize| (life.truth.charges[n].1 / yearly).ln().abs();
        if let Some(truth) = named.min_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            let (_, amount, fixed) = &life.truth.charges[truth];
            let tolerance = if *fixed { 0.02 } else { 0.12 };
            free.retain(|&n| n != truth);
            let same_amount = (yearly / amount - 1.0).abs() <= tolerance;
            Listed::Right { truth, same_amount, yearly: *yearly }
        } else if life.truth.unseen.iter().any(|name| shown.contains(&plain(name))) {
            Listed::Unknown(payee.clone(), *yearly)
        } else {
            Listed::Wrong(payee.clone(), *yearly)
        }
    };
    listed.iter().map(judge_one).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn share(values: &[bool]) -> f64 {
    100.0 * values.iter().filter(|right| **right).count() as f64 / values.len().max(1) as f64
}

/// The table of the figures, a column for each who answered.
pub fn print(columns: &[(&str, Scores)]) {
    let line = |name: &str, cell: &dyn Fn(&Scores) -> String| {
        let cells: Vec<String> = columns.iter().map(|(_, scores)| format!("{:>28}", cell(scores))).collect();
        println!("{name:<46}{}", cells.concat());
    };
    println!("{:<46}{}", "", columns.iter().map(|(name, _)| format!("{name:>28}")).collect::<String>());
    line("suggestions: right - 5 x wrong, per 100", &|s| {
        format!("{:.1}", 100.0 * (s.right - WRONG_COSTS * s.wrong) / s.waiting)
    });
    line("precision of what is suggested, %", &|s| format!("{:.2}", 100.0 * s.right / (s.right + s.wrong).max(1.0)));
    line("suggested, % of what waits", &|s| format!("{:.1}", 100.0 * (s.right + s.wrong) / s.waiting));
    let four = |cells: Vec<String>| cells.join(" / ");
    line("forecast: error at 1 / 3 / 6 / 12 months, %", &|s| {
        four(s.errors.iter().map(|errors| format!("{:.1}", mean(errors))).collect())
    });
    line("first shortfall right, %", &|s| four(s.shortfalls.iter().map(|f| format!("{:.0}", share(f))).collect()));
    line("truth within the range, %", &|s| four(s.ranges.iter().map(|f| format!("{:.0}", share(f))).collect()));
    line("recurring: precision, %", &|s| format!("{:.1}", 100.0 * s.listed_right / s.listed.max(1.0)));
    line("recurring: found with the right amount, %", &|s| format!("{:.1}", 100.0 * s.found / s.known.max(1.0)));
    line("recurring: error of the yearly total, %", &|s| format!("{:.2}", mean(&s.yearly_errors)));
}

/// What went wrong in each life.
pub fn print_each(lives: &[Life], answers: &[Answers]) {
    for (n, (life, answers)) in lives.iter().zip(answers).enumerate() {
        print_suggestions(n, life, answers);
        print_charges(n, life, answers);
    }
}

fn print_suggestions(n: usize, life: &Life, answers: &Answers) {
    let rows = |name: &str| life.plan[name].as_array().into_iter().flatten();
    let name_of = |table: &str, id: &serde_json::Value| {
        rows(table).find(|row| row["id"] == *id).map_or(String::new(), |row| row["name"].to_string())
    };
    for row in rows("transactions") {
        let id = row["id"].as_str().unwrap_or_default();
        let Some(truth) = life.truth.categories.get(id) else { continue };
        let suggested = answers.suggestions.get(id);
        let verdict = match (suggested, truth) {
            (None, _) => "silent",
            (Some((category, ..)), Some(truth)) if category == truth => "right",
            _ => "WRONG",
        };
        let category = |id: &str| name_of("categories", &id.into());
        let truth = truth.as_deref().map(category);
        let suggested = suggested.map(|(id, confidence, why)| format!("{} {confidence} {why}", category(id)));
        let (payee, amount) = (name_of("payees", &row["payee_id"]), &row["amount"]);
        println!(
            "{n} {:?} {verdict} {} {amount} {} {payee} {suggested:?} {truth:?}",
            life.country, row["date"], row["account_id"]
        );
    }
}

fn print_charges(n: usize, life: &Life, answers: &Answers) {
    let judged = judge(life, answers);
    let mut missed: Vec<usize> = (0..life.truth.charges.len()).collect();
    for one in &judged {
        let truth = if let Listed::Right { truth, .. } = one { Some(*truth) } else { None };
        missed.retain(|place| Some(*place) != truth);
        let truth = truth.map(|place| &life.truth.charges[place]);
        println!("{n} {:?} {one:?} {truth:?}", life.country);
    }
    for place in missed {
        println!("{n} {:?} missed {:?}", life.country, life.truth.charges[place]);
    }
}
