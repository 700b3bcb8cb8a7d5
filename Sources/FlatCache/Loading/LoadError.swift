/// An error of a load that its closure hasn't thrown.
///
/// ```swift
/// do {
///     _ = try await cache.load("books?page=2", policy: .cacheOnly) { try await api.page(2) }
/// } catch LoadError.missingResponse(let request) {
///     print("\(request) isn't available offline")
/// }
/// ```
public enum LoadError: Error, Hashable {
    /// The answer contains an entity that wasn't requested. Nothing of the answer is stored.
    ///
    /// To store an entity under another identifier than the requested one, collect it in the
    /// closure with `cache.ingest`, and return `nil`.
    case unexpectedEntity(CacheKey, requested: [CacheKey])
    /// A request with ``LoadPolicy/cacheOnly`` has no stored response.
    case missingResponse(request: String)
    /// The closure of a load loads its own key, or two closures load each other's keys, and would
    /// wait for each other without end.
    ///
    /// The key of a request contains its name.
    case cycle(CacheKey)
}

extension LoadError: CustomStringConvertible {
    /// The error in words, with the keys or the name of the request.
    public var description: String {
        switch self {
        case .unexpectedEntity(let key, let requested):
            """
            The answer contains \(key), but the request was for \
            \(requested.map(\.description).joined(separator: ", ")). Nothing was stored.
            """
        case .missingResponse(let request):
            "The request \(String(reflecting: request)) has no stored response."
        case .cycle(let key):
            "The closure that loads \(key) waits for itself. Don't load \(key) in it."
        }
    }
}
