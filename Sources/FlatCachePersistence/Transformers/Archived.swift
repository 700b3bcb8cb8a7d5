public import Foundation

/// An object, as a value that may be handed from thread to thread.
///
/// Objects with `NSSecureCoding` are rarely `Sendable`. This one is, because nobody but its holder
/// is meant to have the object: don't change it once it is in here, and don't use what you got from
/// here on two threads at once if the class does not allow that. To change a persisted object,
/// change a copy and store that.
public struct Archived<Object: NSObject & NSSecureCoding>: @unchecked Sendable {
    // Constant; see above for what is inside.
    /// The object.
    public let object: Object

    /// Creates a value that holds an object.
    ///
    /// - Parameter object: The object, not to be changed any more.
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
