import FlatCache

/// The system's store of values in iCloud, or its replacement in tests.
protocol UbiquitousStore: Sendable {
    func value(forKey key: String) throws -> PropertyListValue?
    func set(_ value: PropertyListValue, forKey key: String)
    func removeValue(forKey key: String)

    /// Returns all values that a property list can hold, and omits the others.
    func values() -> [String: PropertyListValue]

    /// Exchanges values in memory with those on the device, and returns whether that succeeded.
    func synchronize() -> Bool

    /// Calls a closure for each change from outside.
    func addChangeListener(_ listener: @escaping @Sendable () -> Void) -> Disposable
}
