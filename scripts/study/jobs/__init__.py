"""The steps of the rules. Each module has `run`; scripts/job.py calls it with the settings and a rule's words."""
