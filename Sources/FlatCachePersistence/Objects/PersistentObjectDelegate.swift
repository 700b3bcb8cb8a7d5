/// A delegate that receives notifications of external changes to persistent objects.
///
/// ```swift
/// final class Editor: PersistentObjectDelegate {
///     func objectChangedExternally<Object>(_ object: PersistentObject<Object>) {
///         print(object.hasUnsavedChanges ? "Merge your changes?" : "Loaded again.")
///     }
/// }
///
/// let editor = Editor()
/// let draft = PersistentObject<Order>(file: draftFile)
/// draft.delegate = editor
/// ```
public protocol PersistentObjectDelegate: AnyObject, Sendable {
    /// Notifies the delegate that another writer has changed the stored form of an object: another
    /// persistent object or other code of this process, another process, or another device.
    ///
    /// If the object had no unsaved changes, it has been loaded again. Otherwise the object in
    /// memory is unchanged, and its next save applies its ``PersistentObject/ConflictRule``; see
    /// ``PersistentObject/hasUnsavedChanges``. If the stored data is corrupt, the error handler and
    /// the listeners receive an error, and this method isn't called.
    ///
    /// ## Concurrency
    /// The object calls this method like an update listener: on the thread that makes the change,
    /// before the call that makes it returns, or on a thread of the storage for a change from
    /// outside the process. No lock is held, so the method may use the object. To receive changes
    /// on a queue or an actor, add a listener with a delivery.
    ///
    /// - Parameter object: The object.
    func objectChangedExternally<Object>(_ object: PersistentObject<Object>)
}
