public import Foundation

/// Keeps values in the user's defaults, in step with everybody else who uses them.
///
/// All storages for one domain, whatever `UserDefaults` object they were made with, share what they know,
/// and plain calls on `UserDefaults` read what they store at once.
///
/// ```swift
/// let storage = UserDefaultsStorage()
/// try storage.storeValue(.string("dark"), key: "theme")
/// print(UserDefaults.standard.string(forKey: "theme") ?? "")
/// ```
///
/// What is stored is what counts: a default that has been registered with `register(defaults:)`, an
/// argument of the process, or a value of the global domain is no stored value.
///
/// ## Linux
/// A value is in the domain's file when ``storeValue(_:key:)`` returns. The file is replaced in one
/// step, and processes that use this type take turns, so none loses a value or reads half a file.
/// Dates have whole seconds. Plain `UserDefaults` calls announce nothing there. What they set in
/// this process is read at once, through this type and all that is built on it: each read compares
/// the remembered value with the result of a plain call. The first read that finds a change
/// notifies the listeners; so do ``synchronize()`` and any write through this type.
///
/// Call `register(defaults:)` before the first read. If the registered default of a key equals the
/// value that plain calls find, a read looks at all values of the domain, to see whether it is
/// stored.
///
/// ## Apple's systems
/// The system keeps processes in step. A plain call marks the remembered value as outdated before
/// it returns, so the next read through any face loads the new one; listeners are called soon
/// after, from a queue. A change of a key with dots by another process is seen when this process
/// next changes any value.
///
/// The stored values are those of the suite's own domain, by `persistentDomain(forName:)`. All
/// objects of one suite share one place; to find the suite of an object, a value is set and removed
/// through it once.
public struct UserDefaultsStorage: ChannelledStorage, CorruptValueKeeping {
    private let place: DefaultsPlace

    /// Creates a storage on the domain of a `UserDefaults` object.
    ///
    /// - Parameter userDefaults: The object, which is kept for as long as the process runs.
    public init(_ userDefaults: UserDefaults = .standard) {
        place = .place(of: userDefaults)
    }

    /// Creates a storage on the domain of a suite, such as an app group.
    ///
    /// - Parameter suiteName: The suite's name.
    /// - Returns: `nil` if `UserDefaults` cannot be made for a suite of that name.
    public init?(suiteName: String) {
        guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
        place = .place(ofSuite: suiteName, defaults)
    }

    init(_ place: DefaultsPlace) {
        self.place = place
    }

    /// `false` on Linux, where plain calls announce no changes.
    public var announcesEveryChange: Bool { place.domain.announcesEveryChange }

    /// The channels of the domain.
    public var channels: StorageChannels<String, PropertyListValue> { place.channels }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key, which may have dots.
    /// - Throws: ``PersistenceError``; what was stored is as it was.
    public func storeValue(_ value: PropertyListValue, key: String) throws {
        try change(key, to: place.domain.stored(value), .write)
    }

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue(for key: String) throws {
        try change(key, to: nil, .remove)
    }

    /// Returns a value, or `nil` if none is stored.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if there may be one that cannot be read.
    public func retrieveValue(for key: String) throws -> PropertyListValue? {
        try explaining(.read, key) {
            try channels.read(forKey: key) { try place.domain.value(forKey: key) }
        }
    }

    /// Saves what plain `UserDefaults` calls in this process have set.
    ///
    /// On Linux, other processes and the next run read that only then. Use it there in the place of
    /// `UserDefaults.synchronize()`, which takes no turns with writers: at the very moment of another
    /// write, one of the two may be lost. Listeners to this domain are told soon, from another thread. On
    /// Apple's systems there is no need for either.
    ///
    /// - Throws: ``PersistenceError`` if it could not be saved; it is still set.
    public func synchronize() throws {
        try explaining(.write, "*") { try place.domain.synchronize() }
    }

    /// The keys that have values in this domain alone, sorted.
    ///
    /// - Throws: ``PersistenceError`` if they cannot be read.
    /// - Complexity: O(*n* log *n*) in their number.
    public var keys: [String] {
        get throws { try explaining(.read, "*") { try place.domain.keys() } }
    }

    /// Copies a value to another key, `<key>.corrupt-<time>-<number>`.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The other key, or `nil` if there is no value.
    /// - Throws: ``PersistenceError`` if it could not be copied.
    public func keepCorruptValue(for key: String) throws -> String? {
        try explaining(.keepCorrupt, key) {
            guard let value = try place.domain.value(forKey: key) else { return nil }
            let copy = "\(key).\(uniqueCorruptMarker())"
            try channels.write(value, forKey: copy) {
                try place.domain.setValue(value, forKey: copy)
            }
            return copy
        }
    }

    private func change(
        _ key: String,
        to value: PropertyListValue?,
        _ operation: PersistenceError.Operation
    ) throws {
        try explaining(operation, key) {
            try channels.write(value, forKey: key) {
                try place.domain.setValue(value, forKey: key)
            }
        }
    }
}

extension UserDefaultsStorage: KeyEnumerating, KeyValueStorage {
    /// The storage itself.
    public var storage: UserDefaultsStorage { self }
}

extension UserDefaultsStorage: CheckedStorage {
    func makeCheck(
        forKey key: String,
        _ channel: StorageChannel<PropertyListValue>
    ) -> ValueCheck? {
        guard let check = place.domain.makeCheck(forKey: key) else { return nil }
        return { channel.stores { check.isCurrent($0) } }
    }
}

extension UserDefaultsStorage: CustomStringConvertible {
    /// What the storage is called in messages.
    public var description: String { "the user's defaults (\(place.domain.name))" }
}
