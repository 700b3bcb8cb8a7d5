#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// The bytes of rows that are being encoded.
///
/// No method calls another one while it changes a property, so the properties need no checks of
/// exclusive access, which would cost a call for each appended byte. The class is `Sendable`, since
/// only the thread that has taken a writer from the pool uses it.
final class RowWriter: @unchecked Sendable {
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
    }

    @exclusivity(unchecked) private(set) var bytes = RowBytes()
    @exclusivity(unchecked) private var levels: [Level] = []
    @exclusivity(unchecked) private(set) var path: [any CodingKey] = []
    /// The nested containers that were requested explicitly, each with its position.
    ///
    /// Their contents can be written in any order, so they have bytes of their own until the value
    /// that has requested them is complete.
    @exclusivity(unchecked) private var children: [(position: Int, writer: RowWriter)] = []
    @exclusivity(unchecked) private var keyedContainers = KeyedContainers()

    /// A Boolean value that indicates whether equal values must have equal encodings.
    @exclusivity(unchecked) private var isCanonical = false

    /// The depth at which the writer's value is nested in values of other writers.
    private let outerDepth: Int

    /// The writer that no thread uses at present, with memory and containers for later rows.
    private static let spare = Locked<RowWriter?>(nil)

    /// Creates a writer for a value at a coding path.
    init(path: [any CodingKey] = [], depth: Int = 0) {
        self.path = path
        outerDepth = depth
    }

    // MARK: The pool

    /// Returns a writer without bytes, which the caller alone uses until it gives it back.
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

    /// Appends the encoding of an identifier, which is the same for all equal identifiers.
    ///
    /// - Throws: An `EncodingError` if the identifier contains a set or a dictionary, whose
    ///   elements are in another order in each process.
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
        children = []
    }

    // MARK: Values

    /// Appends a value of a primitive type; returns whether it has one.
    @inline(__always)
    func writePrimitive<Value: Encodable>(_ value: Value) -> Bool {
        // In the specialization for a primitive type, the compiler leaves one branch.
        if Value.self == Int.self {
            write(integer: unsafeBitCast(value, to: Int.self))
        } else if Value.self == String.self {
            write(unsafeBitCast(value, to: String.self))
        } else if Value.self == Double.self {
            write(unsafeBitCast(value, to: Double.self))
        } else if Value.self == Bool.self {
            bytes.append(unsafeBitCast(value, to: Bool.self) ? RowTag.yes : RowTag.no)
        } else if Value.self == Float.self {
            write(unsafeBitCast(value, to: Float.self))
        } else if Value.self == Int64.self {
            write(integer: unsafeBitCast(value, to: Int64.self))
        } else if Value.self == Int32.self {
            write(integer: unsafeBitCast(value, to: Int32.self))
        } else if Value.self == Int16.self {
            write(integer: unsafeBitCast(value, to: Int16.self))
        } else if Value.self == Int8.self {
            write(integer: unsafeBitCast(value, to: Int8.self))
        } else if Value.self == UInt.self {
            write(integer: unsafeBitCast(value, to: UInt.self))
        } else if Value.self == UInt64.self {
            write(integer: unsafeBitCast(value, to: UInt64.self))
        } else if Value.self == UInt32.self {
            write(integer: unsafeBitCast(value, to: UInt32.self))
        } else if Value.self == UInt16.self {
            write(integer: unsafeBitCast(value, to: UInt16.self))
        } else if Value.self == UInt8.self {
            write(integer: unsafeBitCast(value, to: UInt8.self))
        } else {
            return false
        }
        return true
    }

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

    func writeNil() { bytes.append(RowTag.null) }

    @inline(__always)
    private func write(integer value: some FixedWidthInteger) {
        if let small = Int8(exactly: value) {
            if small < 0 { bytes.append(RowTag.int8) }
            bytes.append(UInt8(bitPattern: small))
        } else if let number = Int16(exactly: value) {
            bytes.append(RowTag.int16, number)
        } else if let number = Int32(exactly: value) {
            bytes.append(RowTag.int32, number)
        } else if let number = Int64(exactly: value) {
            bytes.append(RowTag.int64, number)
        } else {
            bytes.append(RowTag.uint64, UInt64(truncatingIfNeeded: value))
        }
    }

    private func write(_ value: Double) {
        bytes.append(RowTag.double, isCanonicalZero(value) ? 0 : value.bitPattern)
    }

    private func write(_ value: Float) {
        bytes.append(RowTag.float, isCanonicalZero(value) ? 0 : value.bitPattern)
    }

    /// Returns whether a number must be encoded as a positive zero, to which a negative one is
    /// equal.
    private func isCanonicalZero(_ value: some FloatingPoint) -> Bool {
        isCanonical && value.isZero
    }

    private func write(_ value: String) {
        // Equal strings can consist of different characters.
        if isCanonical { return write(text: value.precomposedStringWithCanonicalMapping) }
        write(text: value)
    }

    private func write(text value: String) {
        value.withBytes { text in
            if text.count <= RowTag.maximumShortStringLength {
                bytes.append(RowTag.shortString + UInt8(text.count))
            } else {
                bytes.append(RowTag.string)
                append(size: text.count)
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(text))
        }
    }

    private func write(bytes value: UnsafeRawBufferPointer) {
        bytes.append(RowTag.bytes)
        append(size: value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends the name of a key.
    @inline(__always)
    func write(_ key: some CodingKey) {
        key.stringValue.withBytes { text in
            append(size: text.count)
            bytes.append(contentsOf: UnsafeRawBufferPointer(text))
        }
    }

    /// Appends a size, whose range `writeRow(_:)` checks at the end.
    @inline(__always)
    private func append(size: Int) {
        if size < Int(RowTag.longSize) {
            bytes.append(UInt8(size))
        } else {
            bytes.append(RowTag.longSize, UInt32(truncatingIfNeeded: size))
        }
    }

    // MARK: Containers

    /// Begins a value; returns the number of its level.
    private func beginLevel() -> Int {
        levels.append(Level(start: bytes.count, outerChildren: children.count))
        return levels.count - 1
    }

    /// Begins a keyed container of a level, or continues it if it's requested again.
    func keyedContainer<Key: CodingKey>(
        _ keyType: Key.Type,
        of level: Int
    ) -> KeyedEncodingContainer<Key> {
        beginContainer(.keyed, of: level)
        // The writer of a nested container isn't given back, so the container must not retain it.
        if outerDepth > 0 { return KeyedContainers.makeContainer(keyType, for: self) }
        return keyedContainers.container(keyType, for: self)
    }

    /// Begins a container of a level, or continues it if it's requested again.
    func beginContainer(_ shape: Level.Shape, of level: Int) {
        guard levels[level].shape != shape else { return }
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

    /// Ends the value of the deepest level.
    private func endLevel() {
        let level = levels.removeLast()
        if children.count > level.outerChildren { insertChildren(after: level.outerChildren) }
        if level.shape == .single {
            // A value that encodes nothing is like one without properties.
            if level.start == bytes.count {
                bytes.append(RowTag.keyed)
                bytes.append(0)
            }
            return
        }
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
        children.append((bytes.count, child))
        return child
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

extension String {
    /// Calls a closure with the UTF-8 encoding of the string.
    ///
    /// `withUTF8(_:)` takes a variable, so the caller would have to copy and retain the string.
    @inline(__always)
    fileprivate func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if utf8.withContiguousStorageIfAvailable(body) != nil { return }
        var copy = self
        copy.withUTF8(body)
    }
}

/// A collection whose elements have another order in each process.
private protocol UnorderedCollection {}
extension Set: UnorderedCollection {}
extension Dictionary: UnorderedCollection {}
#endif
