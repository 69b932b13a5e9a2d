//! Owns a category's name and group: changing them, creating one.
//! Never gives two categories of a group the same name.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, CategoryPlace, Change, Kind, Landed, Outcome, Proposal, Proposed, Step, checks, stand};
use crate::error::Refusal;
use crate::ids::{CategoryId, PlanId};
use crate::plan::{CARD_PAYMENTS_GROUP, Category, Group, HIDDEN_GROUP, INTERNAL_GROUP};
use crate::refuse;
use crate::text::{SHOWN_MAX, safe};

/// A plan's groups and categories.
#[derive(Clone, Copy, Debug)]
pub struct Shelf<'a> {
    /// The plan's real id.
    pub plan: &'a PlanId,
    /// Its groups.
    pub groups: &'a [Group],
    /// Its categories.
    pub categories: &'a [Category],
}

/// The answer of update_category.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Updated {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The category.
    pub category_id: CategoryId,
    /// Before.
    pub from_name: String,
    /// After.
    pub to_name: String,
    /// Before.
    pub from_group: String,
    /// After.
    pub to_group: String,
}

impl Answer for Updated {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// The answer of create_category.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewCategory {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Once it is created.
    pub category_id: Option<CategoryId>,
}

impl Answer for NewCategory {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        self.category_id = landed.category.clone().or(self.category_id.take());
    }
}

