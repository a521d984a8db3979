#!/bin/sh
# job.sh PYTHON WORDS...: run a job by the Python of the conda environment that Snakemake made for it, else by PYTHON.
if [ -n "${CONDA_PREFIX-}" ] && [ -e "$CONDA_PREFIX.env_setup_done" ]; then
    shift
    set -- python "$@"
fi
exec "$@"
