// Exports the testing product and the shared support to every file of the tests.
@_exported import FlatCacheTesting
@_exported import TestSupport
