import Foundation

/// A type whose values may hold instances of classes.
///
/// Such an instance can change without a call to the holder.
protocol InPlaceChanging {
    static var mayChangeInPlace: Bool { get }
}

enum InPlaceChanges {
    /// Returns a Boolean value that indicates whether values of a type are, or visibly hold,
    /// instances of classes.
    ///
    /// This function doesn't find a class inside a client's own structure.
    static func arePossible(in type: Any.Type) -> Bool {
        type is AnyClass || (type as? any InPlaceChanging.Type)?.mayChangeInPlace == true
    }
}

extension Archived: InPlaceChanging {
    static var mayChangeInPlace: Bool { true }
}

extension Optional: InPlaceChanging {
    static var mayChangeInPlace: Bool { InPlaceChanges.arePossible(in: Wrapped.self) }
}

extension Array: InPlaceChanging {
    static var mayChangeInPlace: Bool { InPlaceChanges.arePossible(in: Element.self) }
}

extension Set: InPlaceChanging {
    static var mayChangeInPlace: Bool { InPlaceChanges.arePossible(in: Element.self) }
}

extension Dictionary: InPlaceChanging {
    static var mayChangeInPlace: Bool {
        InPlaceChanges.arePossible(in: Key.self) || InPlaceChanges.arePossible(in: Value.self)
    }
}
