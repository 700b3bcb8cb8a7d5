/// A dictionary that grows and shrinks in small steps, so that no single change has to move all of
/// its elements.
///
/// It consists of standard dictionaries, each for a part of the hashes. As long as there are few
/// elements, a single part contains them. A plain value without locks or callbacks.
@usableFromInline
struct ChunkedDictionary<Key: Hashable, Value> {
    private var parts: [[Key: Value]] = [[:]]
    @usableFromInline private(set) var count = 0
    /// The number of elements from which on there are several parts.
    private let singlePartLimit: Int

    /// The number of parts of a large dictionary.
    ///
    /// With ten million elements, each part has about 5,000. When it's full, they move in less than
    /// a millisecond.
    private static var partCount: Int { 2_048 }

    /// The capacity that a part keeps, so that adding and removing a few elements allocates
    /// nothing.
    private static var keptCapacity: Int { 32 }

    /// Creates an empty dictionary.
    ///
    /// - Parameter chunkSize: The size of a chunk in bytes; see ``GrowthStep``. A single part
    ///   contains at most one element for each 64 bytes.
    init(chunkSize: Int = GrowthStep.chunkSize) { singlePartLimit = chunkSize / 64 }

    @usableFromInline var isEmpty: Bool { count == 0 }

    /// The value of a key, or `nil` if there's none.
    ///
    /// - Complexity: O(1) on average. Setting a value takes no more than the time to move the
    ///   elements of a part.
    @usableFromInline
    subscript(key: Key) -> Value? {
        get { isEmpty ? nil : parts[part(of: key)][key] }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    @discardableResult
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        if parts.count == 1, count >= singlePartLimit { divide() }
        let former = parts[part(of: key)].updateValue(value, forKey: key)
        if former == nil {
            count += 1
            mergeFreedBlocks()
        }
        return former
    }

    /// Now and then frees a block after which the allocator of Linux merges the small blocks that
    /// were freed before; see ``GrowthStep``.
    ///
    /// The parts are smaller. The next write that frees a larger block would wait until the blocks
    /// that a million others have freed are merged.
    private func mergeFreedBlocks() {
        guard count > 0, count.isMultiple(of: 4_096) else { return }
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: GrowthStep.defaultChunkSize,
            alignment: 16
        )
        withExtendedLifetime(block) {}
        block.deallocate()
    }

    @discardableResult
    mutating func removeValue(forKey key: Key) -> Value? {
        if isEmpty { return nil }
        let part = part(of: key)
        guard let former = parts[part].removeValue(forKey: key) else { return nil }
        count -= 1
        mergeFreedBlocks()
        if parts.count > 1, count <= singlePartLimit / 4 {
            // Without empty parts, looking for the next one takes few steps.
            parts = [Dictionary(uniqueKeysWithValues: map { ($0, $1) })]
        } else if Swift.max(parts[part].count * 8, Self.keptCapacity) < parts[part].capacity {
            // A standard dictionary doesn't shrink by itself.
            parts[part] = Dictionary(uniqueKeysWithValues: parts[part].lazy.map { ($0, $1) })
        }
        return former
    }

    private mutating func divide() {
        let elements = parts[0]
        parts = Array(repeating: [:], count: Self.partCount)
        for (key, value) in elements { parts[part(of: key)][key] = value }
    }

    // `IdentifierHasher` gives the reasons for this hash.
    private func part(of key: Key) -> Int { key._rawHashValue(seed: 0) & (parts.count - 1) }

    /// Returns the elements of another part; repeated calls return all parts in turn, except empty
    /// ones.
    ///
    /// - Parameter cursor: The number of the part that was returned last.
    func nextPart(_ cursor: inout Int) -> [Key: Value] {
        for _ in parts {
            cursor = (cursor + 1) % parts.count
            if !parts[cursor].isEmpty { return parts[cursor] }
        }
        return [:]
    }

    /// Removes those of the next few elements that meet a condition.
    ///
    /// Repeated calls examine all elements in turn.
    ///
    /// - Parameters:
    ///   - count: The number of elements after which the search ends with the current part.
    ///   - cursor: The number of the part that was examined last.
    ///   - isOutdated: A closure that returns whether an element is removed.
    mutating func removeSome(
        of count: Int,
        from cursor: inout Int,
        where isOutdated: (Value) -> Bool
    ) {
        var left = count
        for _ in 0..<parts.count where left > 0 {
            let part = nextPart(&cursor)
            left -= Swift.max(part.count, 1)
            for (key, value) in part where isOutdated(value) { removeValue(forKey: key) }
        }
    }
}

extension ChunkedDictionary: Sequence {
    @usableFromInline
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        parts.lazy.joined().makeIterator()
    }
}

extension ChunkedDictionary: Sendable where Key: Sendable, Value: Sendable {}

/// A set that grows and shrinks in small steps.
///
/// Its elements are in no particular order. A plain value without locks or callbacks.
@usableFromInline
package struct ChunkedSet<Element: Hashable>: Sequence {
    private var elements: ChunkedDictionary<Element, Void>

    /// Creates an empty set.
    ///
    /// - Parameter chunkSize: The size of a chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        elements = ChunkedDictionary(chunkSize: chunkSize)
    }

    /// Creates a set with the elements of a sequence.
    package init(_ elements: some Sequence<Element>) {
        self.init()
        formUnion(elements)
    }

    @usableFromInline package var isEmpty: Bool { elements.isEmpty }

    @usableFromInline package var count: Int { elements.count }

    package func contains(_ element: Element) -> Bool { elements[element] != nil }

    @usableFromInline
    package mutating func insert(_ element: Element) { elements[element] = () }

    /// Removes an element; returns whether it was in the set.
    @discardableResult
    @usableFromInline
    mutating func remove(_ element: Element) -> Bool {
        elements.removeValue(forKey: element) != nil
    }

    /// Inserts the elements of a sequence.
    package mutating func formUnion(_ other: some Sequence<Element>) {
        for element in other { insert(element) }
    }

    /// Returns some elements; repeated calls return all of them in turn.
    ///
    /// - Parameter cursor: The number of the part that was returned last.
    func nextPart(_ cursor: inout Int) -> some Collection<Element> {
        elements.nextPart(&cursor).keys
    }

    @usableFromInline
    package func makeIterator() -> some IteratorProtocol<Element> {
        elements.lazy.map(\.key).makeIterator()
    }
}

extension ChunkedSet: Sendable where Element: Sendable {}
