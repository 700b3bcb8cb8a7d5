/// An error for a key that containers of two types use.
struct KeyConflict: Error, CustomStringConvertible {
    let key: String
    let first: any Any.Type
    let second: any Any.Type

    var description: String {
        """
        The key '\(key)' holds values of the type \(first), and a container was made for values \
        of the type \(second) under the same key. Give one of the two another key, or their \
        storages different prefixes.
        """
    }
}
