/// A key of a table in which two strings are equal only if they have the same bytes.
///
/// Swift's strings are equal if they are canonically equivalent, such as "é" in its composed and
/// decomposed form. User defaults, file systems and property lists tell them apart.
struct ExactKey<Key: Hashable>: Hashable {
    let key: Key

    init(_ key: Key) { self.key = key }

    static func == (left: ExactKey, right: ExactKey) -> Bool {
        guard left.key == right.key else { return false }
        guard Key.self == String.self, let string = left.key as? String,
            let other = right.key as? String
        else { return true }
        return string.hasSameBytes(as: other)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ExactKey: Sendable where Key: Sendable {}

typealias ExactString = ExactKey<String>

extension String {
    /// Returns `true` if two strings have the same bytes; `==` also accepts canonical equivalents.
    func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                bytes.count == others.count && bytes.elementsEqual(others)
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Dictionary where Key == String {
    /// The value of a key with the same bytes.
    ///
    /// A dictionary holds only one of several canonically equivalent keys.
    func value(forExactKey key: String) -> Value? {
        guard let index = index(forKey: key), self[index].key.hasSameBytes(as: key) else {
            return nil
        }
        return self[index].value
    }
}
