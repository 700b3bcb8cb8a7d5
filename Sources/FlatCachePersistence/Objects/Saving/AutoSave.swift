import FlatCache
import Foundation

/// Saves persistent objects that have unsaved changes, when it is time to.
///
/// Objects are saved when the process exits normally, by `exit` or by returning from `main`; when an
/// app enters the background; and on macOS when an app resigns active. A process that is killed, also by
/// a signal without a handler, doesn't exit normally: a service that `SIGTERM` ends should handle the
/// signal and call `exit`. A macOS app that allows sudden termination while it is active calls
/// ``saveUnsavedObjects()`` first.
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
