/// The writes of one commit, as ``Cache/performBatchUpdates(_:)`` hands them to its closure.
///
/// It reads and writes like a cache; its reads show its own writes, which nobody else sees before
/// the closure has returned. Using it afterwards, or on another thread, is a programmer's error and
/// traps.
public final class CacheBatch: CacheType {
    @usableFromInline let core: CacheCore
    private var hasEnded = false

    init(core: CacheCore) {
        self.core = core
    }

    func end() { hasEnded = true }

    @usableFromInline
    func checkUsable() {
        precondition(
            !hasEnded,
            """
            A batch was used after the closure of performBatchUpdates(_:) had returned. Write \
            to the cache instead, or begin another batch.
            """
        )
        precondition(
            core.writerLock.isHeldByCurrentThread,
            """
            A batch was used on another thread than the one that runs the closure of \
            performBatchUpdates(_:). Collect what other threads bring, and write it in the closure.
            """
        )
    }
}

@available(*, unavailable)
extension CacheBatch: Sendable {}

extension CacheBatch {
    /// Returns the value of a type that has an identifier, as the batch leaves it so far.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        checkUsable()
        return core.tables.existingTable(of: type)?.writtenFreshValue(id: id)
    }

    /// Returns how many values of a type there are, as the batch leaves them so far.
    ///
    /// - Parameter type: The type under which the values are stored.
    public func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable {
        checkUsable()
        return core.tables.existingTable(of: type)?.writtenCount ?? 0
    }

    /// Returns the identifiers of all values of a type, as the batch leaves them so far.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func ids<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value.ID]
    where Value.ID: Sendable {
        checkUsable()
        var ids: [Value.ID] = []
        core.tables.existingTable(of: type)?.forEachWrittenValue { id, _ in ids.append(id) }
        return ids
    }

    /// Returns all values of a type, as the batch leaves them so far.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func values<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable {
        checkUsable()
        var values: [Value] = []
        core.tables.existingTable(of: type)?.forEachWrittenValue { values.append($1) }
        return values
    }

    /// Stores a value, merging it into the one that is stored if it is ``Mergeable``.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(_ value: Value) -> Value
    where Value.ID: Sendable {
        checkUsable()
        return core.set(value)
    }

    /// Stores values as ``set(_:)`` does.
    ///
    /// - Parameter values: The values to store. One identifier may come several times; the values
    ///   are then set in their order.
    /// - Returns: For each of the values, in their order, what setting it stored.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(
        contentsOf values: some Sequence<Value>
    ) -> [Value] where Value.ID: Sendable {
        checkUsable()
        return core.set(contentsOf: values)
    }

    /// Stores a value that was modified at a time, unless what is stored was modified later.
    ///
    /// See ``Cache/set(_:modifiedAt:)``.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - stamp: When the value was modified: a date, a revision, a sequence number; of one type for
    ///     all values of a type.
    /// - Returns: What is stored now.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        modifiedAt stamp: Stamp
    ) -> Value where Value.ID: Sendable {
        checkUsable()
        return core.set([value], modifiedAt: stamp, in: core.tables.table(of: Value.self))[0]
    }

    /// Stores values as ``set(_:modifiedAt:)`` does, in one commit.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - stamp: When the values were modified, such as the date of the response that brought them.
    /// - Returns: For each of the values, in their order, what is stored then.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        contentsOf values: some Sequence<Value>,
        modifiedAt stamp: Stamp
    ) -> [Value] where Value.ID: Sendable {
        // The sequence may run any code, so it is gone through before the lock is taken.
        checkUsable()
        return core.set(Array(values), modifiedAt: stamp, in: core.tables.table(of: Value.self))
    }

    /// Stores a value as it is, without merging.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
    @discardableResult
    @inlinable
    public func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value
    where Value.ID: Sendable {
        checkUsable()
        return core.replace(value)
    }

    /// Changes a value in place, if there is one.
    ///
    /// If the closure throws, nothing remains of what it has written; the batch goes on if the
    /// error is caught inside it.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier, which the closure must leave as it is.
    ///   - body: Changes the value.
    /// - Returns: What is stored now, or `nil` if there was no value; the closure was not called then.
    /// - Throws: What the closure throws.
    @discardableResult
    @inlinable
    public func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable {
        checkUsable()
        return try core.update(type, id: id, body)
    }

    /// Removes a value.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Returns: The value that was removed, or `nil` if there was none.
    @discardableResult
    @inlinable
    public func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        checkUsable()
        return core.remove(type, id: id)
    }

    /// Removes all values of a type.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values of that type.
    @discardableResult
    @inlinable
    public func removeAll<Value: Identifiable & Sendable>(_ type: Value.Type) -> Int
    where Value.ID: Sendable {
        checkUsable()
        return core.removeAll(type)
    }

    /// Removes all values.
    ///
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    @inlinable
    public func removeAll() -> Int {
        checkUsable()
        return core.removeAll()
    }
}
