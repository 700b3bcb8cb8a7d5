#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// The bytes of rows that are being encoded.
///
/// No method calls another one while it changes a property, so the properties need no checks of
/// exclusive access. Those would cost a call for each appended byte. The class is `Sendable`, since
/// only the thread that has taken a writer from the pool uses it.
final class RowWriter: @unchecked Sendable {
    @exclusivity(unchecked) var bytes = RowBytes()
    @exclusivity(unchecked) private var levels: [Level] = []
    @exclusivity(unchecked) private(set) var path: [any CodingKey] = []
    /// The nested containers that were requested explicitly.
    ///
    /// Their contents can be written in any order, so they have separate bytes until the value that
    /// has requested them is complete.
    @exclusivity(unchecked) private var children: [Child] = []
    /// The keys of the present level so far.
    @exclusivity(unchecked) var keys = WrittenKeys()
    @exclusivity(unchecked) private var keyedContainers = KeyedContainers()

    /// `true` if equal values must have equal encodings.
    @exclusivity(unchecked) private(set) var isCanonical = false

    /// The depth at which the writer's value is nested in values of other writers.
    private let outerDepth: Int

    /// The writer that no thread uses at present, with memory and containers for later rows.
    private static let spare = Locked<RowWriter?>(nil)

    init(path: [any CodingKey] = [], depth: Int = 0) {
        self.path = path
        outerDepth = depth
    }

    // MARK: The pool

    /// Returns a writer without bytes for the caller's use until the caller gives it back.
    static func take() -> RowWriter { spare.withLock { $0.take() } ?? RowWriter() }

    /// Gives the writer back, without its bytes.
    func giveBack() {
        if bytes.count > Self.keptCount { bytes = RowBytes() }
        removeAll(from: 0)
        let other = Self.spare.withLock { spare in
            defer { spare = self }
            return spare
        }
        // Containers retain their writer.
        other?.keyedContainers = KeyedContainers()
    }

    /// The maximum number of bytes whose memory a writer keeps for later rows.
    private static let keptCount = 1 << 20

    // MARK: Rows

    /// Appends the encoding of a whole value, or nothing if it throws.
    func writeRow<Value: Encodable>(_ value: Value) throws {
        let start = bytes.count
        do {
            if !writePrimitive(value) { try writeComposite(value, key: nil) }
            guard bytes.count - start <= RowTag.maximumSize else {
                throw invalid(value, "The encoding has more than \(RowTag.maximumSize) bytes.")
            }
        } catch {
            removeAll(from: start)
            throw error
        }
    }

    /// Appends the encoding of an identifier: the same bytes for equal identifiers.
    ///
    /// - Throws: An `EncodingError` if the identifier contains a set or a dictionary, because the
    ///   order of their elements differs between processes.
    func writeIdentifier(_ identifier: some Encodable) throws {
        isCanonical = true
        defer { isCanonical = false }
        try writeRow(identifier)
    }

    /// Appends bytes that another coder has written.
    func append(contentsOf other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }

    /// Removes all bytes from a position on, between two rows.
    func removeAll(from position: Int) {
        bytes.removeAll(from: position)
        levels.removeAll(keepingCapacity: true)
        keys = WrittenKeys()
        children = []
    }

    // MARK: Values

    /// Appends a value of another type than the primitive ones.
    private func writeComposite<Value: Encodable>(_ value: Value, key: (any CodingKey)?) throws {
        if Value.self == Date.self, let date = value as? Date {
            return write(date.timeIntervalSinceReferenceDate)
        }
        if Value.self == Data.self, let data = value as? Data {
            return data.withUnsafeBytes { write(bytes: $0) }
        }
        if Value.self == [UInt8].self, let array = value as? [UInt8] {
            return array.withUnsafeBytes { write(bytes: $0) }
        }
        if Value.self == UUID.self, let identifier = value as? UUID {
            return withUnsafeBytes(of: identifier.uuid) { write(bytes: $0) }
        }
        if isCanonical, Value.self is any UnorderedCollection.Type {
            throw invalid(
                value,
                """
                An identifier can't contain a \(Value.self), whose elements have no order: encode \
                a sorted array.
                """
            )
        }
        guard outerDepth + levels.count < RowTag.maximumDepth else {
            throw invalid(
                value,
                "The value is nested more than \(RowTag.maximumDepth) levels deep."
            )
        }
        if let key { path.append(key) }
        defer { if key != nil { path.removeLast() } }
        let level = beginLevel()
        do {
            try value.encode(to: RowEncoder(writer: self, level: level))
        } catch {
            keys = levels[level].outerKeys
            levels.removeSubrange(level...)
            throw error
        }
        endLevel()
    }

