"""A report of real results, opened in a browser as people do: looked at, clicked, moved, read back."""

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.experiments.report.live_report import LiveReport
from swapregret.experiments.report.small_pages import gains_page
from swapregret.experiments.runs.runner import read_plan, run_plan
from swapregret.results import load_experiment

pytestmark = pytest.mark.browser

_SPEC = """
name = "In a browser"
seed = 3
replications = 2
horizons = 96
sets = [
    { kind = "paths", name = "diamond", source = "s", sink = "t", edges = [["s","a"], ["s","b"], ["a","t"], ["b","t"], ["s","t"]] },
    "msets 4 2",
]
environments = ["cyclic", "iid"]
players = [{ kind = "swap_combcp", name = "multiscale", preset = "multiscale" }, "uniform"]
measure = { certificate = true }
checkpoints = { first = 6 }
"""
PANELS = ("regret", "reward", "versus", "lemma", "calendar", "time", "graph")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of results with the report that the command wrote."""
    home = tmp_path_factory.mktemp("experiment")
    (home / "spec.toml").write_text(_SPEC, encoding="utf-8")
    plan, spec = read_plan(home / "spec.toml")
    assert run_plan(plan, spec, home / "out", jobs=1).failures == []
    done = CliRunner().invoke(app, ["report", str(home / "out")])
    assert done.exit_code == 0, done.output
    return home / "out"


@pytest.fixture
def page(browser: Chrome, folder: Path) -> Chrome:
    """Return the browser with the report open."""
    return opened(browser, folder / "report.html")


def opened(browser: Chrome, path: Path) -> Chrome:
    """Open a report and wait until its figures are drawn."""
    browser.get(path.as_uri())
    WebDriverWait(browser, 30).until(lambda b: b.execute_script("return document.documentElement.dataset.ready"))
    return browser


def plot(page: Chrome, panel: str, what: str) -> Any:
    """Return something of a figure as Plotly holds it."""
    return page.execute_script(f"return document.querySelector('#{panel} .plot').{what}")


def heights(page: Chrome) -> list[int]:
    """Return how high the figures are; each element must be as high as what is drawn in it."""
    pairs = page.execute_script(
        "return [...document.querySelectorAll('.plot')].filter((each) => each._fullLayout)"
        ".map((each) => [each.offsetHeight, each._fullLayout.height])"
    )
    assert all(abs(box - drawn) < 1 for box, drawn in pairs), pairs
    return [drawn for _, drawn in pairs]


def cell(folder: Path, player: str, set_name: str = "diamond", environment: str = "cyclic") -> dict[str, Any]:
    """Return the last row of a cell of the results."""
    rows = sr.load_cells(folder).filter(
        pl.col("player") == player, pl.col("set") == set_name, pl.col("environment") == environment
    )
    return rows.sort("day").row(-1, named=True)


def test_it_opens_alone_and_in_silence(page: Chrome) -> None:
    """All figures are drawn without a request to anywhere or a word on the console, and nothing offers to upload them."""
    assert page.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []
    for panel in PANELS:
        assert len(page.find_elements(By.CSS_SELECTOR, f"#{panel} .plot svg.main-svg")) > 0, panel
    titles = {each.get_attribute("data-title") for each in page.find_elements(By.CSS_SELECTOR, ".modebar-btn")}
    assert titles == {"Zoom", "Pan", "Reset axes"}


def test_a_click_on_the_legend_hides_the_line_and_its_band(page: Chrome) -> None:
    """The first click takes a player away, band and all, the second brings it back."""

    def visible() -> list[Any]:
        return [trace.get("visible", True) for trace in plot(page, "regret", "data") if trace["name"] == "multiscale"]

    entry = next(
        each
        for each in page.find_elements(By.CSS_SELECTOR, "#regret .legend .traces")
        if each.find_element(By.CSS_SELECTOR, ".legendtext").text == "multiscale"
    )
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", entry)
    assert visible() == [True, True]
    for expected in ("legendonly", True):
        entry.find_element(By.CSS_SELECTOR, ".legendtoggle").click()
        WebDriverWait(page, 10).until(lambda _, expected=expected: visible() == [expected, expected])
        entry = next(
            each
            for each in page.find_elements(By.CSS_SELECTOR, "#regret .legend .traces")
            if each.find_element(By.CSS_SELECTOR, ".legendtext").text == "multiscale"
        )


def test_figures_and_table_hold_the_numbers_of_the_results(page: Chrome, folder: Path) -> None:
    """Curves end at the swap regret of the results, and the table has the same numbers, the best of them bold."""
    numbers = {name: cell(folder, name) for name in ("multiscale", "uniform")}
    for panel, column in (("regret", "swap_per_round"), ("reward", "reward")):
        ends = {
            each["name"]: each["y"][-1] for each in plot(page, panel, "data") if each.get("mode") == "lines+markers"
        }
        assert ends == pytest.approx({name: row[column] for name, row in numbers.items()}, rel=1e-5)
    rows = [row for row in shown_rows(page, "table") if re.match(r"diamond \(.*\)\s+cyclic\s+96", row.text)]
    assert len(rows) == 2
    for row in rows:
        wanted = numbers[row.find_element(By.CSS_SELECTOR, "td[data-label=player]").text]
        swap = row.find_element(By.CSS_SELECTOR, "td[data-label='swap regret per day']")
        assert float(swap.get_attribute("data-value") or "nan") == wanted["swap_per_round"]
        assert swap.text.startswith(f"{wanted['swap_per_round']:.4f}")
        assert f"{wanted['swap_high_per_round']:.4f}]" in swap.text
        lowest = min(each["swap_per_round"] for each in numbers.values())
        assert bool(swap.find_elements(By.CSS_SELECTOR, "b")) == (wanted["swap_per_round"] == lowest)


def test_the_slider_shows_the_policy_of_each_day(page: Chrome, folder: Path) -> None:
    """It starts at the end; arrow keys move through the checkpoints; edges are as thick as their recorded probability."""
    experiment = load_experiment(folder)
    run = next(each for each in experiment.finished if (each.set, each.environment) == ("diamond", "cyclic"))
    detail = experiment.detail(run)
    slider = page.find_element(By.CSS_SELECTOR, "#graph input[type=range]")
    assert page.find_element(By.CSS_SELECTOR, "#graph output").text == f"after day {detail.days[-1]}"
    slider.send_keys(Keys.HOME)
    for index, day in enumerate(detail.days.tolist()):
        if index:
            slider.send_keys(Keys.ARROW_RIGHT)
        assert page.find_element(By.CSS_SELECTOR, "#graph output").text == f"after day {day}"
        widths = [trace["line"]["width"] for trace in plot(page, "graph", "data")[:5]]
        assert np.allclose((np.array(widths) - 0.5) / 12.0, detail.marginals[index], atol=6e-4)
    texts = plot(page, "graph", "data")[5]["text"]
    assert texts[0] == f"s → a: {detail.marginals[-1][0]:.3f}"
    drawn = page.execute_script(
        "return [...document.querySelectorAll('#graph .scatterlayer .js-line')].map("
        "(line) => parseFloat(getComputedStyle(line).strokeWidth))"
    )
    assert np.allclose(sorted(drawn), sorted(widths), atol=0.01)


def test_axes_are_logarithmic_or_linear(page: Chrome) -> None:
    """The switch changes both axes and back, and says which it is."""
    for kind in ("linear", "log", "linear"):
        page.find_element(By.CSS_SELECTOR, f"#regret [data-axes={kind}]").click()
        assert [plot(page, "regret", f"_fullLayout.{axis}.type") for axis in ("xaxis", "yaxis")] == [kind, kind]
        assert page.find_element(By.CSS_SELECTOR, "#regret [aria-pressed=true]").get_attribute("data-axes") == kind
        assert len(page.find_elements(By.CSS_SELECTOR, "#regret .xtick")) > 1


def test_another_case_shows_its_own_figures(page: Chrome, folder: Path) -> None:
    """The list of cases changes curves and words, and turns the graph into a map for a set that has none."""
    before = page.find_element(By.CSS_SELECTOR, "#regret .note").text
    Select(page.find_element(By.ID, "case")).select_by_visible_text("msets 4 2 · iid · T = 96")
    ends = {each["name"]: each["y"][-1] for each in plot(page, "regret", "data") if each.get("mode") == "lines+markers"}
    assert ends["uniform"] == pytest.approx(cell(folder, "uniform", "msets 4 2", "iid")["swap_per_round"], rel=1e-5)
    assert plot(page, "graph", "data[0].type") == "heatmap"
    assert not page.find_element(By.CSS_SELECTOR, "#graph .slider").is_displayed()
    assert page.find_element(By.CSS_SELECTOR, "#regret .note").text != before


def test_a_phone_needs_no_sideways_scrolling(page: Chrome) -> None:
    """At 390 pixels nothing is wider than the screen, figures are drawn at its width, and table rows become cards."""
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    WebDriverWait(page, 10).until(lambda _: plot(page, "regret", "_fullLayout.width") <= 390)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert min(heights(page)) > 200
    wide = page.execute_script(
        "return [...document.querySelectorAll('main, section, td, th, p, pre, select, .plot, .legend')]"
        ".filter((each) => each.getBoundingClientRect().right > 391).map((each) => each.className || each.tagName)"
    )
    assert wide == []
    heading = page.find_element(By.CSS_SELECTOR, "table.results thead")
    assert not heading.is_displayed()
    hints = page.execute_script(
        "return [...document.querySelectorAll('table.results td[title]')]"
        ".map((each) => [`\"${each.title}\"`, getComputedStyle(each, '::after').content])"
    )
    assert {hint.split(":")[0] for hint, _ in hints} >= {'"each run with a best rule of its own, then the mean'}
    assert [shown for _, shown in hints] == [hint for hint, _ in hints], "no finger can point at a number"


def test_figures_keep_their_height_when_the_window_changes(page: Chrome) -> None:
    """Whatever the width becomes, every figure is as high as its drawing, and nothing runs into what follows."""
    before = heights(page)
    for width in (1000, 700, 1280):
        window = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
        WebDriverWait(page, 10).until(lambda _, width=width: plot(page, "time", "_fullLayout.width") < width)
        assert heights(page) == before


def test_dark_and_print_have_their_own_ink(page: Chrome) -> None:
    """Letters of figures follow the system's scheme while the page is open; paper is white whatever the screen was."""

    def ink() -> str:
        return str(plot(page, "regret", "_fullLayout.font.color"))

    light = ink()
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    WebDriverWait(page, 10).until(lambda _: ink() != light)
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    WebDriverWait(page, 10).until(lambda _: ink() == "#000000")
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.find_element(By.CSS_SELECTOR, "#regret .switch").is_displayed()
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF")


