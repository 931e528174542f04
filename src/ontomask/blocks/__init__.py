"""Tables whose distinct tuples outgrow the machine of whoever asks: masked in blocks of near tuples.

What a block needs is small (columns as they were read, rules that say which tuple is in which block), what
comes out of it adds up. Blocks are masked by `masking.py`, which knows no engine; `spark.py` has Spark do it.
"""
