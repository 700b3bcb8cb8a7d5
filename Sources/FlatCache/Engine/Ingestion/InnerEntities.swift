/// The entities that inner scopes have collected, by type.
///
/// If the closure of an ingest returns an entity of an inner ingest, the outer ingest must not
/// collect it once more: the inner ingest may have a modification stamp.
struct InnerEntities {
    struct Note {
        /// The number of the note among the entities and notes of its collector.
        let number: Int
        let thread: UInt
        /// The entities, which are an array.
        let values: any Sendable
    }

    /// The notes of each type, in their order.
    private var notes: [ObjectIdentifier: [Note]] = [:]

    var isEmpty: Bool { notes.isEmpty }

    mutating func add(_ collection: any AnyEntityCollection, number: Int) {
        add(collection.allValues, of: collection.type, number: number)
    }

    mutating func add(_ other: InnerEntities, number: Int) {
        for (type, others) in other.notes {
            for note in others { add(note.values, of: type, number: number) }
        }
    }

    private mutating func add(_ values: any Sendable, of type: ObjectIdentifier, number: Int) {
        let note = Note(number: number, thread: currentThread, values: values)
        notes[type, default: []].append(note)
    }

    func notes<Value>(of type: Value.Type) -> [Note] { notes[ObjectIdentifier(type)] ?? [] }

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
        let notes = state.withLock { $0.collector.innerEntities.notes(of: Value.self) }
        // The identifiers and values may compare in any way, so this is done outside the lock. In
        // most cases, the result is that of the latest inner ingest.
        let isCollected = notes.reversed().contains { note in
            guard let values = note.values as? [Value] else { return false }
            return values.contains { $0.id == result.id && Self.isSame($0, result) }
        }
        if !isCollected { collect(result) }
    }

    /// Collects an element of a sequence, unless an inner ingest has collected it.
    @inlinable
    func collect<Value: Identifiable & Sendable>(element: Value) where Value.ID: Sendable {
        let isCollected = state.withLock { state in
            if state.collector.hasInnerEntities { return false }
            state.collect(element, in: state.collector.collection(of: Value.self))
            return true
        }
        if !isCollected { collect(result: element) }
    }

    /// Collects results of the closure, unless an inner ingest has collected them.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(results: [Value]) where Value.ID: Sendable {
        let notes = state.withLock { $0.collector.innerEntities.notes(of: Value.self) }
        if notes.isEmpty { return collect(contentsOf: results) }
        let collected = notes.compactMap { $0.values as? [Value] }.joined()
        let known = Dictionary(grouping: collected, by: \.id)
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
