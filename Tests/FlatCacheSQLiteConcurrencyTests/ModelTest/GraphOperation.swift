import TestSupport

@testable import FlatCacheSQLiteTestSupport

/// An operation of the model test of graphs.
enum GraphOperation: CustomStringConvertible, Sendable {
    enum Write: CustomStringConvertible, Sendable {
        case setBook(Book)
        case removeBook(Int)
        case removeAllBooks
        case setProfile(Profile)
        case replaceProfile(Profile)
        case removeProfile(Int)
        case edit(String, ListEdit)
        case point(String, Int?)
        case removeEverything

        /// The names of the lists and aliases.
        static let names = ["first", "second", "third"]

        var description: String {
            switch self {
            case .setBook(let book): "set \(book.id) \(book.title)"
            case .removeBook(let id): "remove book \(id)"
            case .removeAllBooks: "remove all books"
            case .setProfile(let value): "set \(Self.text(of: value))"
            case .replaceProfile(let value): "replace \(Self.text(of: value))"
            case .removeProfile(let id): "remove profile \(id)"
            case .edit(let name, let edit): "list \(name): \(edit)"
            case .point(let name, let id): "point \(name) to \(id.map { "\($0)" } ?? "none")"
            case .removeEverything: "remove everything"
            }
        }

        private static func text(of value: Profile) -> String {
            "\(value.id) \(value.name ?? "-") \(value.email ?? "-")"
        }
    }

    case commit([Write])
    case loadBook(Int)
    case loadProfile(Int)
    case prune
    case flush
    /// Detaches the graph, and attaches another one to a new cache.
    case restart
    /// Attaches another graph to a new cache after the former cache was deallocated.
    case replaceCache
    case failedFlush

    var description: String {
        switch self {
        case .commit(let writes): "commit \(writes)"
        case .loadBook(let book): "load book \(book)"
        case .loadProfile(let profile): "load profile \(profile)"
        case .prune: "prune"
        case .flush: "flush"
        case .restart: "restart"
        case .replaceCache: "replace the cache"
        case .failedFlush: "failed flush"
        }
    }
}

extension GraphOperation {
    /// Returns a random operation.
    static func random(_ generator: inout SplitMix64, step: Int) -> GraphOperation {
        switch generator.below(20) {
        case 0..<10:
            let count = generator.oneIn(3) ? 1 + generator.below(20) : 1
            return .commit((0..<count).map { _ in .random(&generator, step: step) })
        case 10: return .loadBook(generator.below(30))
        case 11: return .loadProfile(generator.below(30))
        case 12: return .prune
        case 13..<17: return .flush
        case 17: return .restart
        case 18: return .replaceCache
        default: return .failedFlush
        }
    }
}

extension GraphOperation.Write {
    /// Returns a random write.
    static func random(_ generator: inout SplitMix64, step: Int) -> Self {
        let id = generator.below(30)
        let profile = Profile(
            id: id,
            name: generator.oneIn(2) ? "name \(step)" : nil,
            email: generator.oneIn(2) ? "mail \(step)" : nil
        )
        let name = names[generator.below(names.count)]
        switch generator.below(18) {
        case 0..<4: return .setBook(Book(id: id, title: "title \(step)"))
        case 4: return .removeBook(id)
        case 5: return generator.oneIn(5) ? .removeAllBooks : .removeBook(id)
        case 6..<10: return .setProfile(profile)
        case 10: return .replaceProfile(profile)
        case 11: return .removeProfile(id)
        case 12..<16: return .edit(name, .random(&generator, step: step))
        case 16 where generator.oneIn(5): return .removeEverything
        default: return .point(name, generator.oneIn(4) ? nil : id)
        }
    }
}
