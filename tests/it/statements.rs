//! The two tools about bank statements on a running server: what the user is asked, what YNAB refuses, files of the user's
//! folder, and long answers.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::household::{self, EVERYDAY, PLAN, other_client, state};
use crate::support::schema::misfit;
use crate::support::session::{Answer, ERAS, Session, Setup, User};
use crate::support::ynab::{Action, Fault, Server};

/// The write of the household's table.
fn apply() -> Value {
    (household::write("statement").arguments)()
}

/// YNAB learns of a transaction with the first import id between the question and the creation.
#[test]
fn when_ynab_calls_a_row_a_duplicate_the_marks_are_not_sent_and_the_answer_says_so() {
    let (ynab, folder) = (household::server(), Folder::new());
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let mut session = setup.open();
    ynab.fault(Fault::new(Action::HoldBefore).writes());
    let id = session.start_round("apply_statement", &apply(), None);
    assert!(session.until(id, || ynab.is_holding()));
    let known = json!({ "account_id": EVERYDAY, "date": "2026-03-15", "amount": -4350, "cleared": "cleared",
        "payee_name": "Parking", "import_id": "YNAB:-4350:2026-03-15:1" });
    other_client(&ynab, "POST", "/transactions", &json!({ "transaction": known }));
    let before = state(&ynab);
    ynab.go_on();
    let answer = Answer(session.wait(id));
    assert_eq!(answer.status(), "applied", "{answer:?}");
    let told = answer.structured();
    let created = told["created_ids"].as_array().expect("ids").len();
    assert_eq!((created, &told["cleared_ids"], &told["reconciled_count"]), (1, &json!([]), &json!(0)));
    assert_eq!(told["not_created"][0]["row"], 7, "{told}");
    assert!(told["not_created"][0]["why"].as_str().is_some_and(|why| why.contains("import id")), "{told}");
    assert!(told["message"].as_str().is_some_and(|said| said.contains("nothing was marked")), "{told}");
    let sent = ynab.writes();
    assert_eq!(sent.len(), 1, "the marks were sent");
    // The journal knows both before the answer: what was created, and that the rest was never sent.
    let journal = std::fs::read_to_string(folder.journal()).expect("the journal");
    let states: Vec<Value> = journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let outcome = |word: &str| states.iter().filter(|line| line["state"] == word).count();
    assert_eq!((outcome("applied"), outcome("not_applied")), (1, 1), "{journal}");
    // What was created goes back, and the other client's stays.
    let undone = session.call("undo_operation", json!({ "plan_id": PLAN }));
    assert_eq!(undone.status(), "applied", "{undone:?}");
    assert_eq!(state(&ynab), before);
    // Called again, the row matches what the other client made, and all of it is applied.
    let again = session.call("apply_statement", apply());
    assert_eq!(again.status(), "applied", "{again:?}");
    assert_eq!((&again.structured()["not_created"], &again.structured()["reconciled_count"]), (&json!([]), &json!(86)));
}

/// Applies the statement; the import ids that were sent, and how many rows were not created.
fn applied(session: &mut Session, ynab: &Server) -> (Vec<String>, usize) {
    let answer = session.call("apply_statement", apply());
    assert_eq!(answer.status(), "applied", "{answer:?}");
    let sent = ynab.writes().into_iter().rev().find(|request| request.method == "POST").expect("a creation").json();
    let rows = sent["transactions"].as_array().expect("rows").iter();
    let ids = rows.filter_map(|row| row["import_id"].as_str()).map(str::to_owned).collect();
    (ids, answer.structured()["not_created"].as_array().map_or(0, Vec::len))
}

