"""A page on this machine for people who would rather look than type: parse, call, show.

State is the plan on disk (and what it names) and nothing else. What takes long is done by the commands of the
command line, in processes of their own, so that a page gives what a command gives, and cancel ends a process.
"""
