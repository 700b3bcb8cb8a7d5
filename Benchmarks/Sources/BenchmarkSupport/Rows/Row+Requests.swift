import FlatCache

extension Row {
    /// Rows about requests that are held.
    ///
    /// The subject is the time by which an observation of a request takes longer than one of an
    /// entity with one relationship.
    static let requestRows = [
        Row(
            "36a",
            "observe a fresh request, beyond an entity's observation",
            against: "the goal, 1 µs",
            target: 1
        ) { scale in
            let sides = RequestSides(scale)
            return Contest {
                1_000
            } subject: {
                sides.overhead { sides.requests[$0 % sides.requests.count] }
            }
        },
        Row(
            "36b",
            "observe a fresh request that is observed, beyond an entity's observation",
            against: "the goal, 1 µs",
            target: 1
        ) { scale in
            let sides = RequestSides(scale)
            let token = sides.requests[0].observe { _ in }
            return Contest {
                1_000
            } subject: {
                defer { withExtendedLifetime(token) {} }
                return sides.overhead { _ in sides.requests[0] }
            }
        },
    ]
}

/// Requests with fresh responses, and entities with the relationships of these responses.
private final class RequestSides: Sendable {
    struct Response: Equatable, Sendable {
        var book: Related<Book<Int>>
    }

    struct Shelf: CacheEntity, HasCachedRelationships {
        let id: Int
        var book: Related<Book<Int>>

        var relatedCacheKeys: Set<CacheKey> { [book.cacheKey] }
    }

    let cache = Cache()
    let requests: [CachedRequest<Response>]
    private let nodes: [Cached<Shelf>]
    private let rounds: Int

    init(_ scale: Scale) {
        let count = scale(10_000)
        rounds = count
        cache.set(contentsOf: Book.books(0..<count))
        cache.set(contentsOf: (0..<count).map { Shelf(id: $0, book: Related($0)) })
        let cache = cache
        requests = (0..<count).map { id in
            cache.request("book/\(id)", staleAfter: .seconds(3_600)) {
                Response(book: Related(id))
            }
        }
        nodes = (0..<count).map { cache.cached(Shelf.self, id: $0) }
        let requests = requests
        try? Row.wait {
            for request in requests { try await request.load() }
        }
    }

    /// Returns the nanoseconds of the observation of a request, less those of an entity.
    func overhead(_ request: (Int) -> CachedRequest<Response>) -> Double {
        measure { request($0).observe { _ in } } - measure { nodes[$0].observe { _ in } }
    }

    private func measure(_ observe: (Int) -> Disposable) -> Double {
        Stopwatch.nanoseconds(per: rounds) {
            for index in 0..<rounds { observe(index).dispose() }
        }
    }
}
