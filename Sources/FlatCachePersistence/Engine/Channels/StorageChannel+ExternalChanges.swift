import FlatCache

extension StorageChannel {
    /// Reads the storage, and notifies the listeners of a change from outside.
    ///
    /// The value counts as changed only if it differs from the last known value of the storage,
    /// because the current value may be newer than the stored one.
    func checkForExternalChange(_ read: () throws -> Value?) {
        exclusively {
            guard state.withLock({ $0.isInUse }) else { return }
            do {
                try compare(read) { recordFound($0, isAnnounced: true) }
            } catch {
                // A file that is being written may be unreadable at each of many events.
                let description = String(describing: error)
                let isNew = state.withLock { state in
                    defer { state.reportedError = description }
                    return state.reportedError != description
                }
                if isNew { report(error) }
            }
        }
    }

    /// Compares a value that was found in the storage with the known one.
    ///
    /// - Parameter isAnnounced: `true` if a value that can't be compared counts as a change.
    func recordFound(_ value: Value?, isAnnounced: Bool) {
        let (current, stored, hadError) = state.withLock { state in
            (state.current, state.stored, state.reportedError != nil)
        }
        if stored.holds(value, areEqual) {
            // After an error the listeners are notified of the value again.
            if hadError, current.holds(value, areEqual) { setCurrent(value, isNew: true) }
            return
        }
        if case .unknown = stored, case .known = current {
            // The unsaved value is newer than a value that could not be read then.
            _ = state.withLock { $0.setStored(.known(value)) }
            return
        }
        let isComparable = areEqual != nil || value == nil || stored.holds(nil, areEqual)
        if !isComparable, !isAnnounced, isUnsaved { return }
        let isNew = !current.holds(value, areEqual)
        setCurrent(value, isNew: isNew && (isAnnounced || isComparable))
    }

    /// Records a change that a storage announces by itself.
    ///
    /// - Parameter isRepeatable: `true` if a read may have found the same change before, so that an
    ///   equal value isn't announced again.
    func receive(_ value: Value?, isRepeatable: Bool) {
        let isNew = !isRepeatable || !state.withLock { $0.current }.holds(value, areEqual)
        setCurrent(value, isNew: isNew)
        deliver()
    }
}
