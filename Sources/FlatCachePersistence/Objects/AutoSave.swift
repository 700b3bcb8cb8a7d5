import FlatCache
import Foundation

/// The automatic saves of persistent objects that have unsaved changes.
///
/// Objects are saved when the process exits normally, by `exit` or by returning from `main`, when
/// an app enters the background, and on macOS when an app resigns active. A process that is killed,
/// for example by a signal without a handler, doesn't exit normally: if `SIGTERM` ends your
/// service, handle the signal and call `exit`. Before a macOS app allows sudden termination while
/// it is active, call ``saveUnsavedObjects()``:
///
/// ```swift
/// AutoSave.saveUnsavedObjects()
/// ```
public enum AutoSave {
    private struct Entry {
        weak var object: (any AutoSaving)?
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// Stores the unsaved changes of all persistent objects, and reports errors to their handlers.
    ///
    /// Corrupt data isn't overwritten, except after ``PersistentObject/reset(_:)``.
    ///
    /// - Complexity: O(*n*) in the number of persistent objects.
    public static func saveUnsavedObjects() {
        // Keeps the objects alive until all are saved, so that none is deallocated while the lock
        // is held.
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
        Task { @MainActor in
            for name in occasions {
                // The observation lasts until the process ends, so the token isn't needed.
                _ = NotificationCenter.default.addObserver(
                    forName: name,
                    object: nil,
                    queue: nil
                ) { _ in AutoSave.saveUnsavedObjects() }
            }
        }
    }()
}

/// An object that can save itself automatically.
protocol AutoSaving: AnyObject, Sendable {
    func saveAutomatically()
}
