"""The jobs of the rules.

Each module has `run`; scripts/job.py calls it with the settings and the rule's arguments.
"""
