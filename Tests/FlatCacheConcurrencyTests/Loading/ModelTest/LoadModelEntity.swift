@testable import FlatCache
@testable import FlatCacheTestSupport

/// An entity of the model test of loads, with fields whose numbers tell the writes apart.
protocol LoadModelEntity: CacheEntity, Equatable where ID == Int {
    init(id: Int, fields: [Int?])

    var fields: [Int?] { get set }
}

/// A mergeable entity, which becomes stale and expires.
struct LoadRow: LoadModelEntity, Mergeable {
    let id: Int
    var fields: [Int?]

    func merged(with other: LoadRow) -> LoadRow {
        LoadRow(id: id, fields: LoadModel.merge(fields, with: other.fields))
    }
}

/// An entity that a write replaces as a whole.
struct LoadNote: LoadModelEntity {
    let id: Int
    var fields: [Int?]
}

/// An entity or a request of the model.
struct LoadModelKey: Hashable, Sendable, CustomStringConvertible {
    enum Kind: CaseIterable { case row, note, request }

    let kind: Kind
    let id: Int

    static let ids = 0..<6

    static let all = Kind.allCases.flatMap { kind in
        ids.map { LoadModelKey(kind: kind, id: $0) }
    }

    var description: String { "\(kind) \(id)" }

    var cacheKey: CacheKey {
        switch kind {
        case .row: CacheKey(LoadRow.self, id: id)
        case .note: CacheKey(LoadNote.self, id: id)
        case .request: CacheKey(RequestState.self, id: name)
        }
    }

    /// The name of the request.
    var name: String { "request \(id)" }
}
