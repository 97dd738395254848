"""Files: values, arrays and tables, how they are written whole, and checked when they are read."""
