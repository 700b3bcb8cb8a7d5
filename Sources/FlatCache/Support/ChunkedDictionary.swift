/// A dictionary that grows and shrinks in small steps, so that no single change has to move all of
/// its elements.
///
/// The elements are in a ``ChunkedArray``, in no particular order, and a ``HashIndex`` finds them.
/// A plain value without locks or callbacks.
///
/// Lookups are inlinable, because evictions look up pins in clients' modules.
@usableFromInline
struct ChunkedDictionary<Key: Hashable, Value> {
    @usableFromInline
    struct Element {
        @usableFromInline let key: Key
        let hash: UInt32
        @usableFromInline var value: Value
    }

    @usableFromInline private(set) var elements: ChunkedArray<Element>
    @usableFromInline private(set) var index: HashIndex

    /// Creates an empty dictionary.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        elements = ChunkedArray(chunkSize: chunkSize)
        index = HashIndex(chunkSize: chunkSize)
    }

    var count: Int { elements.count }

    @inlinable var isEmpty: Bool { elements.isEmpty }

    /// The value of a key, or `nil` if there's none.
    ///
    /// - Complexity: O(1) on average. Setting a value takes no more than the time to move the
    ///   elements of a few chunks.
    @inlinable
    subscript(key: Key) -> Value? {
        get {
            if isEmpty { return nil }
            return position(of: key, hash: Self.hash(of: key)).map { elements[$0].value }
        }
        set { set(newValue, of: key) }
    }

    @usableFromInline
    mutating func set(_ value: Value?, of key: Key) {
        let hash = Self.hash(of: key)
        switch (position(of: key, hash: hash), value) {
        case (let position?, let value?): elements[position].value = value
        case (let position?, nil): removeElement(at: position)
        case (nil, let value?):
            index.insert(Int32(elements.count), hash: hash)
            elements.append(Element(key: key, hash: hash, value: value))
        case (nil, nil): break
        }
    }

    /// Returns the key at a position below the count; a removal moves the last key.
    func key(at position: Int) -> Key { elements[position].key }

    @discardableResult
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let former = self[key]
        self[key] = value
        return former
    }

    mutating func removeValue(forKey key: Key) -> Value? {
        guard !isEmpty, let position = position(of: key, hash: Self.hash(of: key)) else {
            return nil
        }
        return removeElement(at: position)
    }

    @inlinable
    func position(of key: Key, hash: UInt32) -> Int? {
        index.position(withHash: hash) { elements[Int($0)].key == key }.map { Int($0) }
    }

    /// Removes those of the next few elements that meet a condition.
    ///
    /// Repeated calls examine all elements in turn.
    ///
    /// - Parameters:
    ///   - count: The number of elements to examine.
    ///   - cursor: The position of the next element to examine.
    ///   - isOutdated: A closure that returns whether an element is removed.
    mutating func removeSome(
        of count: Int,
        from cursor: inout Int,
        where isOutdated: (Value) -> Bool
    ) {
        for _ in 0..<Swift.min(count, self.count) {
            if cursor >= self.count { cursor = 0 }
            if isOutdated(elements[cursor].value) {
                removeElement(at: cursor)
            } else {
                cursor += 1
            }
        }
    }

    /// Removes an element.
    ///
    /// The last element takes its position.
    @discardableResult
    private mutating func removeElement(at position: Int) -> Value {
        let last = elements.removeLast()
        guard position < elements.count else {
            index.remove(Int32(position), hash: last.hash)
            return last.value
        }
        index.remove(Int32(position), hash: elements[position].hash)
        index.replace(Int32(elements.count), by: Int32(position), hash: last.hash)
        let removed = elements[position]
        elements[position] = last
        return removed.value
    }

    // `IdentifierHasher` gives the reasons for this hash.
    @inlinable
    static func hash(of key: Key) -> UInt32 {
        UInt32(truncatingIfNeeded: key._rawHashValue(seed: 0))
    }

    /// Traps unless the index leads to each element; for tests.
    func checkInvariants() {
        index.checkInvariants()
        precondition(index.count == count, "The index must have each element once.")
        for (position, element) in elements.enumerated() {
            precondition(
                self.position(of: element.key, hash: element.hash) == position,
                "The index must lead to each element."
            )
        }
    }
}

extension ChunkedDictionary: Sendable where Key: Sendable, Value: Sendable {}

extension ChunkedDictionary.Element: Sendable where Key: Sendable, Value: Sendable {}

/// A set that grows and shrinks in small steps.
///
/// Its elements are in no particular order, and an insertion or a removal may change all positions.
/// A plain value without locks or callbacks.
@usableFromInline
package struct ChunkedSet<Element: Hashable> {
    private var elements: ChunkedDictionary<Element, Void>

    /// Creates an empty set.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
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
    ///
    /// The last element takes the position of the removed one.
    @discardableResult
    @usableFromInline
    mutating func remove(_ element: Element) -> Bool {
        elements.removeValue(forKey: element) != nil
    }

    /// Inserts the elements of a sequence.
    package mutating func formUnion(_ other: some Sequence<Element>) {
        for element in other { insert(element) }
    }
}

extension ChunkedSet: RandomAccessCollection {
    @usableFromInline package var startIndex: Int { 0 }

    @usableFromInline package var endIndex: Int { count }

    @usableFromInline
    package subscript(position: Int) -> Element { elements.key(at: position) }
}

extension ChunkedSet: Sendable where Element: Sendable {}
