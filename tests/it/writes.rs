//! Every write, from its preview to its undo, on the recorded household: what is asked, what changes, what comes back.

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::golden::golden;
use crate::support::household::{self, FUEL, PLAN, WRITES, Write, export};
use crate::support::plan::{differences, named, restored, state};
use crate::support::session::{Answer, ERAS, Session, Setup, User, with_code};
use crate::support::ynab::Server;
use avenir_mcp::demo::Ynab;

/// A YNAB and a server on it, whose client cannot ask.
struct Stage {
    ynab: Server,
    session: Session,
    _folder: Folder,
}

impl Stage {
    fn new() -> Self {
        Self::on(household::server(), User::Nobody)
    }

    fn on(ynab: Server, user: User) -> Self {
        let folder = Folder::new();
        let session = Setup::on(&ynab, &folder.journal()).user(user).open();
        Self { ynab, session, _folder: folder }
    }

    fn apply(&mut self, tool: &str, arguments: &Value) -> Answer {
        let preview = self.session.call(tool, arguments.clone());
        match preview.status() {
            "confirmation_required" => self.session.call(tool, with_code(arguments, preview.code())),
            _ => preview,
        }
    }

    fn undo(&mut self) -> Answer {
        self.apply("undo_operation", &json!({ "plan_id": PLAN }))
    }
}

/// Writes that the table of the household does not hold.
fn others() -> Vec<(&'static str, &'static str, Value)> {
    let target = |fields: Value| {
        let mut arguments = json!({ "plan_id": PLAN, "category_id": FUEL });
        arguments.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
        arguments
    };
    let plan = export(&household::server());
    let category = |name: &str| named(&plan, "categories", name);
    vec![
        ("target by a date", "set_category_target", target(json!({ "amount": 90.5, "by_date": "2026-10-03" }))),
        ("target each week", "set_category_target", target(json!({ "amount": 20, "frequency": "weekly" }))),
        (
            "amount of a repeating target",
            "set_category_target",
            target(json!({ "category_id": category("Insurance"), "amount": 33 })),
        ),
        ("target removed", "set_category_target", target(json!({ "category_id": category("Holidays ✈️") }))),
        (
            "category moved",
            "update_category",
            json!({ "plan_id": PLAN, "category_id": category("Books"), "category_group_id": named(&plan, "category_groups", "Work") }),
        ),
        (
            "flags removed",
            "flag_transactions",
            json!({ "plan_id": PLAN, "flags": [{ "transaction_id": "2b41235e-1fb0-5d15-80cc-5135193d380a" }] }),
        ),
    ]
}

/// For each write: preview → yes → the plan as asked → undo → the plan as before.
#[test]
fn every_write_does_what_was_asked_and_its_undo_takes_it_back() {
    let mut told = String::new();
    let table = WRITES.iter().map(|write| (write.name, write.tool, (write.arguments)(), write.undoable));
    let others = others().into_iter().map(|(name, tool, arguments)| (name, tool, arguments, true));
    for (name, tool, arguments, undoable) in table.chain(others) {
        let mut stage = Stage::new();
        let before = export(&stage.ynab);
        let applied = stage.apply(tool, &arguments);
        assert_eq!(applied.status(), "applied", "{name}: {applied:?}");
        let after = export(&stage.ynab);
        told.push_str(&format!("{name}\n{}", differences(&before, &after)));
        let undone = stage.undo();
        if undoable {
            assert_eq!(undone.status(), "applied", "{name}: {undone:?}");
            let (now, was) = (export(&stage.ynab), state(&before));
            assert_eq!(restored(&now, &was), was, "{name}");
            assert!(stage.undo().is_refused(), "{name}: undone twice");
        } else {
            assert!(undone.is_refused(), "{name}: {undone:?}");
            assert_eq!(state(&export(&stage.ynab)), state(&after), "{name}");
        }
    }
    golden("writes/changes.txt", &told);
}

/// What undo cannot take back says so: the question, or the answer where nothing is asked, and undo_operation why.
#[test]
fn what_cannot_be_taken_back_says_so_before_and_why_after() {
    let plan = export(&household::server());
    let insurance = named(&plan, "categories", "Insurance");
    let target = json!({ "plan_id": PLAN, "category_id": insurance, "amount": 44, "frequency": "weekly" });
    let arguments = |name: &str| (household::write(name).arguments)();
    let cases = [
        ("create_category", arguments("create category"), "hide or delete it in YNAB"),
        ("split_transaction", arguments("split"), "edit the transaction in YNAB"),
        ("import_transactions", arguments("import"), "delete its transactions in YNAB"),
        ("set_category_target", target, "set it in YNAB"),
    ];
    for (tool, arguments, why) in cases {
        let mut stage = Stage::on(household::server(), User::yes());
        let applied = stage.session.call(tool, arguments);
        assert_eq!(applied.status(), "applied", "{tool}: {applied:?}");
        let said = stage.session.questions.pop().unwrap_or_else(|| applied.text());
        assert!(said.contains("undo_operation cannot"), "{tool}: {said}");
        let operation = applied.structured()["operation_id"].as_str().expect("an operation").to_owned();
        for asked in [json!({ "plan_id": PLAN }), json!({ "plan_id": PLAN, "operation_id": operation })] {
            let refused = stage.session.call("undo_operation", asked);
            assert!(refused.is_refused() && refused.text().contains(why), "{tool}: {refused:?}");
        }
        let listed = stage.session.call("list_operations", json!({ "plan_id": PLAN }));
        assert_eq!(listed.structured()["operations"][0]["undoable"], false, "{tool}");
    }
}

