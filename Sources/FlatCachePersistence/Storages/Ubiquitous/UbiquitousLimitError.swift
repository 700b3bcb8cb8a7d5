/// Says which of the limits that iCloud has for values a value would have exceeded.
///
/// The value has not been handed to the system then.
public enum UbiquitousLimitError: Error, Hashable, Sendable {
    /// The key is too long.
    case keyTooLong(bytes: Int)
    /// There would be too many keys.
    case tooManyKeys(count: Int)
    /// The value alone is too large.
    case valueTooLarge(bytes: Int)
    /// All values together would be too large.
    case totalTooLarge(bytes: Int)

    /// How many bytes of UTF-8 a key may have.
    public static let maximumKeyBytes = 64

    /// How many keys there may be.
    public static let maximumKeyCount = 1024

    /// How many bytes a value may have, and all values together.
    public static let maximumTotalBytes = 1 << 20
}

extension UbiquitousLimitError: CustomStringConvertible {
    /// Which limit would have been exceeded.
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

/// Says that iCloud's values could not be exchanged with what is stored on the device.
struct UbiquitousSynchronizationError: Error, CustomStringConvertible {
    var description: String {
        """
        the system did not synchronize; does the app have the entitlement for iCloud's key-value \
        storage?
        """
    }
}
