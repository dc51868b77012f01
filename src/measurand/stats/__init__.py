"""Statistics of arrays: no benchmark, no reader, no file."""
