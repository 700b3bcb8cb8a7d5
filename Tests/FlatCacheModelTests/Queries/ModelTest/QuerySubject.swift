@testable import FlatCache
@testable import FlatCacheTestSupport

/// A query with its observers.
final class QuerySubject: @unchecked Sendable {
    // One thread at a time uses a subject.

    let definition: QueryCase
    let query: CachedQuery<Book>
    let projections: ProjectionSubject
    let mirror: QueryMirror
    private var observations: [Disposable] = []
    private var holds: [Disposable] = []

    init(_ definition: QueryCase, in cache: Cache) {
        self.definition = definition
        query = definition.query(of: cache)
        projections = ProjectionSubject(definition, of: cache)
        mirror = QueryMirror(query)
    }

    var usesIndex: Bool { !query.live.definition.indexConditions.isEmpty }

    var isObserved: Bool { !observations.isEmpty }

    var isCurrent: Bool { isObserved || !holds.isEmpty }

    /// Begins or ends the observation.
    ///
    /// - Returns: The description of the operation.
    func toggle(in cache: Cache) -> String {
        if isObserved {
            for token in observations { token.dispose() }
            observations = []
            return "end"
        }
        observations = [mirror.observe(knowing: definition.expected(in: cache))]
        observations += projections.observe()
        return "observe"
    }

    /// Begins or ends to keep the result current.
    ///
    /// - Returns: The description of the operation.
    func toggleHold() -> String {
        if let token = holds.popLast() {
            token.dispose()
            return "end to keep current"
        }
        holds.append(query.keepCurrent())
        return "keep current"
    }
}
