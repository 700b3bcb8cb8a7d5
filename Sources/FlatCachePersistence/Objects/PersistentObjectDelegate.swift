/// Hears of changes to persistent objects that somebody else has made.
public protocol PersistentObjectDelegate: AnyObject, Sendable {
    /// Tells that somebody else has changed what is stored for an object: another object of this
    /// process, other code, another process or another device.
    ///
    /// If the object had nothing unsaved it has been loaded anew. If it had, it is as it was, and
    /// its next save goes through its rule for conflicts; ``PersistentObject/hasUnsavedChanges``
    /// tells. What is stored but can't be understood is told to the error handler and the listeners
    /// instead.
    ///
    /// ## Concurrency
    /// It is called as update listeners are: on the thread that has made the change, before its
    /// call returns, or on one of the storage's, if the change comes from outside; under no lock,
    /// so it may use the object. To hear of changes on a queue or an actor add a listener with a
    /// delivery.
    ///
    /// - Parameter object: The object.
    func objectChangedExternally<Object>(_ object: PersistentObject<Object>)
}

/// A reference that keeps nobody alive.
struct WeakDelegate: Sendable {
    weak var delegate: (any PersistentObjectDelegate)?
}
