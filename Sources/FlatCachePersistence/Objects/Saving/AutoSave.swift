import FlatCache
import Foundation

/// Saves persistent objects that have unsaved changes, when it is time to.
///
/// By itself it does so when the process exits normally, by `exit` or by returning from `main`,
/// and, on systems where apps have a background, when the app goes there. A process that is killed,
/// by a signal that nobody handles too, does not exit normally: a service that is ended by
/// `SIGTERM` should handle that and call `exit`. On macOS, call ``saveUnsavedObjects()`` before an
/// app allows sudden termination.
public enum AutoSave {
    private struct Entry {
        weak var object: (any AutoSaving)?
    }

    private static let entries = Guarded<[ObjectIdentifier: Entry]>([:])

    /// Stores the unsaved changes of all persistent objects; errors go to their handlers.
    ///
    /// Data that could not be understood is not overwritten.
    ///
    /// - Complexity: O(*n*) in the number of persistent objects.
    public static func saveUnsavedObjects() {
        // Kept alive until all have been saved, so that none goes while the lock is held.
        let objects = entries.withLock { $0.values.compactMap(\.object) }
        for object in objects { object.saveAutomatically() }
    }

    static func add(_ object: some AutoSaving) {
        beginOnce
        let entry = Entry(object: object)
        entries.withLock { $0[ObjectIdentifier(object)] = entry }
    }

    static func remove(_ object: some AutoSaving) {
        let entry = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(entry) {}
    }

    private static let beginOnce: Void = {
        atexit { AutoSave.saveUnsavedObjects() }
        saveInBackground()
    }()
}

/// Something that saves itself when it is time to.
protocol AutoSaving: AnyObject, Sendable {
    func saveAutomatically()
}
