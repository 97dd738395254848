"""How fast it is: rounds, growth, memory, and what others take, measured on the machine at hand."""
