"""Searches the directory, asks the router for a decision, and lists the runs of the panel.

Needs Python 3.9 or newer and nothing else. `triptych_types.py` is generated: see README.md.
"""

import json
import os
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from triptych_types import ItemsPage, RouteDecision, RunPage

TIMEOUT_SECONDS = 10
VARIABLES = ["DIRECTORY_URL", "DIRECTORY_KEY", "ROUTER_URL", "PANEL_URL", "PANEL_TOKEN"]


class ProblemError(Exception):
    """An error response: RFC 9457 problem details."""

    def __init__(self, status, problem):
        issues = [f"{issue['path']}: {issue['message']}" for issue in problem.get("errors", [])]
        super().__init__("; ".join([f"{status} {problem['code']}: {problem['detail']}", *issues]))


def call(url, token=None, body=None):
    """Sends one request and returns the parsed JSON."""
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    try:
        with urlopen(Request(url, data, headers), timeout=TIMEOUT_SECONDS) as response:
            return json.load(response)
    except HTTPError as error:
        raise ProblemError(error.code, json.load(error)) from None


def search(url, key, text):
    query = urlencode({"q": text, "limit": 3})
    return ItemsPage.from_dict(call(f"{url}/api/items?{query}", key))


def decide(url, state):
    return RouteDecision.from_dict(call(f"{url}/v1/route", body={"state": state}))


def list_runs(url, token):
    return RunPage.from_dict(call(f"{url}/api/runs?limit=5", token))


def main():
    missing = [name for name in VARIABLES if not os.environ.get(name)]
    if missing:
        print(f"Set {', '.join(missing)}.", file=sys.stderr)
        return 2
    directory, key, router, panel, token = (os.environ[name] for name in VARIABLES)
    try:
        page = search(directory, key, "rennes")
        print(f"directory: {page.total} items")
        for item in page.items:
            print(f"  {item.title} ({item.type.value}, {item.departement.nom if item.departement else 'unknown'})")
        decision = decide(router, "What is the weather in Paris tomorrow?")
        print(f"router: {decision.action.value} {decision.route} with confidence {decision.confidence:.2f}")
        runs = list_runs(panel, token).items
        print(f"panel: {len(runs)} runs")
        for run in runs:
            print(f"  {run.repo_name}: {run.kind.value} run is {run.state.value}")
    except (ProblemError, URLError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
