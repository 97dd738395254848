"""How fast it is: where people come in, in blocks of days, and what others take, on the machine at hand."""
