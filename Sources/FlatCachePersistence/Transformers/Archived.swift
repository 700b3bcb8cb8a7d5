public import Foundation

/// An object, as a value that may be handed from thread to thread.
///
/// Objects with `NSSecureCoding` are rarely `Sendable`. An archived one is by agreement: its holder is
/// the only one that changes it, and two threads use it at once only if its class allows that.
///
/// A ``PersistentObject`` saves an object that has been changed in place. A ``Persister`` and a
/// ``Persisted`` property store the object when it is set: change a copy and set that, since all readers
/// of the key share the object.
public struct Archived<Object: NSObject & NSSecureCoding>: @unchecked Sendable {
    // Constant; see above for what is inside.
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
    /// Returns whether two objects are equal, as their class sees it.
    public static func == (left: Archived, right: Archived) -> Bool {
        left.object.isEqual(right.object)
    }
}
