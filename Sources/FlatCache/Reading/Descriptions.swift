import Synchronization

/// A type whose `dump` and whose description in the debugger are one line, without its internals.
///
/// A description acquires no lock that a commit or user code can hold, since a debugger evaluates
/// it while the other threads are stopped.
package protocol DescribedByOneLine: CustomStringConvertible, CustomReflectable {}

extension DescribedByOneLine {
    /// The name of the type.
    public var description: String { "\(type(of: self))" }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>(), ancestorRepresentation: .suppressed)
    }
}

/// A type whose description is its name and a version, such as `CacheSnapshot (version: 17)`.
package protocol DescribedByVersion: DescribedByOneLine {
    var version: UInt64 { get }
}

extension DescribedByVersion {
    /// The type and the version.
    public var description: String { "\(Self.self) (version: \(version))" }
}

/// A value that stands for something other than an entity.
protocol StateOfCache {
    /// The name of the values in descriptions, or `nil` if they aren't shown.
    static var contentName: String? { get }
}

extension ListState: StateOfCache {
    static var contentName: String? { "lists of \(Element.self)" }
}

extension AliasState: StateOfCache {
    static var contentName: String? { "aliases for \(Value.self)" }
}

extension RequestState: StateOfCache {
    static var contentName: String? { "requests" }
}

extension QueryState: StateOfCache {
    static var contentName: String? { nil }
}

extension ConfirmedState: StateOfCache {
    static var contentName: String? { nil }
}

extension PendingLayer: StateOfCache {
    static var contentName: String? { nil }
}

// MARK: Caches

extension Cache: CustomStringConvertible, DescribedByOneLine {
    /// The version and the numbers of observers and values, such as
    /// `Cache (version: 17, observers: 3, Author: 2, Book: 40, lists of Book: 1)`.
    ///
    /// Reading the description waits for no writer. A write can happen meanwhile, so the numbers
    /// can belong to different versions.
    ///
    /// - Complexity: O(*n*) in the number of types.
    public var description: String {
        let values = core.tables.allTables.compactMap { table -> String? in
            let count = table.count(at: nil)
            guard count > 0, let name = table.contentName else { return nil }
            return "\(name): \(count)"
        }
        let observers = core.observerCount.load(ordering: .relaxed)
        let parts = ["version: \(version)", "observers: \(observers)"] + values.sorted()
        return "Cache (\(parts.joined(separator: ", ")))"
    }
}

extension CacheSnapshot: DescribedByVersion {}
extension CacheBatch: DescribedByOneLine {}
extension CacheConfiguration: DescribedByOneLine {}
extension CacheDelivery: DescribedByOneLine {}
extension CacheSequence: DescribedByOneLine {}
extension CacheSequence.Iterator: DescribedByOneLine {}
extension Disposable: DescribedByOneLine {}
extension Ingestion: DescribedByOneLine {}

// MARK: Handles

extension Cached: DescribedByOneLine {}
extension CachedAlias: DescribedByOneLine {}
extension CachedList: DescribedByOneLine {}

extension Observed: CustomStringConvertible, DescribedByOneLine {
    /// The source, such as `Observed Cached Book(1)`.
    public var description: String { "Observed \(source)" }
}

extension LoadStates: CustomStringConvertible, DescribedByOneLine {
    /// The key of the entity, such as `LoadStates of Book(1)`.
    public var description: String { "LoadStates of \(load.key)" }
}

// MARK: Queries

extension CachedProjection: DescribedByOneLine {}
extension CachedQuery: DescribedByOneLine {}
extension QueryAggregate: DescribedByOneLine {}
extension QueryGroupKeys: DescribedByOneLine {}
extension QueryReader: DescribedByOneLine {}

extension CacheIndex: CustomStringConvertible, DescribedByOneLine {
    /// The name of the index and the type of the entities, such as `CacheIndex "author" of Book`.
    public var description: String { "CacheIndex \(String(reflecting: name)) of \(Entity.self)" }
}

// MARK: Pages and changes

extension ListPage: CustomStringConvertible, DescribedByOneLine {
    /// The type and the number of the elements, and the cursor of the next page, such as
    /// `ListPage of Book (count: 20, next: "b")`.
    public var description: String {
        let next = next.map { String(reflecting: $0) } ?? "nil"
        return "ListPage of \(Element.self) (count: \(ids.count), next: \(next))"
    }
}

extension QueryChange: DescribedByVersion {}
extension QueryGroupsChange: DescribedByVersion {}
extension QuerySectionsChange: DescribedByVersion {}
extension MappedQueryChange: DescribedByVersion {}
