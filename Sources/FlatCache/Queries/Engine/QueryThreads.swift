import Synchronization

/// The threads that run closures of queries without the writers' lock.
///
/// Under that lock, `Writer.runUserCode` finds writes of these closures.
struct QueryThreads: ~Copyable, Sendable {
    private let count = Atomic<Int>(0)
    /// The types of the queries' elements by thread, the innermost query last.
    private let types = Locked<[UInt: [Any.Type]]>([:])

    /// `true` if the calling thread runs a closure of a query.
    ///
    /// Relaxed order suffices, since a thread looks for its own entry.
    var includesCurrentThread: Bool {
        count.load(ordering: .relaxed) > 0 && types.withLock { $0[currentThread] != nil }
    }

    func run<Result>(_ type: Any.Type, _ body: () -> Result) -> Result {
        count.add(1, ordering: .relaxed)
        types.withLock { $0[currentThread, default: []].append(type) }
        defer {
            types.withLock { types in
                types[currentThread]?.removeLast()
                if types[currentThread]?.isEmpty ?? false { types[currentThread] = nil }
            }
            count.subtract(1, ordering: .relaxed)
        }
        return body()
    }

    /// Traps if the calling thread runs a closure of a query.
    func checkNotInQuery(_ operation: StaticString) {
        guard includesCurrentThread else { return }
        let type = types.withLock { $0[currentThread]?.last }
        preconditionFailure(
            """
            \(operation) was called from a closure of a query of \(type.map { "\($0)" } ?? "-"), \
            during a read of the query. This code may read entities from its second argument but \
            not change the cache: only return the value, and write or observe after the read.
            """
        )
    }
}

extension CacheCore {
    /// Runs closures of a query; they must not write to the cache.
    func runClosures<Result>(
        ofQueryOf type: (some Any).Type,
        _ body: () -> Result
    ) -> Result {
        guard writerLock.isHeldByCurrentThread else { return queryThreads.run(type, body) }
        return writer.runUserCode("a closure of a query", of: type, body)
    }
}
