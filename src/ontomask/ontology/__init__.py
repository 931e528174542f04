"""What words mean: the immutable Ontology, one loader per format, an on-disk cache."""
