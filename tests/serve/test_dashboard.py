"""The dashboard and the API page in a browser: what they show, live, on phones and desks, by day and by night."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from swapregret.learners.player import Decision
from swapregret.serve.database import open_store
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.processes.live_problem import Live
from swapregret.serve.view import view_json

pytestmark = [pytest.mark.serve, pytest.mark.browser]
Served = Any


def play(server: Served, problem: str, days: int) -> None:
    """Play some days in which the first element is the best."""
    made = server.decide(problem, days)
    items = [{"decision": each["id"], "reward": 0.9 if 0 in each["elements"] else 0.2} for each in made]
    assert server.post(f"/problems/{problem}/rewards", {"rewards": items}).json()["n_refused"] == 0


def wait(browser: Chrome, script: str) -> Any:
    """Wait until a script returns something."""
    return WebDriverWait(browser, 30).until(lambda b: b.execute_script(f"return {script}"))


@pytest.fixture
def page(browser: Chrome, server: Served) -> Iterator[Chrome]:
    """Return the browser with the dashboard of a problem of some hundred days."""
    problem = server.make(name="Shop window")
    for _ in range(10):
        play(server, problem, 20)
    server.decide(problem, 3)
    browser.get(f"{server.url}/#{problem}")
    wait(browser, "document.documentElement.dataset.ready")
    yield browser
    browser.get("about:blank")


def test_contexts_have_a_table(browser: Chrome, server: Served) -> None:
    """Reward and uplift are shown by context where there are contexts, and no empty table where there are none."""
    told, untold = (server.make(baseline=[0, 1], holdout=0.25) for _ in range(2))
    for day in range(12):
        for problem, more in ((told, {"context": ["mobile", "desktop"][day % 2]}), (untold, {})):
            (made,) = server.post(f"/problems/{problem}/decisions", more).json()["decisions"]
            server.post(f"/decisions/{made['id']}/reward", {"reward": 0.25 + 0.5 * (day % 2)})
    for problem, is_hidden in ((told, False), (untold, True)):
        browser.get("about:blank")
        browser.get(f"{server.url}/#{problem}")
        wait(browser, "document.documentElement.dataset.ready")
        assert browser.execute_script("return document.querySelector('#by-context').hidden") is is_hidden
        text = browser.execute_script("return document.querySelector('#contexts').innerText")
        rows = [re.sub(r"\s+", " ", line) for line in text.splitlines()]
        if not is_hidden:
            assert any(re.match(r"mobile 6 0?\.25 \S+ \(.+ to .+\)", row) for row in rows), rows
            assert any(row.startswith("desktop 6 0.75") for row in rows), rows
    browser.get("about:blank")


def test_everything_is_shown(page: Chrome) -> None:
    """Counts, rewards with a band, regret with its interval, marginals, shares, guard, open and latest decisions."""
    shown = page.execute_script(  # all at once: the page draws itself anew every second
        "const all = (s) => [...document.querySelectorAll(s)], c = document.querySelector('#heat canvas');"
        "const points = (id) => document.querySelector(`#${id} polyline`).getAttribute('points').split(' ').length;"
        "return {text: document.querySelector('main').innerText,"
        " facts: Object.fromEntries(all('#facts div').map((e) => [...e.children].map((x) => x.innerText))),"
        " bands: all('#rewards polygon.band, #regret polygon.band').length,"
        " points: [points('rewards'), points('regret')],"
        " colours: new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size,"
        " members: all('#parts text').map((e) => e.textContent), bars: all('#parts rect').length,"
        " open: all('#open tbody tr').length, latest: all('#latest tbody tr').length}"
    )
    assert "Shop window" in shown["text"]
    facts = shown["facts"]
    assert (facts["Decisions"], facts["Rewards"], facts["Open"], facts["State"]) == ("203", "200", "3", "open")
    assert shown["bands"] == 2
    assert min(shown["points"]) > 5
    assert shown["colours"] > 10
    assert {"scale 1", "exploration"} <= set(shown["members"])
    assert shown["bars"] >= 3
    assert (shown["open"], shown["latest"]) == (3, 20)


def test_regret_has_two_lines_a_time_axis_and_values(browser: Chrome, server: Served) -> None:
    """External and swap regret are lines on an axis that fits them, under it are times, and the pointer shows the values."""
    problem = server.make(name="Two lines", preset="adaptive", set="msets 4 2")
    for _ in range(8):
        play(server, problem, 20)
    browser.get(f"{server.url}/#{problem}")
    wait(browser, "document.documentElement.dataset.ready")
    lines = browser.execute_script(
        "const all = (s) => [...document.querySelectorAll(`#regret ${s}`)];"
        "return all('polyline').map((e) => e.getAttribute('points').split(' ').map((p) => Number(p.split(',')[1])))"
    )
    assert [len(each) > 3 for each in lines] == [True, True]
    heights = [y for line in lines for y in line]
    assert max(heights) - min(heights) > 100  # of 190 pixels
    words = browser.execute_script("return document.querySelector('#regret p').textContent")
    assert "the two may cross" in words
    members = browser.execute_script("return document.querySelector('#parts p').textContent")
    for word in ("Steady never forgets", "Uniform draws", "Experts say", "The guard trips once"):
        assert word in members
    assert re.search(r"\d\d:\d\d", browser.execute_script("return document.querySelector('#rewards svg').textContent"))
    told = browser.execute_script(
        "const e = document.querySelector('#regret svg'), box = e.getBoundingClientRect();"
        "const at = { clientX: box.left + 0.7 * box.width, clientY: box.top + 50 };"
        "e.dispatchEvent(new PointerEvent('pointermove', at)); return e.querySelector('.told').textContent"
    )
    assert re.search(r"decision \d+.*external -?[\d.]+ \(.*\)swap [\d.]+", told), told
    browser.get("about:blank")


def test_an_axis_fits_what_it_is_to_fit(browser: Chrome, server: Served) -> None:
    """The early days that are left out of account do not set the axis; it has three ticks or more, all different."""
    browser.get(f"{server.url}/")
    for high in (0.101, 0.13, 0.2, 0.9, 3.0, 70.0, 1999.0):
        texts = browser.execute_async_script(
            "const [high, done] = arguments, host = document.createElement('div'); document.body.append(host);"
            "import('/pages/charts.js').then(({ lineChart }) => {"
            " const points = [...Array(100).keys()].map((x) => ({ x, y: x < 9 ? -1e5 : 0.1 + (high - 0.1) * x / 99 }));"
            " lineChart(host, [{ name: 'a', points }], '', () => 0, 0.5);"
            " done([...host.querySelectorAll('line.grid[x2] + text')].filter((e) => e.getAttribute('x') < 60)"
            "  .map((e) => e.textContent)); })",
            high,
        )
        heights = [float(each.replace(",", "")) for each in texts]
        assert len(set(heights)) == len(heights) >= 3, texts
        assert min(heights) > 0.0
        assert max(heights) < 2.0 * high
    browser.get("about:blank")


def test_filters_export_and_archive(browser: Chrome, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is filtered by state and age, the log of a problem is saved, and a problem is archived after a question."""
    old, problem = server.make(name="Archived before"), server.make(name="To archive")
    server.post(f"/problems/{old}/archive")
    play(server, problem, 5)
    browser.get(f"{server.url}/#{problem}")
    wait(browser, "document.documentElement.dataset.ready")
    choose = "const s = document.querySelector('{}'); s.value = '{}'; s.dispatchEvent(new Event('change'))"
    names = "document.querySelector('#list').innerText.includes('{}')"
    browser.execute_script(choose.format("#by-state", "archived"))
    wait(browser, names.format("Archived before") + " && !" + names.format("To archive"))
    browser.execute_script(choose.format("#by-age", "3600"))
    browser.execute_script(choose.format("#by-state", "open"))
    wait(browser, names.format("To archive") + " && !" + names.format("Archived before"))
    browser.execute_script("document.querySelector('#export').click()")
    wait(browser, "document.querySelector('#state').textContent.includes('saved')")
    browser.execute_script("window.confirm = () => true; document.querySelector('#archive').click()")
    wait(browser, "document.querySelector('#archive').hidden")
    assert server.http.get(f"/problems/{problem}").json()["state"] == "archived"
    browser.get("about:blank")


