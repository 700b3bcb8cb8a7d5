public import Foundation

/// A transformer that converts objects with `NSSecureCoding` to keyed archives of
/// `NSKeyedArchiver`.
///
/// Its values are `Sendable` ``Archived`` objects:
///
/// ```swift
/// let tags = Persister<Archived<NSArray>?>(
///     file: folder.appendingPathComponent("tags"),
///     transformer: SecureCodingTransformer()
/// )
/// try tags.persist(Archived(["fantasy", "novel"]))
/// ```
///
/// The transformer decodes an archive only as the given class or a subclass. A damaged archive, or
/// an object of another class, is an error.
///
/// ## Systems without Objective-C
/// `NSKeyedUnarchiver` ends the process at some invalid archives there, for example at an object of
/// another class. Therefore the library uses its own reader. It reads scalars, bytes, the
/// Foundation classes for strings, numbers, data, dates, URLs, UUIDs, arrays, sets and
/// dictionaries, and classes whose `init(coder:)` uses the keyed methods. It rejects an object that
/// refers to itself, directly or through others.
///
/// The class must be at the top level of its file and not private, because other classes have no
/// name that the archiver can write. For such a class, set a name with
/// `NSKeyedArchiver.setClassName(_:for:)` and `NSKeyedUnarchiver.setClass(_:forClassName:)`.
///
/// In `init(coder:)`, decode objects with `decodeObject(of:forKey:)`. A call of
/// `decodeObject(forKey:)` allows no class and results in an ``ArchiveError``.
public struct SecureCodingTransformer<Object: NSSecureCoding>: Sendable {
    /// Creates a transformer.
    public init() {}
}

// The extension has the constraint to `NSObject`, so that the compiler infers the class from the
// values. With the constraint on the type, `SecureCodingTransformer()` would be a transformer for
// `NSObject` itself.
extension SecureCodingTransformer: Transformer where Object: NSObject {
    /// Archives an object.
    ///
    /// Equal contents that are encoded in the same order have equal bytes.
    ///
    /// - Parameter value: The object.
    /// - Throws: Any error of the archiver, or ``ArchiveError`` for a class without a name.
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
    /// - Throws: ``ArchiveError``, or another error of the unarchiver or of the object.
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

/// An error of a ``SecureCodingTransformer`` that can't archive an object or read an archive.
///
/// A persister adds the key and the storage: the error is then the ``PersistenceError/underlying``
/// error of a ``PersistenceError``.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason of the failure.
    public let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// A sentence that states the reason.
    public var description: String { "The archive cannot be made or read: \(reason)." }
}

/// A `Sendable` wrapper of an object that conforms to `NSSecureCoding`.
///
/// ```swift
/// let date = Archived(NSDate())
/// let opened = Persister(
///     file: folder.appendingPathComponent("opened.archive"),
///     transformer: SecureCodingTransformer<NSDate>(),
///     defaultValue: date
/// )
/// print(opened.retrieveValue().object.timeIntervalSinceNow)
/// ```
///
/// Such objects are rarely `Sendable`, so this conformance is unchecked. You guarantee that only
/// the owner of the wrapper changes the object, and that two threads use it at the same time only
/// if its class allows that.
///
/// A ``PersistentObject`` saves an object that has changed in place. A ``Persister`` and a
/// ``Persisted`` property store the object only when it is set. Because all readers of a key share
/// the object, change a copy and set that.
public struct Archived<Object: NSObject & NSSecureCoding>: @unchecked Sendable {
    /// The object.
    public let object: Object

    /// Creates a value that holds an object.
    ///
    /// - Parameter object: The object.
    public init(_ object: Object) {
        self.object = object
    }
}

extension Archived: Equatable {
    /// Returns a Boolean value that indicates whether two objects are equal by `isEqual(_:)`.
    public static func == (left: Archived, right: Archived) -> Bool {
        left.object.isEqual(right.object)
    }
}