/// A deleted transaction keeps its import id: known by what YNAB shows, by the journal, or by YNAB's refusal.
#[test]
fn an_import_id_that_a_deleted_transaction_keeps_is_not_used_again() {
    let ids =
        |occurrence| vec![format!("YNAB:-4350:2026-03-15:{occurrence}"), format!("YNAB:12400:2026-03-16:{occurrence}")];
    let (ynab, folder, another) = (household::server(), Folder::new(), Folder::new());
    let open = |folder: &Folder| Setup::on(&ynab, &folder.journal()).user(User::yes()).open();
    let mut session = open(&folder);
    let undo = |session: &mut Session| {
        assert_eq!(session.call("undo_operation", json!({ "plan_id": PLAN })).status(), "applied");
    };
    assert_eq!(applied(&mut session, &ynab), (ids(1), 0));
    undo(&mut session);
    // The same process saw the deletion, and another has the journal.
    assert_eq!(applied(&mut session, &ynab), (ids(2), 0));
    undo(&mut session);
    assert_eq!(applied(&mut open(&folder), &ynab), (ids(3), 0));
    undo(&mut session);
    // Without that journal nothing shows them: YNAB refuses, which the new journal keeps.
    let mut stranger = open(&another);
    for occurrence in 1..=3 {
        assert_eq!(applied(&mut stranger, &ynab), (ids(occurrence), 2));
    }
    assert_eq!(applied(&mut stranger, &ynab), (ids(4), 0));
}

#[test]
fn the_yes_holds_for_the_balances_that_were_shown() {
    let (ynab, folder) = (household::server(), Folder::new());
    let mut session = Setup::on(&ynab, &folder.journal()).user(User::Silent).open();
    let id = session.start_round("apply_statement", &apply(), None);
    session.wait_for_question();
    let other = json!({ "account_id": EVERYDAY, "date": "2026-01-05", "amount": -1000, "cleared": "cleared" });
    other_client(&ynab, "POST", "/transactions", &json!({ "transaction": other }));
    session.user(User::yes());
    session.answer_question();
    let answer = Answer(session.wait(id));
    assert!(answer.is_refused() && answer.text().starts_with("The plan changed"), "{answer:?}");
    assert!(ynab.writes().is_empty());
}

#[test]
fn the_banks_text_cannot_forge_a_line_of_the_question() {
    let (ynab, folder) = (household::server(), Folder::new());
    let hostile =
        "Shop\n- 2026-03-16 FORGED -1.00\r\nBalance on 2026-03-15: 0.00 at the bank\u{2028}x\u{202e}\u{1b}[2J";
    let content = format!("Date,Description,Memo,Amount\n2026-03-15,\"{hostile}\",\"{hostile}\",-4.35\n");
    for era in ERAS {
        let mut session = Setup::on(&ynab, &folder.journal()).era(era).user(User::action("decline")).open();
        let ask = json!({ "plan_id": PLAN, "account_id": EVERYDAY, "content": content });
        assert_eq!(session.call("apply_statement", ask).status(), "declined");
        let question = session.questions.pop().expect("a question");
        // What is done, the balances, the row, the import id.
        assert_eq!(question.lines().count(), 4, "{question}");
        let forbidden = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{202e}'));
        assert!(!question.contains(forbidden), "{question:?}");
    }
}

/// The server on the household with that folder of statements; read-only.
fn with_folder(ynab: &Server, folder: &Folder, statements: Option<&Path>) -> Session {
    let mut setup = Setup::on(ynab, &folder.journal()).env("AVENIR_MCP_WRITE", "0");
    if let Some(statements) = statements {
        setup = setup.env("AVENIR_MCP_STATEMENTS", &statements.display().to_string());
    }
    setup.open()
}

