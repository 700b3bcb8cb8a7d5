import FlatCache

@testable import FlatCacheTestSupport

/// A handle to an entity of the model test, independent of the entity's type.
protocol ModelHandle: AnyObject {
    var record: ModelRecord? { get set }

    func update(_ body: (inout ModelRecord) throws -> Void) throws -> ModelRecord?
    func observeRecords(
        initial: Bool,
        following: RelationshipDepth,
        _ observer: @escaping @Sendable (ModelRecord) -> Void
    ) -> Disposable
    func observeRecordChanges(
        initial: Bool,
        following: RelationshipDepth,
        _ observer: @escaping @Sendable (ModelNotice.Change) -> Void
    ) -> Disposable
}

extension Cached: ModelHandle where Value: ModelEntity {
    var record: ModelRecord? {
        get { value?.record }
        set { value = newValue.map { Value(record: $0) } }
    }

    func update(_ body: (inout ModelRecord) throws -> Void) throws -> ModelRecord? {
        try update { (value: inout Value) throws in try body(&value.record) }?.record
    }

    func observeRecords(
        initial: Bool,
        following: RelationshipDepth,
        _ observer: @escaping @Sendable (ModelRecord) -> Void
    ) -> Disposable {
        self.following(following).observe(initial: initial) { observer($0.record) }
    }

    func observeRecordChanges(
        initial: Bool,
        following: RelationshipDepth,
        _ observer: @escaping @Sendable (ModelNotice.Change) -> Void
    ) -> Disposable {
        self.following(following).observeChanges(initial: initial) {
            observer(ModelNotice.Change($0))
        }
    }
}
