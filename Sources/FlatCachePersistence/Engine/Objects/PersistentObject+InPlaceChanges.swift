import FlatCache
import Foundation

// An instance of a class can change without a call to the persistent object. To find such a change,
// the object's encoded bytes are compared with its encoded bytes at the last load or save, and not
// with the stored bytes, because another encoder may have written those.

extension PersistentObject {
    /// Returns the encoded form of an object for a later comparison.
    ///
    /// Without an object, it's the form of the evaluated default. If values of the type can't
    /// change in place, the result is `nil`.
    func fingerprint(of object: Object?) -> ObjectContent? {
        guard InPlaceChanges.arePossible(in: Object.self),
            let object = object ?? defaultValue.evaluated ?? nil
        else { return nil }
        return try? coding.content(of: object)
    }

    /// Returns the object in memory, or the evaluated default, if it has changed in place since it
    /// was last loaded, saved or evaluated.
    ///
    /// - Throws: ``PersistenceError`` if the object can't be encoded.
    /// - Complexity: O(*n*) in the size of the object, for types whose values may change in place.
    func changedInPlace() throws(PersistenceError) -> Object? {
        guard InPlaceChanges.arePossible(in: Object.self) else { return nil }
        let state = memory.withLock { $0 }
        guard let object = state.object ?? defaultValue.evaluated ?? nil else { return nil }
        return try encoded(object) == state.fingerprint ? nil : object
    }

    /// Marks the object as unsaved if it has changed in place.
    ///
    /// The caller must hold the lock of the key.
    ///
    /// - Returns: `true` if the object has changed in place.
    /// - Throws: ``PersistenceError`` if the object can't be encoded.
    func recordChangeInPlace() throws(PersistenceError) -> Bool {
        guard let object = try changedInPlace() else { return false }
        memory.change { state in
            state.object = object
            state.isDirty = true
        }
        return true
    }
}

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
