/// The derivation of the results of one commit.
final class QueryDerivation {
    let reading: QueryReaders
    let deriver: QueryDeriver
    /// The queries with recorded changes.
    private(set) var changed: [any AnyLiveQuery] = []

    init(_ deriver: QueryDeriver, in core: CacheCore) {
        self.deriver = deriver
        reading = QueryReaders(inOpenTransactionOf: core, recordsReads: true)
    }

    func recordChange(of query: any AnyLiveQuery) { changed.append(query) }
}

/// The readers of the states before and after a commit.
@usableFromInline
struct QueryReaders {
    @usableFromInline let old: QueryReader
    @usableFromInline let new: QueryReader

    init(old: QueryReader, new: QueryReader) {
        self.old = old
        self.new = new
    }

    /// Creates readers for a thread that holds the writers' lock.
    init(inOpenTransactionOf core: CacheCore, recordsReads: Bool) {
        old = QueryReader(core, at: core.writer.committedVersion, recordsReads: recordsReads)
        new = QueryReader(core, at: nil, recordsReads: recordsReads)
    }
}
