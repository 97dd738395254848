"""Results of experiments on disk: a folder of runs, each whole or not there, and tables made of them."""

from swapregret.results.cells import load_cells
from swapregret.results.detail import RunDetail
from swapregret.results.experiment import Experiment, RunInfo, load_experiment
from swapregret.results.run_rows import load_results

__all__ = ["Experiment", "RunDetail", "RunInfo", "load_cells", "load_experiment", "load_results"]