def shown_rows(page: Chrome, table: str) -> list[Any]:
    """Return the rows of a table that are not filtered away."""
    rows = page.find_elements(By.CSS_SELECTOR, f"#{table} table.results tbody tr")
    return [row for row in rows if row.is_displayed()]


def test_it_begins_with_who_earns_most_and_who_regrets_least(page: Chrome, folder: Path) -> None:
    """The summary comes before the table; its leader of a case is that of the results."""
    order = page.execute_script("return [...document.querySelectorAll('section')].map((each) => each.id)")
    assert order[:2] == ["summary", "table"]
    row = next(each for each in shown_rows(page, "summary") if each.text.startswith("diamond · cyclic"))
    ends = {name: cell(folder, name) for name in ("multiscale", "uniform")}
    richest = max(ends, key=lambda name: ends[name]["reward"])
    calmest = min(ends, key=lambda name: ends[name]["swap_per_round"])
    assert row.find_element(By.CSS_SELECTOR, "td[data-label='earns most']").text == richest
    assert row.find_element(By.CSS_SELECTOR, "td[data-label='regrets least']").text == calmest
    told = row.find_element(By.CSS_SELECTOR, "td[data-label='swap regret']")
    assert float(told.get_attribute("data-value") or "nan") == ends[calmest]["swap_per_round"]


