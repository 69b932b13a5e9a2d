"""Asks avenir-mcp 0.8.0's own functions about lives written by measure.rs; one line of JSON for each."""

import json
import sys
from datetime import date, timedelta
from pathlib import Path

from avenir_mcp import charges, forecast, schedule, triage
from avenir_mcp.classifier import normalize_payee


def listed(plan):
    """The plan's collections as YNAB's separate lists give them: names beside ids, lines under their transaction."""
    payees = {p["id"]: p["name"] for p in plan["payees"]}
    accounts = {a["id"]: a["name"] for a in plan["accounts"]}
    lines = {}
    for line in plan["subtransactions"]:
        lines.setdefault(line["transaction_id"], []).append(line)
    rows = [
        {**t, "payee_name": payees.get(t.get("payee_id")), "account_name": accounts[t["account_id"]],
         "subtransactions": lines.get(t["id"], [])}
        for t in plan["transactions"]
    ]
    schedules = [
        {**s, "payee_name": payees.get(s.get("payee_id")), "subtransactions": []} for s in plan["scheduled_transactions"]
    ]
    return rows, schedules


def balance(plan, rows, schedules, now, until):
    """What its forecast_balance tool does between reading and answering."""
    chosen = [a for a in plan["accounts"] if a["on_budget"] and not a["closed"]]
    ids = {a["id"] for a in chosen}
    history = [t for t in rows if t["account_id"] in ids]
    plans = [s for s in schedules if s["account_id"] in ids and s.get("transfer_account_id") not in ids]
    planned = frozenset((normalize_payee(s.get("payee_name") or ""), s["amount"] < 0) for s in plans)
    last = date.fromisoformat(until + "-01")
    last = (last.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    names = {c["id"]: c["name"] for c in plan["categories"]}
    accounts = {a["id"]: a["name"] for a in plan["accounts"]}
    upcoming = schedule.occurrences(plans, accounts, names, now + timedelta(days=1), last)
    known = [
        r for r in forecast.recurring(history, now) if not forecast.is_scheduled(r.payee, r.amount < 0, planned)
    ]
    spent, received = forecast.month_to_date(history, now, known, also=planned)
    return forecast.project(
        start_balance=sum(a["balance"] for a in chosen) / 1000,
        today=now,
        until=until,
        recurring=known,
        variable_monthly=forecast.variable_average(history, now, known, also=planned),
        monthly_income=forecast.income_average(history, now, known, also=planned),
        one_offs=[forecast.OneOff(date=date.fromisoformat(o.date), amount=o.amount, label=o.payee) for o in upcoming],
        spent_this_month=spent,
        received_this_month=received,
    )


for path in sorted(Path(sys.argv[1]).glob("*.json")):
    life = json.loads(path.read_text())
    plan, now = life["plan"], date.fromisoformat(life["today"])
    rows, schedules = listed(plan)
    off_budget = {a["id"] for a in plan["accounts"] if not a["on_budget"]}
    suggested = triage.prepare(rows, plan["categories"], limit=100_000, off_budget=off_budget)
    print(json.dumps({
        "suggestions": suggested.model_dump(mode="json"),
        "recurring": charges.find(rows, schedules, plan["categories"], now).model_dump(mode="json"),
        "forecast": balance(plan, rows, schedules, now, life["until"]).model_dump(mode="json"),
    }))