/// Point 11: what was done here is listed, with what came of it.
#[test]
fn p11_operations_are_listed_newest_first() {
    let mut stage = Stage::new();
    for name in ["budget", "flag", "categorize"] {
        let write: Write = household::write(name);
        assert_eq!(stage.apply(write.tool, &(write.arguments)()).status(), "applied");
    }
    stage.undo();
    let listed = stage.session.call("list_operations", json!({ "plan_id": "last-used" }));
    let rows = listed.structured()["operations"].as_array().expect("operations").clone();
    let told: Vec<String> =
        rows.iter().map(|row| format!("{} {} {}", row["state"], row["undoable"], row["summary"])).collect();
    assert_eq!(
        told,
        [
            r#""undone" false "Recategorised 2 transactions: 2026-02-24 Zero Corp 0.00, and 1 more""#,
            r#""applied" true "Changed the flag of 2 transactions: 2026-02-24 Zero Corp 0.00, and 1 more""#,
            r#""applied" true "Budgeted Restaurants for 2026-03-01: 20.00 → 75.00""#,
        ]
    );
}

/// More rows than YNAB takes at once: one question, one operation, one undo.
#[test]
fn a_bulk_write_goes_in_chunks_and_is_one_operation() {
    let mut stage = Stage::new();
    let before = export(&stage.ynab);
    let ids = crate::support::plan::live(&before, "transactions").filter(|row| row["flag_color"].is_null());
    let flags: Vec<Value> = ids.take(250).map(|row| json!({ "transaction_id": row["id"], "color": "blue" })).collect();
    let applied = stage.apply("flag_transactions", &json!({ "plan_id": PLAN, "flags": flags }));
    assert_eq!((applied.status(), stage.ynab.writes().len()), ("applied", 3), "{applied:?}");
    assert_eq!(stage.undo().status(), "applied");
    assert_eq!(stage.ynab.writes().len(), 6);
    assert_eq!(state(&export(&stage.ynab)), state(&before));
}

/// What every tool says of itself fits, writes included.
#[test]
fn all_tools_fit_in_what_an_agent_is_given_to_read() {
    let mut stage = Stage::new();
    let listed = stage.session.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let said = |tool: &Value| {
        let said = json!({"name": tool["name"], "title": tool["title"], "description": tool["description"],
            "inputSchema": tool["inputSchema"]});
        said.to_string().len()
    };
    let bytes: usize = tools.iter().map(said).sum();
    assert!(bytes <= 26_000, "{bytes} bytes of words and arguments");
}

/// The question of each tool in three currencies.
#[test]
fn questions_in_euro_yen_and_dinar() {
    let mut told = String::new();
    for (currency, file, digits) in [
        ("EUR", household::FILE, 2),
        ("JPY", include_bytes!("../golden/yen/plan.json").as_slice(), 0),
        ("JOD", household::FILE, 3),
    ] {
        let mut file: Value = serde_json::from_slice(file).expect("a plan file");
        file["plans"][0]["currency_format"]["iso_code"] = json!(currency);
        file["plans"][0]["currency_format"]["decimal_digits"] = json!(digits);
        let ynab = Ynab::from_json(file.to_string().as_bytes()).expect("a plan file");
        let mut stage = Stage::on(Server::start(ynab), User::action("decline"));
        told.push_str(&format!("# {currency}\n"));
        let today = stage.ynab.ynab().today().to_string();
        for (tool, arguments) in calls(&file["plans"][0], digits, &today) {
            let answer = stage.session.call(tool, arguments);
            assert_eq!(answer.status(), "declined", "{currency} {tool}: {answer:?}");
            told.push_str(&format!("{}\n\n", stage.session.questions.pop().expect("a question")));
        }
    }
    golden("writes/questions.txt", &told);
}

