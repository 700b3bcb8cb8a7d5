// Apple's module declares the functions of SQLite's own header.
@_exported public import CSQLite
