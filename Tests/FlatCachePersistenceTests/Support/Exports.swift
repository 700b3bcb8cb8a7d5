// Every file of the tests may use what all test targets share.
@_exported import TestSupport
