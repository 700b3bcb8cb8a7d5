import FlatCache

// An object of a class changes without a call of the persistent object. So its encoded bytes are
// compared with its bytes at the last load or save. The stored bytes don't serve for that: another
// encoder may have written them.

extension PersistentObject {
    /// Returns the encoded form of an object to compare later with; `nil` for a type whose values
    /// change only by a call.
    func fingerprint(of object: Object?) -> ObjectContent? {
        guard InPlaceChanges.arePossible(in: Object.self), object != nil else { return nil }
        return try? coding.content(of: object)
    }

    /// The object in memory, or the default that has been read, if it differs from the loaded or saved
    /// one.
    ///
    /// - Throws: If the object can't be encoded.
    /// - Complexity: O(*n*) in the size of the object, for types whose values may change in place.
    func changedInPlace() throws(PersistenceError) -> Object? {
        guard InPlaceChanges.arePossible(in: Object.self) else { return nil }
        let state = state.withLock { $0 }
        if let object = state.object {
            return try encoded(object) == state.fingerprint ? nil : object
        }
        guard let object = defaultValue.evaluated ?? nil else { return nil }
        return try encoded(object) == state.defaultFingerprint ? nil : object
    }

    /// Marks the object as unsaved if it has been changed in place.
    ///
    /// To be called while the place is locked.
    ///
    /// - Returns: Whether it has.
    /// - Throws: If the object can't be encoded.
    func noteChangeInPlace() throws(PersistenceError) -> Bool {
        guard let object = try changedInPlace() else { return false }
        change { state in
            state.object = object
            state.isDirty = true
        }
        return true
    }
}
