"""One loader per format. Each module has `recognises(path)`, `source_files(path)` and `load(path, name)`."""
