"""A report of real results, opened in a browser as people do: looked at, clicked, moved, read back."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.experiments.runner import read_plan, run_plan
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
PANELS = ("regret", "versus", "lemma", "calendar", "reward", "time", "graph")


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
        "return [...document.querySelectorAll('.plot')].map((each) => [each.offsetHeight, each._fullLayout.height])"
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
    assert titles == {"Download plot as a PNG", "Zoom", "Pan", "Reset axes"}


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
    rows = page.find_elements(By.CSS_SELECTOR, "#table tbody[data-scene='0'] tr:not(.scene)")
    for row in rows:
        wanted = numbers[row.find_element(By.CSS_SELECTOR, "th").text]
        swap = row.find_element(By.CSS_SELECTOR, "td[data-label='swap regret a round']")
        assert float(swap.get_attribute("data-value") or "nan") == wanted["swap_per_round"]
        assert swap.text.startswith(f"{wanted['swap_per_round']:.4f}")
        assert f"{wanted['swap_high_per_round']:.4f}]" in swap.text
        lowest = min(each["swap_per_round"] for each in numbers.values())
        assert bool(swap.find_elements(By.CSS_SELECTOR, "b")) == (wanted["swap_per_round"] == lowest)


def test_the_slider_shows_the_law_of_each_day(page: Chrome, folder: Path) -> None:
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


def test_another_scene_shows_its_own_figures(page: Chrome, folder: Path) -> None:
    """The list of scenes changes curves and words, and turns the graph into a map for a set that has none."""
    before = page.find_element(By.CSS_SELECTOR, "#regret .note").text
    Select(page.find_element(By.ID, "scene")).select_by_visible_text("msets 4 2 · iid · T = 96")
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


@pytest.mark.parametrize("name", ["routing", "blotto"])
def test_the_page_of_a_game_opens_on_a_phone(browser: Chrome, tmp_path: Path, name: str) -> None:
    """Gaps, payoffs, and the network or the heat maps are drawn within the screen, in silence."""
    spec = Path(__file__).parents[2] / "examples" / "games" / f"{name}.toml"
    out = tmp_path / "game.html"
    done = CliRunner().invoke(app, ["game", str(spec), "--rounds", "12", "--json", "--report", str(out)])
    assert done.exit_code == 0, done.output
    n_players = len(json.loads(done.stdout)["players"])
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    browser.get(out.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    figures = browser.find_elements(By.CSS_SELECTOR, "svg")
    assert len(figures) == 3 + (1 if name == "routing" else n_players)
    assert all(figure.size["width"] <= 390 for figure in figures)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".names")[0].find_elements(By.CSS_SELECTOR, "li")) == n_players