def test_it_is_live(page: Chrome, server: Served) -> None:
    """A decision made elsewhere appears without a reload, and the list of problems keeps up."""
    problem = page.current_url.split("#")[1]
    before = int(page.execute_script("return document.documentElement.dataset.ready"))
    play(server, problem, 5)
    wait(page, f"Number(document.documentElement.dataset.ready) === {before + 10}")
    assert "208" in page.find_element(By.ID, "facts").text
    server.make(name="Another one")
    wait(page, "document.querySelector('#list').innerText.includes('Another one')")


@pytest.mark.parametrize("width", [390, 768, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(page: Chrome, width: int, scheme: str) -> None:
    """No width makes the page scroll sideways, and text stands out from its background by 4.5 to 1 or more."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    wait(page, f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}")
    for selector in ("h2", "#state", "#what", "#facts dd", "figcaption p", "a", "td"):
        ink, back = page.execute_script(
            "const e = document.querySelector('main ' + arguments[0]) || document.querySelector(arguments[0]);"
            "let b = e; while (b && getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)') b = b.parentElement;"
            "return [getComputedStyle(e).color, getComputedStyle(b || document.body).backgroundColor]",
            selector,
        )
        if "rgba" not in back:
            assert contrast(ink, back) >= 4.5, (selector, ink, back)


def contrast(ink: str, back: str) -> float:
    """Return the contrast of two colours as WCAG defines it."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted((light(ink), light(back)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21 to 1; grey on white is told apart from it."""
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21.0)
    assert contrast("rgb(150, 150, 150)", "rgb(255, 255, 255)") < 4.5


def test_keyboard_and_screen_reader(page: Chrome, server: Served) -> None:
    """The list is walked with the keyboard, figures say in words what they show, and every table is named."""
    other = server.make(name="By keyboard")
    wait(page, "document.querySelector('#list').innerText.includes('By keyboard')")
    page.execute_script(f"document.querySelector('#list a[href=\"#{other}\"]').focus()")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    wait(
        page,
        "document.querySelector('#title').textContent === 'By keyboard' && document.activeElement.id === 'problem'",
    )
    told = page.execute_script(
        "const figures = [...document.querySelectorAll('figure .plot > *')];"
        "return figures.map((e) => [e.getAttribute('role'), e.getAttribute('aria-label')])"
    )
    assert len(told) == 4
    for role, label in told:
        assert role == "img"
        assert len(label) > 10
    assert page.execute_script("return [...document.querySelectorAll('article table')].every(t => t.caption)")
    assert page.execute_script("return document.querySelectorAll('[role=status]').length") == 1
    assert page.execute_script("return document.documentElement.lang") == "en"


def test_keys_are_asked_for(browser: Chrome, serve: Callable[..., Served]) -> None:
    """Where keys are in use the page asks for one, keeps it out of addresses, and shows the problems then."""
    from swapregret.serve.keys import create_key

    server = serve()
    server.make(name="Secret problem")
    store = open_store(server.database)
    key = create_key(store, "read", "dashboard")
    store.close()
    server.stop()
    server.start()
    browser.get(server.url)
    wait(browser, "!document.querySelector('#login').hidden")
    browser.get_log("browser")  # the refusal is on the console
    browser.find_element(By.ID, "key").send_keys(key + Keys.ENTER)
    wait(browser, "document.querySelector('#title').textContent === 'Secret problem'")
    assert key not in browser.current_url
    assert key not in server.text()
    browser.get("about:blank")
    browser.get_log("browser")


def test_the_api_page_describes_every_route(browser: Chrome, server: Served) -> None:
    """The API page lists every operation with its fields, from this server alone."""
    browser.get(f"{server.url}/docs")
    wait(browser, "document.documentElement.dataset.ready")
    text = browser.find_element(By.TAG_NAME, "main").text
    described = json.loads(server.http.get("/openapi.json").text)
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in text
    for field in ("cost_range", "default_reward", "n_refused", "marginals"):
        assert field in text
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    )
    wait(browser, "document.documentElement.scrollWidth <= 390")


