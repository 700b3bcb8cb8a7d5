/// The limit of iCloud that a value would exceed.
///
/// The value isn't passed to the system in this case.
public enum UbiquitousLimitError: Error, Hashable, Sendable {
    /// The key is too long.
    case keyTooLong(bytes: Int)
    /// There would be too many keys.
    case tooManyKeys(count: Int)
    /// The value alone is too large.
    case valueTooLarge(bytes: Int)
    /// All values together would be too large.
    case totalTooLarge(bytes: Int)

    /// The maximum length of a key, in bytes of UTF-8.
    public static let maximumKeyBytes = 64

    /// The maximum number of keys.
    public static let maximumKeyCount = 1024

    /// The maximum size of a value, and of all values together, in bytes.
    public static let maximumTotalBytes = 1 << 20
}

extension UbiquitousLimitError: CustomStringConvertible {
    /// A description of the limit that the value would exceed.
    public var description: String {
        switch self {
        case .keyTooLong(let bytes):
            "the key has \(bytes) bytes, and iCloud takes \(Self.maximumKeyBytes)"
        case .tooManyKeys(let count):
            "there would be \(count) keys, and iCloud takes \(Self.maximumKeyCount)"
        case .valueTooLarge(let bytes):
            "the value has \(bytes) bytes, and iCloud takes \(Self.maximumTotalBytes)"
        case .totalTooLarge(let bytes):
            "all values would have \(bytes) bytes, and iCloud takes \(Self.maximumTotalBytes)"
        }
    }
}