def test_a_table_sorts_by_a_click(page: Chrome) -> None:
    """The first click on a heading sorts upwards, the second downwards, by the number and not by its text."""
    head = next(
        each
        for each in page.find_elements(By.CSS_SELECTOR, "#table thead th")
        if each.text.startswith("swap regret per day")
    )
    for direction in ("ascending", "descending"):
        head.find_element(By.CSS_SELECTOR, "button").click()
        assert head.get_attribute("aria-sort") == direction
        cells = [
            row.find_element(By.CSS_SELECTOR, "td[data-label='swap regret per day']")
            for row in shown_rows(page, "table")
        ]
        values = [float(cell.get_attribute("data-value") or "nan") for cell in cells]
        assert values == sorted(values, reverse=direction == "descending")
        assert len(values) == 8


def test_a_table_filters_by_words(page: Chrome) -> None:
    """All words must be in a row; the count is told; an empty filter brings everything back."""
    search = page.find_element(By.CSS_SELECTOR, "#table input[type=search]")
    search.send_keys("diamond uniform")
    assert len(shown_rows(page, "table")) == 2
    assert page.find_element(By.CSS_SELECTOR, "#table .tools output").text == "2 of 8 rows"
    search.send_keys(Keys.CONTROL, "a", Keys.BACKSPACE)
    assert len(shown_rows(page, "table")) == 8
    search.send_keys("diamond uniform iid")
    assert page.find_element(By.CSS_SELECTOR, "#table .tools output").text == "1 of 8 rows"


