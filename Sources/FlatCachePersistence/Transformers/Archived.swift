public import Foundation

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
