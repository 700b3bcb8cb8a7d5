// Each storage with string keys also stores typed values itself.

extension InMemoryStorage: KeyValueStorage where Key == String, Value: KeyValueForm {
    /// The storage itself.
    public var storage: InMemoryStorage { self }
}

extension UserDefaultsStorage: KeyValueStorage {
    /// The storage itself.
    public var storage: UserDefaultsStorage { self }
}

#if canImport(Darwin)
extension UbiquitousKeyValueStorage: KeyValueStorage {
    /// The storage itself.
    public var storage: UbiquitousKeyValueStorage { self }
}
#endif