@pytest.mark.parametrize("width", [1400, 390])
def test_text_is_to_the_left_and_numbers_to_the_right(page: Chrome, width: int) -> None:
    """What stands in a cell is set to the right where it is a number, and to the left where it is not."""
    window = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
    cells = page.execute_script(
        "return [...document.querySelectorAll('#summary td, #table td')]"
        ".map((each) => [each.dataset.value !== undefined, getComputedStyle(each.querySelector('.cell')).textAlign])"
    )
    assert {tuple(each) for each in cells} == {(False, "left"), (True, "right")}


def test_a_table_of_one_row_says_so(browser: Chrome, tmp_path: Path) -> None:
    """One row is one row; and bars with long names keep most of a phone's width."""
    actions = sr.MSets(
        3, 1, labels=["a first choice with a long name", "a second one that is as long", "and the third one"]
    )
    report = sr.audit(actions, [[actions.labels[0]]] * 5, [[0.1, 0.9, 0.2]] * 5)
    path = tmp_path / "gains.html"
    path.write_text(gains_page(report.best_swap, "Gains"), encoding="utf-8")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page = opened(browser, path)
    assert page.find_element(By.CSS_SELECTOR, ".tools output").text == "1 row"
    assert plot(page, "gains", "_fullLayout._size.w") > 195


def saved(page: Chrome, folder: Path, button: str, ending: str) -> Path:
    """Click a button and return the file that was downloaded."""
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    clicked = page.find_element(By.CSS_SELECTOR, button)
    page.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", clicked)
    WebDriverWait(page, 30).until(lambda _: [*folder.glob(f"*.{ending}")])
    (path,) = folder.glob(f"*.{ending}")
    WebDriverWait(page, 10).until(lambda _: path.stat().st_size > 0)
    return path


def test_a_table_can_be_downloaded(page: Chrome, folder: Path, tmp_path: Path) -> None:
    """The file has the rows that are shown, with values, and the ends of their intervals in columns of their own."""
    page.find_element(By.CSS_SELECTOR, "#table input[type=search]").send_keys("diamond cyclic")
    path = saved(page, tmp_path, "#table [data-download=csv]", "csv")
    table = pl.read_csv(path)
    assert table["player"].to_list() == ["multiscale", "uniform"]
    wanted = [cell(folder, name) for name in ("multiscale", "uniform")]
    assert table["swap regret per day"].to_list() == pytest.approx([row["swap_per_round"] for row in wanted])
    highs = table["swap regret per day high"].to_list()
    assert highs == pytest.approx([row["swap_high_per_round"] for row in wanted])
    assert table["T"].to_list() == [96, 96]


