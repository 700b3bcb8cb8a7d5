import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A response that refers to books.
struct ShelfPage: Equatable, Sendable {
    var books: [Related<Book>]
    var note = ""
    var expires: ManualClock.Instant?

    init(_ ids: Book.ID..., note: String = "", expires: ManualClock.Instant? = nil) {
        books = ids.map { Related($0) }
        self.note = note
        self.expires = expires
    }
}

/// A cache with a server that answers requests for pages by hand.
///
/// A page brings its books.
struct RequestRun {
    let clock = ManualClock()
    let cache: Cache
    let server = HeldServer<String, ShelfPage>()

    init(_ configure: (inout CacheConfiguration) -> Void = { _ in }) {
        var configuration = CacheConfiguration(clock: clock)
        configure(&configuration)
        cache = Cache(configuration: configuration)
    }

    func request(
        _ name: String = "page",
        staleAfter staleness: CacheStaleness<ShelfPage> = .seconds(60),
        as tag: String? = nil,
        apply: (@Sendable (CacheBatch, ShelfPage) throws -> Void)? = nil
    ) -> CachedRequest<ShelfPage> {
        cache.request(name, staleAfter: staleness) { [server] in
            let page = try await server.response(to: tag ?? name)
            for book in page.books {
                Ingestion.current?.collect(Book(id: book.id, title: "book \(book.id)"))
            }
            return page
        } apply: {
            try apply?($0, $1)
        }
    }

    /// Waits until a number of calls have begun.
    ///
    /// - Returns: `true` if there are just as many.
    func hasCalls(_ count: Int) async -> Bool {
        _ = await until { server.requests.count >= count }
        return server.requests.count == count
    }

    /// Waits until no call runs and a request is idle.
    func isIdle(_ request: CachedRequest<ShelfPage>) async -> Bool {
        await until { cache.core.loads.isIdle && request.loadState.name == "idle" }
    }
}
