// Every file of the tests may use the module for tests and the support that all test targets share.
@_exported import FlatCacheTesting
@_exported import TestSupport
