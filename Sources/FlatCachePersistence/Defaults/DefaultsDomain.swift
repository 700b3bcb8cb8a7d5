import Foundation

/// One domain of the user's defaults: what an app or a suite has stored.
///
/// There is one object for each domain in a process. A value is what is *stored* in the domain: neither
/// a registered default, nor one from the arguments of the process or the global domain, which
/// `UserDefaults.object(forKey:)` falls back to. So a registered default never passes for something that
/// the user has chosen, and is never copied into the domain.
protocol DefaultsDomain: AnyObject, Sendable {
    /// What the domain is called in messages.
    var name: String { get }

    /// The file that the domain is stored in, if it is one that other processes write, too.
    var file: URL? { get }

    /// `true` if plain calls, too, announce their changes.
    var announcesEveryChange: Bool { get }

    /// Returns the check of a key, or `nil` if there is none that is faster than asking for the
    /// value.
    ///
    /// - Parameter key: The key.
    func makeCheck(forKey key: String) -> (any DefaultsCheck)?

    /// Returns the newest value: what has been stored by anybody, or set by a plain call in this process
    /// and not saved yet.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The value, or `nil` if none is stored.
    /// - Throws: If there may be one that cannot be read.
    func value(forKey key: String) throws -> PropertyListValue?

    /// Stores a value so that every process reads it, and plain calls in this one as well.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove it.
    ///   - key: The value's key.
    /// - Throws: If it could not be stored. All stored values are as they were.
    func setValue(_ value: PropertyListValue?, forKey key: String) throws

    /// Returns the keys that have values in this domain.
    ///
    /// - Throws: If they cannot be read.
    func keys() throws -> [String]

    /// Saves what plain calls in this process have set, so that other processes read it.
    ///
    /// - Throws: If it could not be saved.
    func synchronize() throws

    /// Returns a value as it will be read back: a medium may keep less of a date, for example.
    ///
    /// - Parameter value: A value that is to be stored.
    func stored(_ value: PropertyListValue) -> PropertyListValue
}

/// Compares a value with the newest one of a key, at little cost.
protocol DefaultsCheck: Sendable {
    /// Returns `true` if the domain holds a value, or none, for the key; never by mistake.
    ///
    /// - Parameter value: The value; `nil` for none.
    func isCurrent(_ value: PropertyListValue?) -> Bool
}
