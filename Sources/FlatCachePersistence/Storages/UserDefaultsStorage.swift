public import Foundation

/// A storage that keeps values in user defaults, and reflects changes by other code that uses them.
///
/// All storages for one domain share their state, even if they were created with different
/// `UserDefaults` objects. Plain calls on `UserDefaults` read the values that a storage has stored
/// at once.
///
/// ```swift
/// let storage = UserDefaultsStorage()
/// try storage.storeValue(.string("dark"), key: "theme")
/// print(UserDefaults.standard.string(forKey: "theme") ?? "")
/// ```
///
/// Only stored values count. A default that was registered with `register(defaults:)`, an argument
/// of the process, or a value of the global domain isn't a stored value.
///
/// ## Linux
/// A value is in the domain's file when ``storeValue(_:key:)`` returns. The file is replaced in one
/// step, and processes that use this type exclude each other, so no process loses a value or reads
/// an incomplete file. A write waits for another process for ten seconds at most, and a set
/// property for ten milliseconds; reads don't wait. Dates have a precision of whole seconds.
///
/// Plain `UserDefaults` calls announce nothing on Linux. Reads through this type, and through all
/// types that are built on it, return the values that plain calls set in this process at once: each
/// read compares the remembered value with the result of a plain call. The first read that finds a
/// change notifies the listeners; so do ``synchronize()`` and any write through this type.
///
/// Call `register(defaults:)` before the first read. If the registered default of a key equals the
/// value that plain calls find, a read searches all values of the domain to determine whether the
/// value is stored.
///
/// ## Apple's systems
/// The system keeps processes in step. A plain call marks the remembered value as outdated before
/// it returns, so the next read through any type loads the new value; the storage calls listeners
/// soon after, from a queue. If another process changes a key with dots, the change becomes visible
/// when this process next changes any value.
///
/// The stored values are those of the suite's own domain, from `persistentDomain(forName:)`. All
/// objects of one suite share their values and listeners. To find the suite of an object, the
/// storage sets and removes a value through it once.
public struct UserDefaultsStorage: ChannelledStorage, CorruptValueKeeping {
    private let shared: SharedDefaultsDomain

    /// Creates a storage on the domain of a `UserDefaults` object.
    ///
    /// - Parameter userDefaults: The object. It's kept for as long as the process runs.
    public init(_ userDefaults: UserDefaults = .standard) {
        shared = .domain(of: userDefaults)
    }

    /// Creates a storage on the domain of a suite, such as an app group.
    ///
    /// ```swift
    /// guard let group = UserDefaultsStorage(suiteName: "group.bookshop") else { return }
    /// let theme = Persister(key: "theme", storedBy: group, defaultValue: "light")
    /// ```
    ///
    /// - Parameter suiteName: The suite's name.
    /// - Returns: `nil` if `UserDefaults` cannot be made for a suite of that name.
    public init?(suiteName: String) {
        guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
        shared = .domain(ofSuite: suiteName, defaults)
    }

    init(_ shared: SharedDefaultsDomain) {
        self.shared = shared
    }

    var domain: any DefaultsDomain { shared.domain }

    /// A Boolean value that indicates whether the domain announces every change.
    ///
    /// It's `false` on Linux, where plain calls announce no changes.
    public var announcesEveryChange: Bool { shared.domain.announcesEveryChange }

    /// The channels of the domain.
    public var channels: StorageChannels<String, PropertyListValue> { shared.channels }

    /// Stores a value in the domain, and notifies the listeners of the key.
    ///
    /// ```swift
    /// let storage = UserDefaultsStorage(.standard)
    /// try storage.storeValue("light".propertyListValue, key: "theme")
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value that replaces the stored one.
    ///   - key: Its key. It may have dots.
    /// - Throws: ``PersistenceError``; the stored value is unchanged then.
    public func storeValue(_ value: PropertyListValue, key: String) throws {
        try waiting(timeout, clock) { try storeAtOnce(value, key: key) }
    }

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if the value could not be removed.
    public func removeValue(for key: String) throws {
        try waiting(timeout, clock) { try storeAtOnce(nil, key: key) }
    }

    /// Returns a value, or `nil` if none is stored.
    ///
    /// ```swift
    /// try UserDefaultsStorage().storeValue(.string("dark"), key: "theme")
    /// if case .string(let theme)? = try UserDefaultsStorage().retrieveValue(for: "theme") {
    ///     print(theme)  // dark
    /// }
    /// ```
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if there may be a value that can't be read.
    public func retrieveValue(for key: String) throws -> PropertyListValue? {
        try explaining(.read, key) {
            try channels.read(forKey: key) { try shared.domain.value(forKey: key) }
        }
    }

    /// Saves the values that plain `UserDefaults` calls in this process have set.
    ///
    /// ```swift
    /// UserDefaults.standard.set("dark", forKey: "theme")
    /// try UserDefaultsStorage().synchronize()  // On Linux, other processes read it from now on.
    /// ```
    ///
    /// On Linux, other processes and the next run can read those values only after this call. Use
    /// it there in place of `UserDefaults.synchronize()`. That method doesn't exclude other
    /// writers: if two writes coincide, one of them may be lost. Listeners of this domain are
    /// called soon after, on another thread. On Apple's systems neither call is necessary.
    ///
    /// - Throws: ``PersistenceError`` if the values could not be saved; they're still set then.
    public func synchronize() throws {
        try explaining(.write, "*") { try shared.domain.synchronize() }
    }

    /// The keys that have values in this domain alone, sorted.
    ///
    /// - Throws: ``PersistenceError`` if the keys can't be read.
    /// - Complexity: O(*n* log *n*), where *n* is the number of keys.
    public var keys: [String] {
        get throws { try explaining(.read, "*") { try shared.domain.keys() } }
    }

    /// Copies a value to another key, `<key>.corrupt-<time>-<number>`.
    ///
    /// For example, the key of a copy of the value of `theme` begins with `theme.corrupt-`.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The other key, or `nil` if there is no value.
    /// - Throws: ``PersistenceError`` if the value could not be copied.
    public func keepCorruptValue(for key: String) throws -> String? {
        try explaining(.keepCorrupt, key) {
            guard let value = try shared.domain.value(forKey: key) else { return nil }
            let copy = "\(key).\(uniqueCorruptMarker())"
            try waiting(shared.domain.patience, clock) {
                try channels.write(value, forKey: copy) {
                    try shared.domain.setValueAtOnce(value, forKey: copy)
                }
            }
            return copy
        }
    }

}

extension UserDefaultsStorage: ContendedStorage {
    var timeout: Duration { shared.domain.timeout }

    var patience: Duration { shared.domain.patience }

    var clock: any PersistenceClock { channels.clock }

    func storeAtOnce(_ value: PropertyListValue?, key: String) throws {
        let value = value.map(shared.domain.stored)
        try explaining(value == nil ? .remove : .write, key) {
            try channels.write(value, forKey: key) {
                try shared.domain.setValueAtOnce(value, forKey: key)
            }
        }
    }

    func checkIsFree() throws { try shared.domain.checkIsFree() }
}

extension UserDefaultsStorage: KeyEnumerating {}

extension UserDefaultsStorage: CheckedStorage {
    func makeCheck(
        forKey key: String,
        _ channel: StorageChannel<PropertyListValue>
    ) -> ValueCheck? {
        guard let check = shared.domain.makeCheck(forKey: key) else { return nil }
        return { channel.stores(check) }
    }
}

extension UserDefaultsStorage: CustomStringConvertible {
    /// The name of the storage in messages.
    public var description: String { "the user's defaults (\(shared.domain.name))" }
}
