// Exports the shared support to every file of the tests.
@_exported import TestSupport