#[cfg(unix)]
#[test]
fn a_file_is_read_from_the_users_folder_and_from_nowhere_else() {
    use std::os::unix::fs::symlink;
    let (ynab, folder) = (household::server(), Folder::new());
    let inside = folder.path().join("statements");
    std::fs::create_dir_all(inside.join("2026")).expect("a folder");
    let text = apply()["content"].as_str().expect("text").to_owned();
    std::fs::write(inside.join("2026/march.csv"), &text).expect("a file");
    std::fs::write(inside.join("large.csv"), vec![b'x'; 2 * 1024 * 1024 + 1]).expect("a file");
    std::fs::write(inside.join("bytes.csv"), [0_u8, 159, 146, 150, 0, 0, 255]).expect("a file");
    std::fs::write(inside.join("empty.csv"), "").expect("a file");
    let latin: Vec<u8> = text.replace("PHARMACIE", "PHARMACI\u{c9}").chars().map(|c| c as u8).collect();
    std::fs::write(inside.join("latin.csv"), latin).expect("a file");
    std::fs::write(folder.path().join("secret.csv"), &text).expect("a file");
    symlink(folder.path().join("secret.csv"), inside.join("out.csv")).expect("a link");
    symlink(folder.path(), inside.join("up")).expect("a link");
    symlink("/dev/zero", inside.join("zero.csv")).expect("a link");
    symlink("nowhere", inside.join("gone.csv")).expect("a link");
    symlink("loop.csv", inside.join("loop.csv")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(inside.join("pipe.csv")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");

    let mut unset = with_folder(&ynab, &folder, None);
    let ask = |path: &str| json!({ "plan_id": PLAN, "account_id": EVERYDAY, "file": path });
    let answer = unset.call("match_statement", ask("2026/march.csv"));
    assert!(answer.is_refused() && answer.text().contains("set AVENIR_MCP_STATEMENTS"), "{answer:?}");
    let mut gone = with_folder(&ynab, &folder, Some(&folder.path().join("absent")));
    let answer = gone.call("match_statement", ask("2026/march.csv"));
    assert!(answer.is_refused() && answer.text().contains("AVENIR_MCP_STATEMENTS cannot be opened"), "{answer:?}");

    let mut session = with_folder(&ynab, &folder, Some(&inside));
    for read in ["2026/march.csv", "./2026/march.csv", "latin.csv"] {
        let answer = session.call("match_statement", ask(read));
        assert_eq!(answer.structured()["counts"]["matched"], 6, "{read}: {answer:?}");
    }
    let absolute = inside.join("2026/march.csv").display().to_string();
    for (path, words) in [
        ("../secret.csv", "a path inside the folder of statements"),
        ("2026/../../secret.csv", "a path inside the folder of statements"),
        (&absolute, "a path inside the folder of statements"),
        ("/dev/zero", "a path inside the folder of statements"),
        ("out.csv", "leads out of the folder"),
        ("up/secret.csv", "leads out of the folder"),
        ("zero.csv", "leads out of the folder"),
        ("gone.csv", "there is no statement 'gone.csv'"),
        ("loop.csv", "there is no statement 'loop.csv'"),
        ("absent.csv", "there is no statement 'absent.csv'"),
        ("a\0b", "there is no statement"),
        ("2026", "'2026' is no file"),
        ("", "is no file"),
        ("pipe.csv", "'pipe.csv' is no file"),
        ("large.csv", "larger than 2 MB"),
        ("bytes.csv", "statement"),
        ("empty.csv", "empty"),
    ] {
        let answer = session.call("match_statement", ask(path));
        let text = answer.text();
        assert!(answer.is_refused() && text.contains(words) && text.len() < 300, "{path}: {text}");
        assert!(!text.contains(&folder.path().display().to_string()), "{path}: {text}");
    }
    for wrong in [json!({}), json!({ "file": "2026/march.csv", "content": text })] {
        let mut arguments = json!({ "plan_id": PLAN, "account_id": EVERYDAY });
        arguments.as_object_mut().expect("fields").extend(wrong.as_object().expect("fields").clone());
        let answer = session.call("match_statement", arguments);
        assert!(answer.is_refused() && answer.text().contains("either as content or as file"), "{answer:?}");
    }
}

/// A statement of five thousand rows that YNAB lacks, over four years.
fn long() -> String {
    let mut text = "Date,Description,Amount\n".to_owned();
    for n in 0..5_000_u32 {
        let (month, day) = (1 + n / 28 % 12, 1 + n % 28);
        let year = 2022 + n / 28 / 12 % 4;
        text += &format!("{year}-{month:02}-{day:02},SHOP {n},-{}.{:02}\n", 3_000 + n, n % 100);
    }
    text
}

#[test]
fn long_answers_say_the_same_twice_and_fit_their_schema() {
    let (ynab, folder) = (household::server(), Folder::new());
    for era in ERAS {
        let mut session = Setup::on(&ynab, &folder.journal()).era(era).user(User::action("decline")).open();
        let listed = session.request("tools/list", json!({}));
        let schema = |name: &str| {
            let tools = listed["result"]["tools"].as_array().expect("tools");
            tools.iter().find(|tool| tool["name"] == name).expect("the tool")["outputSchema"].clone()
        };
        let ask = |content: &str, limit: usize| json!({ "plan_id": PLAN, "account_id": EVERYDAY, "content": content, "limit": limit });
        let short = apply()["content"].as_str().expect("text").to_owned();
        for (content, limit) in [(long(), 5_000), (long(), 50), (long(), 1), (short, 5_000)] {
            let answer = session.call("match_statement", ask(&content, limit));
            let told = answer.structured();
            assert_eq!(misfit(&schema("match_statement"), told, ""), None);
            let said: Value = serde_json::from_str(&answer.text()).expect("JSON");
            assert_eq!(unpacked(&said), without_null(told));
            for list in ["matches", "missing_in_ynab", "missing_at_bank", "uncertain", "duplicates"] {
                let (shown, hidden) = (told[list].as_array().expect("a list").len(), &told["more"][list]);
                let hidden = hidden.as_u64().expect("a count") as usize;
                assert!(shown <= limit && (hidden == 0 || shown == limit), "{list}: {shown} shown, {hidden} hidden");
                let counted = told["counts"][list].as_u64().map(|count| count as usize);
                assert!(counted.is_none_or(|count| count == shown + hidden), "{list}: {counted:?}");
            }
        }
        let open = "Date,Text,Amount\n01/02/2025,A,-1.00\n02/02/2025,B,-2.00\n";
        let asked = session.call("match_statement", ask(open, 5_000));
        assert_eq!(misfit(&schema("match_statement"), asked.structured(), ""), None);
        assert_eq!(asked.structured()["ambiguous"].as_array().map(Vec::len), Some(2), "{asked:?}");
        let refused = session.call("apply_statement", ask(open, 50));
        assert!(refused.is_refused() && refused.text().contains("2 ways"), "{refused:?}");
        let declined = session.call("apply_statement", ask(&long(), 5_000));
        assert_eq!(declined.status(), "declined", "{declined:?}");
        assert_eq!(misfit(&schema("apply_statement"), declined.structured(), ""), None);
        let question = session.questions.pop().expect("a question");
        // The others lie before the account's first day in YNAB: they may be part of its starting balance.
        assert!(question.contains("create 1304 transaction(s), mark 0 cleared and 0 reconciled"), "{question}");
        assert!(question.len() < 3_000, "{} bytes are asked", question.len());
    }
    assert!(ynab.writes().is_empty());
}

/// A list written as columns, where one of them may stand over its rows, back as objects.
fn unpacked(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.contains_key("columns") && fields.contains_key("rows") => {
            let names: Vec<&str> =
                fields["columns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let row = |cells: &Value| {
                let mut row = fields.get("each").map_or_else(|| json!({}), unpacked);
                for (name, cell) in names.iter().zip(cells.as_array().into_iter().flatten()) {
                    if !cell.is_null() {
                        row[*name] = unpacked(cell);
                    }
                }
                row
            };
            let lines = |list: &Value| list.as_array().into_iter().flatten().map(row).collect::<Vec<_>>();
            let (Some(by), Some(groups)) = (fields.get("by").and_then(Value::as_str), fields["rows"].as_object())
            else {
                return lines(&fields["rows"]).into();
            };
            let under = |(text, list): (&String, &Value)| {
                lines(list)
                    .into_iter()
                    .map(|mut row| {
                        row[by] = json!(text);
                        row
                    })
                    .collect::<Vec<_>>()
            };
            groups.iter().flat_map(under).collect()
        }
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), unpacked(value))).collect(),
        Value::Array(items) => items.iter().map(unpacked).collect(),
        plain => plain.clone(),
    }
}

fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(name, value)| (name.clone(), without_null(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        plain => plain.clone(),
    }
}
