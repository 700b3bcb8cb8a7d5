import Foundation

/// A type whose values may hold objects of classes, which change without a call of the holder.
protocol InPlaceChanging {
    static var mayChangeInPlace: Bool { get }
}

enum InPlaceChanges {
    /// Returns whether values of a type are, or visibly hold, objects of classes.
    ///
    /// A class inside of a structure of the user's own isn't found.
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
