// Tokens, deliveries and sequences are those of FlatCache: who observes a persisted value needs their names.
@_exported public import FlatCache
