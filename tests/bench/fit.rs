//! Owns the fitting of the weights in `src/classifier/trust.rs`: a logistic regression on what waits in invented lives.
//! Never sees the lives of the figures.

use avenir_mcp::classifier::Classifier;

use crate::answers::plan_of;
use crate::lives::{FAMILIES, Life, life};

/// How many lives of each family, from seed 0.
const LIVES: u64 = 250;
/// How many times the weights are improved, and how strongly they are held near 0.
const ROUNDS: usize = 12;
const HELD: f64 = 1.0;

/// Prints the weights, the intercept last.
pub fn print() {
    let lives = FAMILIES.into_iter().flat_map(|family| (0..LIVES).map(move |seed| life(family, seed)));
    let rows: Vec<(Vec<f64>, f64)> = lives.flat_map(|life| rows(&life)).collect();
    let weights = fit(&rows);
    println!("{} payments", rows.len());
    println!("{}", weights.iter().map(|weight| format!("{weight:.2}")).collect::<Vec<_>>().join(", "));
}

/// Of what waits in a life: the signs and a 1 for the intercept, and whether the first category is right.
fn rows(life: &Life) -> Vec<(Vec<f64>, f64)> {
    let plan = plan_of(life);
    let classifier = Classifier::learn(&plan, None, life.today);
    let row = |(id, truth): (&String, &Option<String>)| {
        let transaction = &plan.transactions[plan.transactions.find(id.as_str())?];
        let (category, signs) = classifier.signs(transaction)?;
        let is_right = truth.as_deref()? == plan.categories[category].id.to_string();
        Some(([&signs[..], &[1.0]].concat(), f64::from(u8::from(is_right))))
    };
    life.truth.categories.iter().filter_map(row).collect()
}

/// Newton's method on the logistic likelihood.
fn fit(rows: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let size = rows[0].0.len();
    let mut weights = vec![0.0; size];
    for _ in 0..ROUNDS {
        // Each equation with its right side last.
        let mut equations: Vec<Vec<f64>> = (0..size)
            .map(|n| {
                (0..=size)
                    .map(|m| {
                        if m == n {
                            HELD
                        } else if m == size {
                            -HELD * weights[n]
                        } else {
                            0.0
                        }
                    })
                    .collect()
            })
            .collect();
        for (signs, right) in rows {
            let sum: f64 = signs.iter().zip(&weights).map(|(sign, weight)| sign * weight).sum();
            let chance = 1.0 / (1.0 + (-sum).exp());
            for (equation, one) in equations.iter_mut().zip(signs) {
                for (cell, other) in equation.iter_mut().zip(signs) {
                    *cell += chance * (1.0 - chance) * one * other;
                }
                equation[size] += (right - chance) * one;
            }
        }
        weights.iter_mut().zip(solved(equations)).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// The solution of linear equations whose matrix is positive, by elimination.
fn solved(mut equations: Vec<Vec<f64>>) -> Vec<f64> {
    let size = equations.len();
    for n in 0..size {
        let pivot = equations[n].clone();
        for (_, equation) in equations.iter_mut().enumerate().filter(|(m, _)| *m != n) {
            let factor = equation[n] / pivot[n];
            equation.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    equations.iter().enumerate().map(|(n, equation)| equation[size] / equation[n]).collect()
}