    private func invalid(_ value: some Encodable, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    /// Appends a composite value, or removes all bytes from a position on if it can't be encoded.
    ///
    /// An `encode(to:)` can catch the error and go on.
    func writeComposite<Value: Encodable>(
        _ value: Value,
        key: (any CodingKey)? = nil,
        orRemoveFrom start: Int
    ) throws {
        do {
            try writeComposite(value, key: key)
        } catch {
            bytes.removeAll(from: start)
            // A nested container at the position itself precedes the removed bytes.
            while let child = children.last, child.position > start { children.removeLast() }
            throw error
        }
    }

    // MARK: Containers

    /// Begins a value; returns the number of its level.
    private func beginLevel() -> Int {
        levels.append(
            Level(start: bytes.count, outerChildren: children.count, outerKeys: keys)
        )
        keys = WrittenKeys()
        return levels.count - 1
    }

    /// Begins a keyed container of a level, or continues it if it's requested again.
    func keyedContainer<Key: CodingKey>(
        _ keyType: Key.Type,
        of level: Int
    ) -> KeyedEncodingContainer<Key> {
        beginContainer(.keyed, of: level)
        // The writer of a nested container isn't given back, so the container must not retain it.
        if outerDepth > 0 { return KeyedEncodingContainer(RowKeyedEncodingContainer(writer: self)) }
        return keyedContainers.container(keyType, for: self)
    }

    /// Begins a container of a level, or continues it if it's requested again.
    func beginContainer(_ shape: Level.Shape, of level: Int) {
        guard levels[level].shape != shape else {
            levels[level].mayRepeatKeys = true
            return
        }
        precondition(
            levels[level].shape == .single && levels[level].start == bytes.count,
            "encode(to:) at \(path.map(\.stringValue)) requests containers of two kinds: use one."
        )
        bytes.append(shape == .keyed ? RowTag.keyed : RowTag.unkeyed)
        levels[level].shape = shape
        levels[level].start = bytes.count
        // Most containers have a size of one byte.
        bytes.append(0)
    }

    func count(of level: Int) -> Int { levels[level].count }

    func countElement(of level: Int) { levels[level].count += 1 }

    private func endLevel() {
        let level = levels.removeLast()
        let endedKeys = keys
        keys = level.outerKeys
        if children.count > level.outerChildren { insertChildren(after: level.outerChildren) }
        if level.shape == .single {
            // A value that encodes nothing is like one without properties.
            if level.start == bytes.count {
                bytes.append(RowTag.keyed)
                bytes.append(0)
            }
            return
        }
        if level.mayRepeatKeys || endedKeys.mayRepeat { removeRepeatedKeys(of: level) }
        let size = bytes.count - level.start - 1
        if size < Int(RowTag.longSize) {
            bytes[level.start] = UInt8(size)
        } else {
            bytes[level.start] = RowTag.longSize
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: size).littleEndian) { size in
                bytes.insert(size, at: level.start + 1)
            }
        }
    }

    /// Returns a writer whose bytes are inserted at the end of the present ones, once the value
    /// of the present level is complete.
    func child(key: any CodingKey) -> RowWriter {
        let child = RowWriter(path: path + [key], depth: outerDepth + levels.count)
        child.isCanonical = isCanonical
        _ = child.beginLevel()
        children.append(Child(position: bytes.count, key: key, writer: child))
        return child
    }

    /// Returns the writer of the container of a shape that the present level has requested for a
    /// key before, or `nil` if there is none.
    func child<Key: CodingKey>(key: Key, shape: Level.Shape) -> RowWriter? {
        guard let level = levels.last, WrittenKeys.contains(Key.self) || level.mayRepeatKeys else {
            return nil
        }
        let child = children[level.outerChildren...].last {
            $0.key.stringValue == key.stringValue
        }
        return child?.writer.levels.first?.shape == shape ? child?.writer : nil
    }

    // MARK: Repeated keys

    /// Removes the entries of a level whose keys follow again, since the last value of a key
    /// counts, as in JSON.
    private func removeRepeatedKeys(of level: Level) {
        guard level.shape == .keyed else { return }
        // The writer has written these entries, so they can be read.
        let range = (level.start + 1)..<bytes.count
        let entries = (try? RowReader(bytes.buffer).entries(in: range)) ?? []
        let repeated = entries.indices.filter { index in
            let name = bytes.buffer[entries[index].name]
            return entries[(index + 1)...].contains { later in
                later.name.count == name.count && bytes.buffer[later.name].elementsEqual(name)
            }
        }
        for index in repeated.reversed() { bytes.remove(entries[index].range) }
    }

    /// Inserts the nested containers of the level that ends.
    ///
    /// A container of an outer level can have the same position as the level's value.
    private func insertChildren(after outerCount: Int) {
        while children.count > outerCount {
            let child = children.removeLast()
            child.writer.endLevel()
            bytes.insert(child.writer.bytes.buffer, at: child.position)
        }
    }
}

/// The keys of a container so far, if they're the cases of an enumeration.
///
/// Other keys, such as those of a dictionary, can be so many that looking for repeated ones would
/// take too long.
struct WrittenKeys {
    private var cases = SIMD4<UInt64>()
    /// `true` if a key may have been written twice.
    var mayRepeat = false

    /// Returns whether keys of a type are recorded: a type of this size is an enumeration.
    static func contains<Key: CodingKey>(_ type: Key.Type) -> Bool { MemoryLayout<Key>.size <= 1 }

    @inline(__always)
    mutating func insert<Key: CodingKey>(_ key: Key) {
        guard Self.contains(Key.self) else { return }
        let number = withUnsafeBytes(of: key) { $0.first ?? 0 }
        let (word, bit) = (Int(number >> 6), UInt64(1) << UInt64(number & 63))
        if cases[word] & bit != 0 { mayRepeat = true }
        cases[word] |= bit
    }
}

extension RowWriter {
    /// A value whose `encode(to:)` is running.
    struct Level {
        enum Shape { case single, keyed, unkeyed }

        var shape = Shape.single
        /// The position of the container's size, or of the single value.
        var start: Int
        /// The number of elements of an unkeyed container.
        var count = 0
        /// The number of nested containers that belong to outer levels.
        let outerChildren: Int
        /// The keys of the level around this one so far.
        let outerKeys: WrittenKeys
        /// `true` if the container was requested twice, so that a key may have been written twice.
        var mayRepeatKeys = false
    }

    /// A nested container that was requested explicitly.
    struct Child {
        let position: Int
        let key: any CodingKey
        let writer: RowWriter
    }
}

/// A collection whose elements have another order in each process.
protocol UnorderedCollection {}
extension Set: UnorderedCollection {}
extension Dictionary: UnorderedCollection {}
#endif
