/// An error for a prefix that doesn't distinguish the keys of a storage from other keys.
struct UnsafePrefixError: Error, CustomStringConvertible {
    let prefix: String

    var description: String {
        let why =
            prefix.isEmpty
            ? "without a prefix all keys would be removed, including the keys of other code"
            : "other prefixes may begin with '\(prefix)', which does not end in a separator"
        return """
            \(why). Give the KeyValueStorage a keyPrefix that ends in a dot, for example, or \
            remove values one by one with removeValue(forKey:)
            """
    }
}
