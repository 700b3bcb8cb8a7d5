/// The occasions on which a default value is stored.
///
/// A default that could not be stored is tried again at the next read. If the attempt took long,
/// the next one is made after ten times as long.
public struct DefaultValuePersistBehaviour: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Stores the default value when it is first used because nothing is stored.
    public static let persistWhenNil = Self(rawValue: 1 << 0)

    /// Stores the default value when it is first used because what is stored can't be understood.
    ///
    /// What was there is kept beside it, see ``CorruptValueKeeping``; where it can't be kept it isn't
    /// overwritten. What can't be *read* is never overwritten: it may be all right.
    public static let persistOnError = Self(rawValue: 1 << 1)

    /// Stores the default value in both cases.
    public static let all: Self = [.persistWhenNil, .persistOnError]
}
