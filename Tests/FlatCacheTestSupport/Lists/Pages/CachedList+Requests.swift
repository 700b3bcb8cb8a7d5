@testable import FlatCache

extension CachedList {
    /// The request for the next page, or for all pages if there's no next one.
    var nextRequest: PageRequest { request(at: \.nextPlace) ?? reloadRequest }

    /// The request for the rows before the first element, or for all pages if there's none.
    var previousRequest: PageRequest {
        request(at: { $0.startCursor.map { .before($0) } }) ?? reloadRequest
    }
}
