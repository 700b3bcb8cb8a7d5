import FlatCache
import Foundation

/// An object that lives in memory and is saved as a whole, such as a document, a draft, or the
/// state that an app restores at launch.
///
/// ```swift
/// let draft = PersistentObject<Order>(filename: "draft.json", defaultValue: Order())
/// draft.update { $0?.books.append(book) }
/// try draft.save()
/// ```
///
/// A ``Persister`` stores each value at once. A persistent object only marks its changes as
/// unsaved; ``save()`` stores them. Unsaved changes are also stored when the app enters the
/// background or, on macOS, resigns active, when the process exits, and when the persistent object
/// is deallocated; see ``AutoSave``. A persistent object without unsaved changes never writes.
///
/// An optimized build may deallocate a local persistent object after its last use, and so before a
/// change to an instance that you have read from it. Call ``save()`` after such a change.
///
/// ## Sharing a stored object
/// After a save, all readers of the stored object in this process see the new one: other persistent
/// objects, persisters and direct reads of the storage. If another writer, in this process or
/// another, stores an object, it replaces the object in memory unless there are unsaved changes.
/// The listeners are notified in either case, and ``onExternalChange`` is called.
///
/// Unsaved changes remain in memory until the next save. If the stored data has changed since the
/// last load or save, that save applies the ``ConflictRule``. If another process stores an object
/// between that comparison and the write, its object is lost.
///
/// ## Corrupt data
/// If the stored data is corrupt, the persistent object reports an error, and the object in memory
/// remains unchanged: initially `nil` or the default. Automatic saves don't overwrite corrupt data.
/// ``save()`` and any save after ``reset(_:)`` do, but only after a copy has been kept; see
/// ``CorruptValueKeeping``. No save overwrites data that can't be *read*.
///
/// ## Reference types
/// An instance of a class may change in place: `draft.object?.title = "…"`. Every save, including
/// automatic saves, encodes such an object and stores it if its bytes differ from its bytes at the
/// last load or save. This applies to classes, to ``Archived``, and to optionals, arrays, sets and
/// dictionaries of them. It costs an encoding per load and per save, and a copy of the bytes in
/// memory. Values of other types don't have this cost. If the bytes of a transformer differ from
/// call to call, as those of encryption do, every save of such an object writes.
///
/// For a class inside a structure of your own, use ``update(_:)``, or call ``setNeedsSave()`` after
/// the change. Listeners are notified of changes through ``object`` and ``update(_:)``, not of
/// changes in place.
///
/// The class must be `Sendable`, or wrapped in ``Archived``. The saving thread encodes the object:
/// if an automatic save may run while another thread changes the object, the class needs a lock.
///
/// ## Concurrency
/// You can use a persistent object on any thread. Reading doesn't wait, unless another writer has
/// just stored an object that has to be loaded first. Setting the object, ``update(_:)`` and
/// ``save()`` wait for other writes of this process to the stored object.
///
/// ``onExternalChange`` and the listeners are called under no lock, in the order of the changes,
/// and one call at a time for each stored object. The thread that makes a change makes the calls
/// before its own call returns. If a listener is already being called, by another thread or further
/// up the stack, that caller makes the calls instead.
public final class PersistentObject<Object: Sendable>: Sendable {
    let persister: Persister<ObjectContent>
    let coding: StoredForm<Object, Data>
    let memory = Locked(ObjectState<Object>())
    let listeners = ListenerList<Result<Update, any Error>>()
    let synchronizeRepository: @Sendable () throws -> Void
    /// `true` if the rule is resolving a conflict.
    ///
    /// It changes only while the key is locked.
    let isResolving = Locked(false)
    let defaultValue: DefaultValue<Object?>
    private let externalChange = Locked<(@Sendable (PersistentObject) -> Void)?>(nil)
    private let listening = Locked<Disposable?>(nil)

    /// The rule that resolves a conflict between unsaved changes and an external change.
    public let conflictRule: ConflictRule

    init(
        _ access: any ValueAccess<ObjectContent>,
        _ coding: StoredForm<Object, Data>,
        _ defaultValue: @escaping @Sendable () -> Object?,
        _ conflictRule: ConflictRule,
        _ errorHandler: PersistenceErrorHandler?,
        synchronize: @escaping @Sendable () throws -> Void
    ) {
        persister = Persister(access, behaviour: [], onError: errorHandler) { .absent }
        synchronizeRepository = synchronize
        self.coding = coding
        self.defaultValue = DefaultValue(of: access) { [memory] in
            let object = defaultValue()
            if InPlaceChanges.arePossible(in: Object.self), object != nil {
                let fingerprint = try? coding.content(of: object)
                memory.withLock { if $0.object == nil { $0.fingerprint = fingerprint } }
            }
            return object
        }
        self.conflictRule = conflictRule
        let token = access.exclusively {
            refresh()
            // After the first load, so that only later changes notify the object.
            return access.listen(delivery: .inline) { [weak self] _, version in
                self?.receiveChange(version)
            } toErrors: { [weak self] error in
                self?.receive(error)
            }
        }
        listening.withLock { $0 = token }
        AutoSave.add(self)
    }

    var access: any ValueAccess<ObjectContent> { persister.access }

    deinit {
        AutoSave.remove(self)
        listening.withLock { $0.take() }?.dispose()
        saveAutomatically()
    }