/// A call of each tool that asks, in amounts as fine as the currency.
fn calls(plan: &Value, digits: u8, today: &str) -> Vec<(&'static str, Value)> {
    let fine = |amount: f64| match digits {
        0 => amount.round(),
        2 => amount,
        _ => amount + amount.signum() * 0.005,
    };
    let category = |name: &str| named(plan, "categories", name);
    let payee = |name: &str| named(plan, "payees", name);
    let rows = || crate::support::plan::live(plan, "transactions");
    let row = |payee: &str| {
        let payee = named(plan, "payees", payee);
        rows().find(|row| row["payee_id"] == payee.as_str()).expect("a transaction")["id"].clone()
    };
    let split =
        rows().find(|row| row["payee_id"] == payee("Nobody's refund").as_str()).expect("a transaction to split");
    let part = split["amount"].as_f64().expect("an amount") / 1000.0;
    let first = fine((part / 3.0 * 10.0).round() / 10.0);
    let month = json!("current");
    let account = named(plan, "accounts", "Everyday account");
    let balance: i64 = rows()
        .filter(|row| row["account_id"] == account.as_str() && row["cleared"] != "uncleared")
        .map(|row| row["amount"].as_i64().expect("an amount"))
        .sum();
    let with = |fields: Value| {
        let mut fields = fields;
        fields["plan_id"] = plan["id"].clone();
        fields
    };
    let waits = rows()
        .find(|row| row["account_id"] == account.as_str() && row["cleared"] == "uncleared")
        .expect("an uncleared transaction");
    let shown = waits["amount"].as_i64().expect("an amount");
    let units = |milliunits: i64| format!("{:.*}", usize::from(digits), milliunits as f64 / 1000.0);
    let parking = (fine(-4.35) * 1000.0).round() as i64;
    let statement = format!(
        "Date,Description,Amount,Balance\n{},SHOWN AT LAST,{},{}\n{today},PARKING GARE,{},{}\n",
        waits["date"].as_str().expect("a day"),
        units(shown),
        units(balance + shown),
        units(parking),
        units(balance + shown + parking)
    );
    vec![
        (
            "apply_categories",
            with(
                json!({ "assignments": [{ "transaction_id": row("Zero Corp"), "category_id": category("Groceries") }] }),
            ),
        ),
        (
            "set_category_budget",
            with(json!({ "month": month, "category_id": category("Restaurants"), "amount": fine(75.25) })),
        ),
        (
            "move_money",
            with(
                json!({ "month": month, "from_category_id": category("Sport"), "to_category_id": category("Restaurants"), "amount": fine(25.5) }),
            ),
        ),
        (
            "create_transactions",
            with(json!({ "account_id": account, "approved": true, "transactions": [
                { "date": today, "amount": fine(-12.5), "payee_name": "New shop", "memo": "lunch", "cleared": "uncleared" },
            ] })),
        ),
        (
            "split_transaction",
            with(json!({ "transaction_id": split["id"], "lines": [
                { "amount": first, "category_id": category("Groceries"), "memo": "food" },
                { "amount": ((part - first) * 1000.0).round() / 1000.0, "category_id": category("Books") },
            ] })),
        ),
        ("flag_transactions", with(json!({ "flags": [{ "transaction_id": row("Zero Corp"), "color": "yellow" }] }))),
        (
            "set_category_target",
            with(json!({ "category_id": category("Car repairs"), "amount": fine(80.5), "frequency": "weekly" })),
        ),
        ("update_category", with(json!({ "category_id": category("Books"), "name": "Reading" }))),
        (
            "create_category",
            with(json!({ "category_group_id": named(plan, "category_groups", "Fun"), "name": "L'été" })),
        ),
        ("rename_payee", with(json!({ "payee_id": payee("Twin shop"), "name": "L'ami d'en face" }))),
        ("apply_statement", with(json!({ "account_id": account, "content": statement }))),
        (
            "reconcile_account",
            with(json!({ "account_id": account, "bank_balance": balance as f64 / 1000.0 + fine(7.5), "adjust": true })),
        ),
    ]
}

/// Money for a month that the plan has not reached is refused with the months it has.
#[test]
fn money_for_a_month_that_the_plan_lacks_is_refused_with_those_it_has() {
    let mut stage = Stage::new();
    let budget = json!({ "plan_id": PLAN, "month": "2031-01-01", "category_id": FUEL, "amount": 10 });
    let move_money = json!({
        "plan_id": PLAN, "month": "2031-01-01", "from_category_id": FUEL, "to_category_id": FUEL, "amount": 10
    });
    for (tool, arguments) in [("set_category_budget", budget), ("move_money", move_money)] {
        let answer = stage.session.call(tool, arguments);
        let told = answer.text().starts_with("The plan has no month 2031-01-01. It has ");
        assert!(answer.is_refused() && told, "{tool}: {answer:?}");
    }
}

/// The same write is the same in both protocol generations.
#[test]
fn both_generations_write_alike() {
    let mut told = Vec::new();
    for era in ERAS {
        let ynab = household::server();
        let folder = Folder::new();
        let mut session = Setup::on(&ynab, &folder.journal()).era(era).user(User::yes()).open();
        for write in WRITES {
            let applied = session.call(write.tool, (write.arguments)());
            assert_eq!(applied.status(), "applied", "{era:?} {}: {applied:?}", write.name);
        }
        told.push(state(&export(&ynab)));
    }
    assert_eq!(told[0], told[1]);
}
