"""The figures of a study: data frames in, matplotlib figures out."""
