#if canImport(SQLite3) || canImport(CSQLite)
struct KeptList: Hashable, Sendable {
    /// The name of the list in the cache.
    let name: String
    /// The name of the list in the file.
    let storedName: String
    let loading: DurableLoading
}

/// The lists with a prefix that a graph keeps.
struct KeptLists: Hashable, Sendable {
    /// The beginning of the lists' names in the cache and in the file.
    let prefix: String
    /// The maximum number of lists in the file, or `nil` for any number.
    let maximumCount: Int?
    let loading: DurableLoading

    func contains(_ name: String) -> Bool { name.hasPrefix(prefix) }
}

struct ListDeclarations: Sendable {
    var single: [KeptList] = []
    var prefixed: [KeptLists] = []

    /// Checks that a name in the cache or in the file belongs to one declaration, and traps
    /// otherwise.
    func check() {
        let names = single.map(\.name)
        precondition(
            Set(names).count == names.count && Set(single.map(\.storedName)).count == names.count,
            "A graph declares each list once, and each name in the file once: \(names)."
        )
        let prefixes = prefixed.map(\.prefix)
        for (index, prefix) in prefixes.enumerated() {
            let other = prefixes.indices.first { $0 != index && prefixes[$0].hasPrefix(prefix) }
            precondition(
                other == nil,
                """
                The prefix "\(prefix)" includes the lists with the prefix \
                "\(other.map { prefixes[$0] } ?? "")": declare one of the two.
                """
            )
        }
        for list in single where list.storedName != list.name {
            precondition(
                !prefixed.contains { $0.contains(list.storedName) },
                """
                The name "\(list.storedName)" in the file is also that of a list with a declared \
                prefix: store the list "\(list.name)" under another name.
                """
            )
        }
    }
}
#endif
