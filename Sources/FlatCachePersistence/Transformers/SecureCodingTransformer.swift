public import Foundation

/// Turns objects with `NSSecureCoding` into keyed archives, as `NSKeyedArchiver` makes them.
///
/// Values are ``Archived`` objects, which may be handed from thread to thread.
///
/// An archive is only ever decoded as the class that is given, or a subclass, and an archive that
/// is damaged, or of another class, is an error. For that, on systems without Objective-C a reader
/// of this library's own stands in for `NSKeyedUnarchiver`, which ends the process there at an
/// object of another class, for example. It reads scalars, bytes, the Foundation classes for text,
/// numbers, data, dates, URLs, UUIDs, arrays, sets and dictionaries, and classes whose
/// `init(coder:)` uses the methods for keys. An object that refers to itself, through others, is
/// refused there, and a class has to be at the top level of its file and not private, since others
/// have no name; else give it one with `NSKeyedArchiver.setClassName(_:for:)` and
/// `NSKeyedUnarchiver.setClass(_:forClassName:)`.
///
/// An `init(coder:)` decodes objects with `decodeObject(of:forKey:)`: `decodeObject(forKey:)` allows no
/// class, and is an ``ArchiveError``.
public struct SecureCodingTransformer<Object: NSSecureCoding>: Sendable {
    /// Creates a transformer.
    public init() {}
}

// The extension requires the class, so that the compiler infers it from the values: bound to `NSObject` at
// once, `SecureCodingTransformer()` would be a transformer for that class.
extension SecureCodingTransformer: Transformer where Object: NSObject {
    /// Archives an object: equal contents, encoded in the same order, have equal bytes.
    ///
    /// - Parameter value: The object.
    /// - Throws: What the archiver throws.
    public func transformValue(_ value: Archived<Object>) throws -> Data {
        #if !canImport(Darwin)
        try KeyedArchiveReader.checkName(of: type(of: value.object))
        #endif
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: value.object,
            requiringSecureCoding: true
        )
        return BinaryPropertyListWriter.canonicalArchive(archive)
    }

    /// Reads an archive.
    ///
    /// - Parameter output: The archive.
    /// - Throws: ``ArchiveError``, or another error of the unarchiver's or of the object's.
    public func untransformValue(_ output: Data) throws -> Archived<Object> {
        #if canImport(Darwin)
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: output)
        guard let object else { throw ArchiveError("it holds no object") }
        return Archived(object)
        #else
        return Archived(try KeyedArchiveReader.read(Object.self, from: output))
        #endif
    }
}

/// Says why an archive could not be made or read.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the archive.
    public let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// A sentence that says what is wrong.
    public var description: String { "The archive cannot be made or read: \(reason)." }
}
