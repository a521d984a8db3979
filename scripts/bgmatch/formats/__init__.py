"""Files that programs save, a module for each program or its library.

`saved` chooses by the suffix.
"""
