import FlatCacheTesting

@testable import FlatCache
@testable import FlatCacheTestSupport

/// An entity of the model test of requests, replaced as a whole by each write.
struct RequestModelBook: CacheEntity, Equatable {
    let id: Int
    var title: Int

    static let ids = 0..<6
}

/// A response of the model test of requests, with the further writes of its commit.
struct RequestModelPage: Equatable, Sendable {
    /// The target of an alias, as `apply` sets it.
    struct Target: Sendable { let id: Int? }

    /// A book that `apply` stores.
    struct Addition: Sendable {
        let id: Int
        let title: Int
    }

    /// The call that has brought the response, ignored by comparisons.
    var call: Int
    var note: Int
    var books: [Int]
    var expires: ManualClock.Instant?
    /// The identifiers that `apply` gives the list, or `nil` to leave the list as it is.
    var list: [Int]?
    var target: Target?
    var added: Addition?
    var removed: Int?
    /// `true` if `apply` throws an error after its writes.
    var isRefused = false

    static func == (left: RequestModelPage, right: RequestModelPage) -> Bool {
        "\(left)" == "\(right)"
    }
}

extension RequestModelPage: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> {
        Set(books.map { CacheKey(RequestModelBook.self, id: $0) })
    }
}

extension RequestModelPage: CustomStringConvertible {
    var description: String {
        var parts = ["note \(note), books \(books)"]
        if let expires { parts.append("stale from \(expires.offset)") }
        if let list { parts.append("list \(list)") }
        if let target { parts.append("target \(target.id ?? -1)") }
        if let added { parts.append("adds \(added.id): \(added.title)") }
        if let removed { parts.append("removes \(removed)") }
        if isRefused { parts.append("refused") }
        return parts.joined(separator: ", ")
    }
}

/// An answer of the server: a response, and the books that the function of the request collects.
struct RequestModelAnswer: Sendable {
    var page: RequestModelPage
    var books: [RequestModelBook]
}

/// A call at the server: the handle whose function makes it, and its lease.
struct RequestModelCall: Sendable {
    let handle: Int
    let lease: UInt64
}

struct RequestModelFailure: Error, Equatable {
    let call: Int
}

/// The end of a call of `load()` or `reload()`.
enum RequestModelOutcome: Equatable {
    case page(RequestModelPage)
    case failed(call: Int)
    case cancelled
}
