// Makes the shared test support available in every file of this target.
@_exported import TestSupport
