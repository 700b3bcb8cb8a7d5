/// A value by which queries share their results, and the call that makes them.
///
/// Queries of different calls may have other closures, so equal values alone aren't enough.
@usableFromInline
struct SharedQueryValue: Hashable, @unchecked Sendable {
    // The value is constant, and its type is `Sendable`.
    private let value: AnyHashable
    /// The type of the value.
    ///
    /// Erased values of different types can be equal, such as the integer and the number 1.
    private let type: ObjectIdentifier
    private let fileID: String
    private let line: Int
    private let column: Int

    @usableFromInline
    init<Value: Hashable & Sendable>(_ value: Value, fileID: String, line: Int, column: Int) {
        self.value = AnyHashable(value)
        type = ObjectIdentifier(Value.self)
        self.fileID = fileID
        self.line = line
        self.column = column
    }
}

/// The live queries that share their results among equal values of one call.
struct SharedQueries {
    /// The value and the shape of a query.
    ///
    /// A query that is being built passes through several shapes. They aren't shared with each
    /// other.
    struct Key: Hashable {
        let value: SharedQueryValue
        let type: ObjectIdentifier
        let conditionCount: Int
        let orderCount: Int
        let window: QueryWindow
        let pinsElements: Bool
    }

    fileprivate struct Reference {
        weak var query: AnyObject?
    }

    /// The objects to release after the lock.
    ///
    /// The last release of a shared value, or of a query with its closures, runs code of a client.
    /// That code may use the cache.
    struct Released {
        fileprivate let references: [Key: Reference]
        fileprivate let queries: [AnyObject]
    }

    private var references: [Key: Reference] = [:]
    private var limit = 64

    /// Returns the query of a key, or stores one that a closure creates.
    ///
    /// The caller keeps the released objects until it has released the lock.
    mutating func query<Query: AnyObject>(
        _ key: Key,
        _ make: () -> Query
    ) -> (query: Query, released: Released?) {
        if let present = references[key]?.query as? Query { return (present, nil) }
        var released: Released?
        if references.count >= limit {
            // The filter may load the last reference to a query that another thread releases.
            var queries: [AnyObject] = []
            let present = references.filter { _, reference in
                guard let query = reference.query else { return false }
                queries.append(query)
                return true
            }
            released = Released(references: references, queries: queries)
            references = present
            limit = max(64, references.count * 2)
        }
        let query = make()
        references[key] = Reference(query: query)
        return (query, released)
    }
}
