/// The cases in which a read stores the default; by default, none.
///
/// ```swift
/// let device = Persister(
///     key: "device",
///     defaultValue: UUID().uuidString,
///     defaultValuePersistBehaviour: .persistWhenNil
/// )
/// ```
///
/// If a default could not be stored, the next read tries again. If the attempt took long, the next
/// attempt waits for ten times its duration.
public struct DefaultValuePersistBehaviour: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Stores the default value at its first use, if no value is stored.
    public static let persistWhenNil = Self(rawValue: 1 << 0)

    /// Stores the default value at its first use, if the stored value is corrupt.
    ///
    /// The storage keeps a copy of the corrupt value, see ``CorruptValueKeeping``; if it can't keep
    /// a copy, the value isn't overwritten. A value that can't be *read* is never overwritten,
    /// because it may be intact.
    public static let persistOnError = Self(rawValue: 1 << 1)

    /// Stores the default value in both cases.
    public static let all: Self = [.persistWhenNil, .persistOnError]
}