def test_the_api_page_tries_things_out(browser: Chrome, server: Served) -> None:
    """A form of the API page sends its request and shows what came back; no name in the description is private."""
    browser.get(f"{server.url}/docs")
    wait(browser, "document.documentElement.dataset.ready")
    browser.execute_script(
        "const box = document.querySelector('#create_problem .trial'); box.open = true;"
        'box.querySelector(\'textarea\').value = \'{"set": "msets 5 2", "horison": 5}\';'
        "box.querySelector('form').requestSubmit()"
    )
    told = wait(browser, "document.querySelector('#create_problem .trial pre').textContent")
    assert told.startswith("422")
    assert r"Did you mean \"horizon\"?" in told
    browser.get_log("browser")  # the refusal is on the console
    names = re.findall(r'"(?:operationId|\$ref)": ?"([^"]*)"', server.http.get("/openapi.json").text)
    assert len(names) > 20
    assert not [name for name in names if name.rpartition("/")[2].startswith("_") or "__" in name]
    browser.get("about:blank")


def test_a_million_events(browser: Chrome, serve: Callable[..., Served], tmp_path: Path) -> None:
    """After a million events the view is as small as after a thousand, and the page draws it."""
    database = f"sqlite:///{tmp_path}/million.db"
    spec = ProblemSpec(set="msets 5 2", horizon=10**6, preset="multiscale", seed=7)
    live = Live("million", Problem(spec, 100))
    live.act(0.0)
    decision = live.open[0].decision
    live.close(0, "reward", 0.5, 0.0)
    small = len(json.dumps(view_json(live, 0.0)))
    rng = np.random.default_rng(0)
    for day in range(0, 500_000, 10):
        same = Decision(day, decision.action, live.problem.actions, decision.policy)
        live.history.decided(same)
        live.history.rewarded(same, value := float(rng.random()), value, live.problem.reader)
    live.totals |= {"n_decisions": 500_000, "n_rewards": 500_000, "reward_sum": 250_000.0}
    live.seq = 1_000_000
    assert small < len(json.dumps(view_json(live, 0.0))) < 60_000
    store = open_store(database)
    with store.transaction() as connection:
        store.add_problem(connection, "million", "A million", spec.model_dump(mode="json"), 0.0)
    assert store.take("million", "test", "", None)
    with store.transaction() as connection:
        store.append(connection, "million", "test", [], {"seq": live.seq, "compacted": live.seq, **live.totals})
        store.keep_snapshot(connection, "million", *live.snapshot())
    store.release("test")
    store.close()
    server = serve(database)
    browser.get(server.url)
    assert wait(browser, "document.documentElement.dataset.ready") == "1000000"
    assert "500,000" in browser.find_element(By.ID, "facts").text
    assert len(browser.find_element(By.CSS_SELECTOR, "#rewards polyline").get_attribute("points").split()) > 60
    browser.get("about:blank")
