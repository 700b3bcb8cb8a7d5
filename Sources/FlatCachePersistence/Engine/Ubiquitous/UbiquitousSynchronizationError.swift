/// An error for a failed exchange of values between memory and the device.
struct UbiquitousSynchronizationError: Error, CustomStringConvertible {
    var description: String {
        """
        the system did not synchronize; does the app have the entitlement for iCloud's key-value \
        storage?
        """
    }
}
