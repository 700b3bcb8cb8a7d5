import FlatCache

/// What the system does for values in iCloud; tests have one of their own.
protocol UbiquitousStore: Sendable {
    func value(forKey key: String) throws -> PropertyListValue?
    func set(_ value: PropertyListValue, forKey key: String)
    func removeValue(forKey key: String)

    /// All values; those that are none of a property list have been left out.
    func values() -> [String: PropertyListValue]

    /// Exchanges values in memory with those on the device; returns whether that was possible.
    func synchronize() -> Bool

    /// Calls a closure for each change from outside.
    func addChangeListener(
        _ listener: @escaping @Sendable (UbiquitousChange) -> Void
    ) -> Disposable
}
