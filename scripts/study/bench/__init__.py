"""The benchmarks: whole runs, each beside what it is measured against."""
