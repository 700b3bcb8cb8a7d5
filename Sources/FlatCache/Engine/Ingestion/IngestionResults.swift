/// The results of the closures of ingests, by type.
///
/// If the closure of an ingest returns the result of an inner ingest, the outer ingest must not
/// collect it once more: the inner ingest may have a modification stamp.
struct IngestionResults {
    private struct Note {
        /// The number of the note among the entities and notes of its collector.
        let number: Int
        let thread: UInt
        /// The results, which are an array.
        let values: any Sendable
    }

    /// The notes of each type of result, in their order.
    private var notes: [ObjectIdentifier: [Note]] = [:]

    var isEmpty: Bool { notes.isEmpty }

    mutating func add<Value: Sendable>(_ values: [Value], number: Int) {
        if values.isEmpty { return }
        let note = Note(number: number, thread: currentThread, values: values)
        notes[ObjectIdentifier(Value.self), default: []].append(note)
    }

    mutating func add(_ other: IngestionResults, number: Int) {
        for (type, others) in other.notes {
            notes[type, default: []] += others.lazy.map {
                Note(number: number, thread: currentThread, values: $0.values)
            }
        }
    }

    func lists<Value: Sendable>(of type: Value.Type) -> [[Value]] {
        notes[ObjectIdentifier(type), default: []].compactMap { $0.values as? [Value] }
    }

    /// Removes the notes that the calling thread has made since a number.
    ///
    /// - Returns: The removed notes, to be released outside the lock.
    /// - Complexity: O(*n*) in the number of notes since the number, and in the number of types.
    mutating func removeNotes(since number: Int) -> [Any] {
        let thread = currentThread
        var removed: [Any] = []
        for (type, all) in notes {
            guard let last = all.last, last.number >= number else { continue }
            let start = (all.lastIndex { $0.number < number } ?? -1) + 1
            let kept = all[start...].filter { $0.thread != thread }
            removed.append(all[start...].filter { $0.thread == thread })
            notes[type]?.replaceSubrange(start..., with: kept)
        }
        return removed
    }
}

extension Ingestion {
    /// Collects a result of the closure, unless an inner ingest has collected it.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(result: Value) where Value.ID: Sendable {
        collect(results: CollectionOfOne(result))
    }

    /// Collects an element of a sequence, unless an inner ingest has collected it.
    @inlinable
    func collect<Value: Identifiable & Sendable>(element: Value) where Value.ID: Sendable {
        let isCollected = state.withLock { state in
            if state.hasRelatedResults { return false }
            state.collect(element, in: state.collector.collection(of: Value.self))
            return true
        }
        if !isCollected { collect(result: element) }
    }

    /// Collects results of the closure, unless an inner ingest has collected them.
    func collect<Value: Identifiable & Sendable>(results: some Collection<Value>)
    where Value.ID: Sendable {
        let results = Array(results)
        let collected = state.withLock { $0.noteResults(results) }
        if collected.isEmpty { return collect(contentsOf: results) }
        // The identifiers and values may compare in any way, so this is done outside the lock.
        guard results.count > 1 else {
            let isNew = results.allSatisfy { result in
                !collected.reversed().joined()
                    .contains { $0.id == result.id && Self.isSame($0, result) }
            }
            if isNew { collect(contentsOf: results) }
            return
        }
        let known = Dictionary(grouping: collected.joined(), by: \.id)
        collect(
            contentsOf: results.filter { result in
                !known[result.id, default: []].contains { Self.isSame($0, result) }
            }
        )
    }

    /// Returns a Boolean value that indicates whether two values of an entity are the same.
    ///
    /// Values that can't be compared are the same if they consist of the same bits.
    private static func isSame<Value>(_ left: Value, _ right: Value) -> Bool {
        if ConformanceProbe<Value>.findsEquatable, let left = left as? any Equatable {
            return left.isEqual(to: right)
        }
        return withUnsafeBytes(of: left) { left in
            withUnsafeBytes(of: right) { left.elementsEqual($0) }
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
