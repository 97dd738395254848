"""The API as a client written from its page sees it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from conftest_serve import Served, decide, make
from typer.testing import CliRunner
