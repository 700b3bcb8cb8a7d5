import Synchronization

/// The scope of an ingest, which collects the decoded entities until they are stored in one commit.
///
/// References find the scope of the current task by themselves. `Task.detached` and the callbacks
/// of dispatch queues don't belong to that task, so pass the scope to the decoder there:
///
/// ```swift
/// cache.ingest { ingestion in
///     var userInfo: [CodingUserInfoKey: any Sendable] = [:]
///     userInfo[.ingestion] = ingestion
///     // Decode with this user information on any thread, and wait for the result.
/// }
/// ```
///
/// The scope ends when the closure of the ingest returns. It doesn't collect entities after that.
public final class Ingestion: Sendable {
    @TaskLocal static var current: Ingestion?

    let core: CacheCore
    private let collector = Locked(CollectorState())
    private let objects = Atomic(false)

    init(core: CacheCore) { self.core = core }

    /// A Boolean value that indicates whether a reference had another shape than an identifier.
    var hasFoundObjects: Bool { objects.load(ordering: .relaxed) }

    /// Calls a closure with the collector, under its lock.
    func withCollector<Result>(_ body: (inout CollectorState) -> Result) -> Result {
        collector.withLock(body)
    }

    func remember<Value>(_ shape: RelationShape, in collection: EntityCollection<Value>) {
        objects.store(true, ordering: .relaxed)
        withCollector { _ in collection.shape = shape }
    }

    /// Collects an entity that was embedded in the place of a reference.
    func collect<Value>(_ value: Value, in collection: EntityCollection<Value>) {
        objects.store(true, ordering: .relaxed)
        withCollector { collector in
            collection.shape = .entity
            collector.append(value, to: collection)
        }
    }
}

extension Ingestion {
    /// Returns the scope in which a decoder is used, or `nil` outside any scope.
    static func current(for decoder: any Decoder) -> Ingestion? {
        let userInfo = decoder.userInfo
        guard !userInfo.isEmpty, let ingestion = userInfo[.ingestion] as? Ingestion else {
            return current
        }
        return ingestion
    }
}