    /// A closure that the object calls after another writer has changed the stored object: another
    /// persistent object or other code of this process, another process, or another device.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile)
    /// draft.onExternalChange = { draft in
    ///     print(draft.hasUnsavedChanges ? "Merge your changes?" : "Loaded again.")
    /// }
    /// ```
    ///
    /// If the object had no unsaved changes, it has been loaded again. Otherwise the object in
    /// memory is unchanged, and its next save applies its ``ConflictRule``. If the stored data is
    /// corrupt, the error handler and the listeners receive an error, and the closure isn't called.
    ///
    /// ## Concurrency
    /// The object calls the closure like an update listener: on the thread that makes the change,
    /// before the call that makes it returns, or on a thread of the storage for a change from
    /// outside the process. No lock is held, so the closure may use the object. You can set the
    /// property on any thread. To receive changes on an actor, call `observeChanges(isolation:)`.
    public var onExternalChange: (@Sendable (PersistentObject) -> Void)? {
        get { externalChange.withLock { $0 } }
        set {
            externalChange.change { $0 = newValue }
        }
    }

    /// A Boolean value that indicates whether a save would store or remove something.
    ///
    /// - Complexity: O(1). For an instance of a class, O(*n*) in its size, because it may have
    ///   changed in place and is encoded.
    public var hasUnsavedChanges: Bool {
        if memory.withLock({ $0.isDirty }) { return true }
        // An object that can't be encoded counts as changed.
        do throws(PersistenceError) { return try changedInPlace() != nil } catch { return true }
    }

    // MARK: The object

    /// The object in memory, or the default if there is none.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile)
    /// draft.object = order
    /// print(draft.object?.books.count ?? 0, draft.hasUnsavedChanges)  // 1 true
    /// ```
    ///
    /// Setting this property stores nothing yet. If you set it to `nil`, the next save removes the
    /// stored object.
    public var object: Object? {
        get {
            if let known = known() { return known.object ?? defaultValue() }
            access.exclusively { refresh() }
            return memory.withLock { $0.object } ?? defaultValue()
        }
        set { set(newValue, replaces: false) }
    }

    private func known() -> (object: Object?, Void)? {
        // Under no lock: listeners may be called if the storage has changed without an
        // announcement.
        let version = persister.latestVersion
        return memory.withLock { $0.isDirty || $0.version == version ? ($0.object, ()) : nil }
    }

    /// Replaces the object in memory and, at the next save, the stored object.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile)
    /// draft.reset(Order())  // replaces even a corrupt draft
    /// try draft.save()
    /// ```
    ///
    /// The next save, even an automatic one, stores the object without applying the
    /// ``ConflictRule``. If the stored data is corrupt, the save first keeps a copy of it.
    ///
    /// - Parameter object: The new object, or `nil` to remove the stored object at the next save.
    public func reset(_ object: Object?) { set(object, replaces: true) }

    private func set(_ object: Object?, replaces: Bool) {
        access.exclusively {
            refresh()
            let fingerprint = object == nil ? fingerprint(of: nil) : nil
            memory.change { state in
                state.object = object
                state.isDirty = true
                if object == nil { state.fingerprint = fingerprint }
                if replaces { state.replaces = true }
            }
            announce(.changed)
        }
    }

    /// Changes the object in place, and excludes other writes of this process to the object and to
    /// the stored data meanwhile.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile, defaultValue: Order())
    /// let count = draft.update { order in
    ///     order?.books.append(book)
    ///     return order?.books.count ?? 0
    /// }
    /// ```
    ///
    /// This method stores nothing yet.
    ///
    /// ## Concurrency
    /// The closure is called once, on the calling thread, while the stored object is locked. It may
    /// use this persistent object, but the final value of its argument overwrites any object that
    /// it sets. It must not wait for another thread that uses the persistent object.
    ///
    /// - Parameter body: A closure that changes the object. Its argument is the default if there is
    ///   no object, and `nil` if there is no default either.
    /// - Returns: The result of the closure.
    /// - Throws: Any error that the closure throws. The object is unchanged then.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Object?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            // Evaluates the default before taking the lock, because the client's closure may use
            // the stored object.
            _ = object
            let result = try access.exclusively { () throws(Failure) -> Result? in
                refresh()
                var object = memory.withLock { $0.object }
                if object == nil {
                    guard let evaluated = defaultValue.evaluated else { return nil }
                    object = evaluated
                }
                let result = try body(&object)
                memory.change { state in
                    state.object = object
                    state.isDirty = true
                }
                announce(.changed)
                return result
            }
            if let result { return result }
        }
    }

    /// Marks the object as unsaved and notifies the listeners, after a change in place.
    ///
    /// ```swift
    /// let opened = PersistentObject(
    ///     repository: FileRepository(file: folder.appendingPathComponent("opened.archive")),
    ///     transformer: SecureCodingTransformer<NSMutableData>(),
    ///     defaultValue: Archived(NSMutableData())
    /// )
    /// opened.object?.object.append(Data([1]))
    /// opened.setNeedsSave()
    /// ```
    public func setNeedsSave() {
        access.exclusively {
            refresh()
            memory.change { $0.isDirty = true }
            announce(.changed)
        }
    }
}