def test_a_figure_can_be_downloaded(page: Chrome, folder: Path, tmp_path: Path) -> None:
    """The numbers behind a figure are a CSV file, and the figure with its title is a PNG file."""
    path = saved(page, tmp_path, "#regret [data-download=csv]", "csv")
    table = pl.read_csv(path).filter(pl.col("series") == "multiscale")
    assert table.columns == ["series", "day", "swap regret per day", "low", "high"]
    assert table["swap regret per day"][-1] == pytest.approx(cell(folder, "multiscale")["swap_per_round"], rel=1e-5)
    assert "diamond" in path.name
    picture = saved(page, tmp_path, "#regret [data-download=png]", "png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) >= 2 * 640


def test_a_figure_has_a_title_and_answers_the_mouse(page: Chrome) -> None:
    """Every figure says what it shows and of which case; the value under the mouse is told with its interval."""
    title = plot(page, "regret", "_fullLayout.title.text")
    assert title == "<b>Swap regret per day</b><br>diamond · cyclic · T = 96"
    point = page.find_elements(By.CSS_SELECTOR, "#regret .scatterlayer .point")[0]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(page).move_to_element(point).perform()
    WebDriverWait(page, 10).until(lambda _: page.find_elements(By.CSS_SELECTOR, "#regret .hoverlayer text"))
    text = " ".join(each.text for each in page.find_elements(By.CSS_SELECTOR, "#regret .hoverlayer text"))
    assert "day" in text
    assert "[" in text


def test_a_band_does_not_set_the_height_of_a_logarithmic_axis(page: Chrome) -> None:
    """The axis reaches from a third of the smallest value to twice the largest, whatever the bands do, after a switch too."""
    lines = [each for each in plot(page, "regret", "data") if each.get("mode") == "lines+markers"]
    values = [value for line in lines for value in line["y"] if value > 0]
    wanted = [np.log10(max(min(values) / 3, 2e-5 * max(values))), np.log10(2 * max(values))]
    assert plot(page, "regret", "_fullLayout.yaxis.range") == pytest.approx(wanted, abs=1e-4)
    for kind in ("linear", "log"):
        page.find_element(By.CSS_SELECTOR, f"#regret [data-axes={kind}]").click()
    assert plot(page, "regret", "_fullLayout.yaxis.range") == pytest.approx(wanted, abs=1e-4)


def test_two_campaigns_are_compared(browser: Chrome, folder: Path, tmp_path: Path) -> None:
    """The page opens with what changed; the players of both are in one figure; the table sorts."""
    other = tmp_path / "other"
    (tmp_path / "spec.toml").write_text(
        _SPEC.replace("In a browser", "Again").replace("iid", "spiral"), encoding="utf-8"
    )
    plan, spec = read_plan(tmp_path / "spec.toml")
    assert run_plan(plan, spec, other, jobs=1).failures == []
    done = CliRunner().invoke(app, ["report", str(folder), str(other), "--out", str(tmp_path / "both.html")])
    assert done.exit_code == 0, done.output
    page = opened(browser, tmp_path / "both.html")
    order = page.execute_script("return [...document.querySelectorAll('section')].map((each) => each.id)")
    assert order[:3] == ["settings", "changes", "summary"]
    assert [row.text.split(" ")[0] for row in shown_rows(page, "settings")] == ["environments"] * 2
    assert "the same in 4 of 4 comparisons" in page.find_element(By.ID, "changes").text
    assert "Only in Again" in page.find_element(By.ID, "settings").text
    names = {each["name"] for each in plot(page, "regret", "data")}
    assert names == {f"{name} ({where})" for name in ("multiscale", "uniform") for where in ("In a browser", "Again")}
    page.find_element(By.CSS_SELECTOR, "#changes thead button").click()
    assert len(shown_rows(page, "changes")) == 4


def test_a_live_page_follows_its_campaign(browser: Chrome, folder: Path, tmp_path: Path) -> None:
    """A page that waits shows runs when they finish, is drawn anew without losing the case, and hears of the end."""
    home = tmp_path / "live"
    with LiveReport(home) as live:
        browser.get(live.address)
        assert "No run has finished yet" in browser.find_element(By.TAG_NAME, "body").text
        (home / "runs").mkdir(parents=True)
        for name in ("spec.toml", "resolved.json", "environment.json"):
            shutil.copy(folder / name, home / name)
        experiment = load_experiment(folder)
        chosen = [run for run in experiment.finished if run.environment == "cyclic"]
        for run in chosen:
            if run.replication == 0:
                copy_run(folder, home, run.id)
        live.changed()
        WebDriverWait(browser, 30).until(lambda b: b.find_elements(By.ID, "case"))
        WebDriverWait(browser, 30).until(lambda b: b.execute_script("return document.documentElement.dataset.ready"))
        assert "4 of 16 runs finished" in browser.find_element(By.ID, "lead").text
        Select(browser.find_element(By.ID, "case")).select_by_index(1)
        for run in chosen:
            copy_run(folder, home, run.id)
        live.changed()
        WebDriverWait(browser, 30).until(lambda b: "8 of 16 runs finished" in b.find_element(By.ID, "lead").text)
        assert browser.find_element(By.ID, "case").get_attribute("value") == "1"
    WebDriverWait(browser, 30).until(lambda b: "has ended" in b.find_element(By.CSS_SELECTOR, ".live").text)


def copy_run(source: Path, target: Path, run: str) -> None:
    """Copy the files of a run."""
    for path in (source / "runs").glob(f"{run}.*"):
        shutil.copy(path, target / "runs" / path.name)


def game_report(tmp_path: Path, name: str, *options: str) -> tuple[Path, int]:
    """Return the report of an example, played for some days, and the number of its players."""
    spec = Path(__file__).parents[2] / "examples" / "games" / f"{name}.toml"
    out = tmp_path / "game.html"
    done = CliRunner().invoke(app, ["game", str(spec), "--json", "--report", str(out), *options])
    assert done.exit_code == 0, done.output
    return out, len(json.loads(done.stdout)["players"])


@pytest.mark.parametrize(
    ("name", "panels"),
    [
        ("routing", {"network"}),
        ("blotto", {"deployment"}),
        ("chicken", {"joint", "payoffs"}),
        ("shapley", {"joint", "payoffs"}),
    ],
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_game_opens_on_a_phone(
    browser: Chrome, tmp_path: Path, name: str, panels: set[str], scheme: str
) -> None:
    """Gaps, payoffs, and the pictures that belong to the game are drawn within the screen, in silence."""
    out, n_players = game_report(tmp_path, name, "--rounds", "12")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page = opened(browser, out)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert min(heights(page)) > 200
    for panel in {"epsilon", "coarse", "reward"} | panels:
        assert len(page.find_elements(By.CSS_SELECTOR, f"#{panel} .plot svg.main-svg")) > 0, panel
    lines = [each for each in plot(page, "reward", "data") if each.get("mode") == "lines+markers"]
    assert len(lines) == n_players
    wide = page.execute_script(
        "return [...document.querySelectorAll('section, td, th, p, pre, .plot, .legend, .gtitle')]"
        ".filter((each) => each.getBoundingClientRect().right > 391).map((each) => each.className || each.tagName)"
    )
    assert wide == []


def test_the_page_of_a_game_shows_joint_play_bands_and_equilibria(browser: Chrome, tmp_path: Path) -> None:
    """Chicken with three seeds: probabilities add up to 1, ε has a band, the polygon is the known one, seeds are named."""
    out, _ = game_report(tmp_path, "chicken", "--rounds", "40", "--seeds", "3", "--seed", "5")
    page = opened(browser, out)
    assert np.sum(plot(page, "joint", "data[0].z")) == pytest.approx(1.0, abs=1e-4)
    assert any(each.get("fill") == "toself" for each in plot(page, "epsilon", "data"))
    polygon = {
        (round(x, 6), round(y, 6)) for x, y in zip(*(plot(page, "payoffs", f"data[0].{k}") for k in "xy"), strict=True)
    }
    assert polygon == {(2.0, 7.0), (3.6, 3.6), (7.0, 2.0), (5.25, 5.25)}
    assert len(plot(page, "payoffs", "data[2].x")) == 3
    assert "5, 6, 7" in page.find_element(By.ID, "reproduce").text
    assert "10.5000 of the best correlated equilibrium" in page.find_element(By.ID, "best").text