/// What giving a category another name or group would change; `None` keeps it.
pub fn update(
    shelf: Shelf<'_>,
    category_id: &str,
    name: Option<&str>,
    group_id: Option<&str>,
) -> Result<Proposed<Updated>, Refusal> {
    let category = checks::category(shelf.categories, category_id, "category_id")?;
    let name = name.map(|name| checks::one_line(name, SHOWN_MAX, "name")).transpose()?.unwrap_or(&category.name);
    let group = match group_id.filter(|id| *id != category.group.as_str()) {
        Some(_) if category.is_card_payment() => {
            let name = safe(&category.name);
            return Err(refuse!(
                "'{name}' holds a card's payments, which YNAB keeps in their group. Leave the group out."
            ));
        }
        Some(id) => group_of(shelf, id)?.clone(),
        None => {
            let name = category.group_name.clone();
            Group { id: category.group.clone(), name, ..Group::default() }
        }
    };
    let before = stand::place(category);
    let after = CategoryPlace { name: name.to_owned(), group: group.id.clone() };
    let mut answer = Updated {
        outcome: Outcome::proposed(),
        category_id: category.id.clone(),
        from_name: safe(&category.name).into_owned(),
        to_name: safe(name).into_owned(),
        from_group: safe(&category.group_name).into_owned(),
        to_group: safe(&group.name).into_owned(),
    };
    if before == after {
        answer.outcome = Outcome::nothing("The category has that name and group already.");
        return Ok(Proposed { answer, proposal: None });
    }
    is_free(shelf, &after, &group, Some(&category.id))?;
    let what = format!(
        "category '{}' ({}) to '{}' ({})",
        answer.from_name, answer.from_group, answer.to_name, answer.to_group
    );
    let proposal = Proposal {
        plan: shelf.plan.clone(),
        kind: Kind::Category,
        subject: json!({ "category_id": category.id, "name": after.name, "group": after.group }),
        guard: serde_json::Value::Null,
        question: format!("Change {what}?"),
        done: format!("Changed {what}."),
        steps: vec![Step::Category { category: category.id.clone(), place: Change { before, after } }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// What creating a category in a group would do.
pub fn create(shelf: Shelf<'_>, group_id: &str, name: &str) -> Result<Proposed<NewCategory>, Refusal> {
    let group = group_of(shelf, group_id)?;
    let name = checks::one_line(name, SHOWN_MAX, "name")?;
    let place = CategoryPlace { name: name.to_owned(), group: group.id.clone() };
    is_free(shelf, &place, group, None)?;
    let what = format!("category '{}' in {}", safe(name), safe(&group.name));
    let answer = NewCategory {
        outcome: Outcome::proposed(),
        name: safe(name).into_owned(),
        group: safe(&group.name).into_owned(),
        category_id: None,
    };
    let proposal = Proposal {
        plan: shelf.plan.clone(),
        kind: Kind::CreateCategory,
        subject: json!({ "group": group.id, "name": name }),
        guard: serde_json::Value::Null,
        question: format!("Create {what}?\nundo_operation cannot delete a category: to undo it, delete it in YNAB."),
        done: format!("Created {what}. To undo it, delete it in YNAB."),
        steps: vec![Step::CreateCategory { place }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// The group of that id that a category can be put in: visible, none of YNAB's own.
fn group_of<'a>(shelf: Shelf<'a>, id: &str) -> Result<&'a Group, Refusal> {
    let found = shelf.groups.iter().find(|group| group.id.as_str() == id && !group.deleted);
    let group = found.ok_or_else(|| {
        refuse!("category_group_id: no such group in this plan. Take an id from list_category_groups.")
    })?;
    let name = safe(&group.name);
    if group.internal || [INTERNAL_GROUP, CARD_PAYMENTS_GROUP, HIDDEN_GROUP].contains(&&*group.name) {
        return Err(refuse!("category_group_id: '{name}' is YNAB's own group. Choose one of the plan's."));
    }
    if group.hidden {
        return Err(refuse!("category_group_id: '{name}' is hidden. Show it again in YNAB first."));
    }
    Ok(group)
}

/// Refuses a name that another category of the group has, hidden ones too.
fn is_free(shelf: Shelf<'_>, place: &CategoryPlace, group: &Group, own: Option<&CategoryId>) -> Result<(), Refusal> {
    let has = |c: &&Category| {
        Some(&c.id) != own && !c.deleted && c.group == place.group && stand::is_same_name(&c.name, &place.name)
    };
    let Some(other) = shelf.categories.iter().find(has) else { return Ok(()) };
    let hidden = if other.hidden { ", hidden" } else { "" };
    Err(refuse!("{} has a category '{}'{hidden}. Choose another name.", safe(&group.name), safe(&other.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::plan::Plan;
    use crate::writes::Status;

    fn shelf(plan: &Plan) -> Shelf<'_> {
        let (groups, categories) = (plan.groups.iter().as_slice(), plan.categories.iter().as_slice());
        Shelf { plan: &plan.id, groups, categories }
    }

    fn group<'a>(plan: &'a Plan, name: &str) -> &'a str {
        plan.groups.iter().find(|g| &*g.name == name).expect("the group").id.as_str()
    }

    fn change(plan: &Plan, of: &str, name: Option<&str>, to: Option<&str>) -> Result<Proposed<Updated>, Refusal> {
        let id = plan.categories.iter().find(|c| &*c.name == of).expect("the category").id.as_str();
        update(shelf(plan), id, name, to.map(|to| group(plan, to)))
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let proposed = change(plan, "Books", Some("Reading"), Some("Work")).expect("a proposal");
        let question = proposed.proposal.expect("a question").question;
        assert_eq!(question, "Change category 'Books' (Fun) to 'Reading' (Work)?");
        let renamed = change(plan, "Books", Some("Reading"), None).expect("a proposal").proposal.expect("a question");
        assert_eq!(renamed.question, "Change category 'Books' (Fun) to 'Reading' (Fun)?");
        for (name, to) in [(None, None), (Some(" Books "), None), (None, Some("Fun"))] {
            let same = change(plan, "Books", name, to).expect("an answer");
            assert_eq!(same.answer.outcome.status, Status::NothingToDo);
        }
        let mut made = create(shelf(plan), group(plan, "Fun"), " Piano ").expect("a proposal");
        let question = made.proposal.expect("a question").question;
        assert!(question.starts_with("Create category 'Piano' in Fun?\nundo_operation cannot"), "{question}");
        made.answer.landed(&Landed { category: Some("piano".into()), ..Landed::default() });
        made.answer.landed(&Landed::default());
        assert_eq!(made.answer.category_id, Some("piano".into()), "as YNAB made it");
    }

    /// Points 42 and 58: YNAB's own and hidden categories and groups are refused before any question.
    #[test]
    fn p42_p58_what_is_not_the_plans_own_is_refused() {
        let plan = &corpus("household").plans[0];
        for name in ["Inflow: Ready to Assign", "Old hobby", "Erased hobby"] {
            assert!(change(plan, name, Some("x"), None).is_err(), "{name}");
        }
        for name in ["Credit Card Payments", "Internal Master Category", "Retired things", "Gone group"] {
            assert!(change(plan, "Books", None, Some(name)).is_err(), "{name}");
            assert!(create(shelf(plan), group(plan, name), "x").is_err(), "{name}");
        }
        for (name, internal) in
            [(INTERNAL_GROUP, false), (CARD_PAYMENTS_GROUP, false), (HIDDEN_GROUP, false), ("Own", true)]
        {
            let group = Group { id: "g".into(), name: name.into(), internal, ..Group::default() };
            assert!(create(Shelf { groups: &[group], ..shelf(plan) }, "g", "x").is_err(), "{name}");
        }
        assert!(change(plan, "Blue Card", None, Some("Fun")).is_err());
        assert!(update(shelf(plan), "", Some("x"), None).is_err());
    }

    /// Point 46: a name is taken for both tools alike, by hidden categories too, and has a length.
    #[test]
    fn p46_a_name_used_in_the_group_is_refused_for_both() {
        let plan = &corpus("household").plans[0];
        let long = "x".repeat(SHOWN_MAX + 1);
        for name in ["Sport", "SPORT", "Old hobby", "", " ", "a\nb", "a\u{202E}b", &long] {
            assert!(change(plan, "Books", Some(name), None).is_err(), "{name:?}");
            assert!(create(shelf(plan), group(plan, "Fun"), name).is_err(), "{name:?}");
        }
        assert!(create(shelf(plan), group(plan, "Work"), "Sport").is_ok());
        assert!(change(plan, "Subscriptions", None, Some("Fun")).is_err(), "Fun has one too");
    }

    /// Point 59: a change of case only is a rename of itself.
    #[test]
    fn p59_a_change_of_case_is_a_rename() {
        let plan = &corpus("household").plans[0];
        assert!(change(plan, "Books", Some("BOOKS"), None).expect("an answer").proposal.is_some());
    }
}
