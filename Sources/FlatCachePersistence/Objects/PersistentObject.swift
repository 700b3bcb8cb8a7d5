import FlatCache

/// An object that lives in memory and is saved as a whole: a document, a draft, what an app goes on
/// with when it is started again.
///
/// ```swift
/// let draft = PersistentObject<Order>(filename: "draft.json", defaultValue: Order())
/// draft.update { $0?.books.append(book) }
/// try draft.save()
/// ```
///
/// Unlike a ``Persister``, which stores each value at once, this only notes that there are changes to
/// save. ``save()`` stores them. They are also saved when the app enters the background or, on macOS,
/// resigns active, when the process exits, and when the object is deallocated; see ``AutoSave``. An
/// object without unsaved changes never writes.
///
/// ## Others in the same place
/// What has been saved is what all others in this process see from then on: other persistent
/// objects, persisters, plain calls. What others store, here or in another process, replaces the
/// object in memory unless that has unsaved changes; the delegate and the listeners are told in
/// either case. An object with unsaved changes keeps them until it is saved; then the
/// ``ConflictRule`` decides, by comparing what is stored with what was there when the object was
/// last loaded or saved. Between that comparison and the write another process may still store
/// something, which then is lost.
///
/// ## Data that is not understood
/// It is reported, and the object in memory stays as it is: at first `nil`, or the default. No
/// automatic save overwrites it. ``save()`` does, and so does any save after ``reset(_:)``, but
/// only once a copy has been kept beside it, see ``CorruptValueKeeping``. Data that can't even be
/// *read* is overwritten by nobody.
///
/// ## Reference types
/// An object of a class may change in place: `draft.object?.title = "…"`. Every save, an automatic one
/// included, encodes such an object and stores it if its bytes differ from those of when it was loaded
/// or saved. That holds for classes, for ``Archived``, and for optionals, arrays, sets and dictionaries
/// of them. It costs an encoding per load and per save, and a copy of the bytes in memory; a value of
/// another type costs none. A transformer whose bytes differ from call to call, such as an encrypting
/// one, makes every save of such an object write.
///
/// For a class that a structure of yours holds, use ``update(_:)``, or call ``setNeedsSave()`` after the
/// change. Listeners are notified of changes through ``object`` and ``update(_:)``, not of changes in
/// place.
///
/// The class must be `Sendable`, which ``Archived`` vouches for. The saving thread encodes the object:
/// if an automatic save may come while another thread changes it, the class needs a lock.
///
/// ## Concurrency
/// It may be used on any thread. Reading waits for nobody, unless somebody else has just stored
/// something that is to be taken in. Setting, ``update(_:)`` and ``save()`` take turns with whoever
/// writes in the same place.
///
/// The delegate and the listeners are called under no lock, in the order of the changes, one call
/// at a time for each place, by the thread that makes the change, before its call returns; unless
/// another thread, or this one further up the stack, is calling a listener of the same place
/// already: then that one makes the call.
public final class PersistentObject<Object: Sendable>: Sendable {
    let place: any ObjectPlace
    let coding: ObjectCoding<Object>
    let state = Guarded(ObjectState<Object>())
    let listeners = ListenerList<Result<Update, any Error>>()
    let errorHandler: PersistenceErrorHandler?
    /// Whether a conflict is being resolved; guarded by the place.
    let isResolving = Guarded(false)
    let defaultValue: DefaultValue<Object?>
    private let weakDelegate = Guarded(WeakDelegate())
    private let listening = Guarded<Disposable?>(nil)

    /// What a save does when somebody else has changed what is stored.
    public let conflictRule: ConflictRule

    init(
        _ place: any ObjectPlace,
        _ coding: ObjectCoding<Object>,
        _ name: String,
        _ defaultValue: @escaping @Sendable () -> Object?,
        _ conflictRule: ConflictRule,
        _ errorHandler: PersistenceErrorHandler?
    ) {
        self.place = place
        self.coding = coding
        self.defaultValue = DefaultValue(name: { name }) { [state] in
            let object = defaultValue()
            if InPlaceChanges.arePossible(in: Object.self), object != nil {
                let fingerprint = try? coding.content(of: object)
                state.withLock { $0.defaultFingerprint = fingerprint }
            }
            return object
        }
        self.conflictRule = conflictRule
        self.errorHandler = errorHandler
        let token = place.exclusively {
            refresh()
            // Not before it is known what others change.
            return place.listen { [weak self] event in self?.note(event) }
        }
        listening.withLock { $0 = token }
        AutoSave.add(self)
    }

    deinit {
        AutoSave.remove(self)
        listening.withLock { $0.take() }?.dispose()
        saveAutomatically()
    }

    /// Hears of changes that others make; kept weakly.
    public var delegate: (any PersistentObjectDelegate)? {
        get { weakDelegate.withLock { $0.delegate } }
        set { weakDelegate.withLock { $0.delegate = newValue } }
    }

    /// A Boolean value that indicates whether a save would store or remove something.
    ///
    /// - Complexity: O(1); for an object of a class, which may have been changed in place, O(*n*) in its
    ///   size, since it is encoded.
    public var hasUnsavedChanges: Bool {
        if state.withLock({ $0.isDirty }) { return true }
        // An object that can't be encoded differs from the loaded or saved one.
        do throws(PersistenceError) { return try changedInPlace() != nil } catch { return true }
    }

    // MARK: The object

    /// The object in memory; the default if there is none.
    ///
    /// Setting it stores nothing yet. Setting it to `nil` has the next save remove what is stored.
    public var object: Object? {
        get {
            if let known = known() { return known.object ?? defaultValue() }
            place.exclusively { refresh() }
            return state.withLock { $0.object } ?? defaultValue()
        }
        set { set(newValue, replaces: false) }
    }

    private func known() -> (object: Object?, Void)? {
        // Under no lock: listeners may be called if the storage has changed without an
        // announcement.
        let version = place.version.current
        return state.withLock { $0.isDirty || $0.version == version ? ($0.object, ()) : nil }
    }

    /// Puts an object in the place of the one in memory and of whatever is stored.
    ///
    /// It is stored by the next save, an automatic one included, which then asks no
    /// ``ConflictRule``. What is stored and can't be understood is kept beside it.
    ///
    /// - Parameter object: The object; `nil` to have removed what is stored.
    public func reset(_ object: Object?) { set(object, replaces: true) }

    private func set(_ object: Object?, replaces: Bool) {
        place.exclusively {
            refresh()
            change { state in
                state.object = object
                state.isDirty = true
                if replaces { state.replaces = true }
            }
            announce(.changed)
        }
    }

    /// Changes the object in place: nobody else of this process changes it, or what is stored, in
    /// between.
    ///
    /// It stores nothing yet.
    ///
    /// ## Concurrency
    /// The closure is called once, on this thread, while the place is locked. It may use this
    /// object; what it sets is overwritten by what it leaves. It must not wait for another thread
    /// that uses the object.
    ///
    /// - Parameter body: Changes the object, or the default if there is none; there may be neither.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; nothing has changed then.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Object?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            // Not under the lock of the place, since it is a user's closure that may use the place.
            _ = object
            let result = try place.exclusively { () throws(Failure) -> Result? in
                refresh()
                var object = state.withLock { $0.object }
                if object == nil {
                    guard let evaluated = defaultValue.evaluated else { return nil }
                    object = evaluated
                }
                let result = try body(&object)
                change { state in
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
    public func setNeedsSave() {
        place.exclusively {
            refresh()
            change { $0.isDirty = true }
            announce(.changed)
        }
    }

    /// Changes what is known; what that displaces is released outside the lock.
    func change(_ body: (inout ObjectState<Object>) -> Void) {
        let displaced = state.withLock { state in
            defer { body(&state) }
            return state.object
        }
        withExtendedLifetime(displaced) {}
    }

    /// Has listeners told of what has happened.
    ///
    /// To be called while the place is locked.
    func announce(_ event: Update.Event) {
        let object = state.withLock { $0.object }
        // A default is a user's closure, to be evaluated under no lock.
        let defaultValue = defaultValue
        place.call(
            listeners.calls { .success(Update(newValue: object ?? defaultValue(), event: event)) }
        )
    }

    /// Tells the handler and the listeners of an error, unless they have been told of the same
    /// since all was right.
    func report(_ error: PersistenceError) {
        guard isNew(error) else { return }
        let handler = errorHandler ?? PersistenceError.defaultHandler
        place.call([{ handler(error) }] + listeners.calls { .failure(error) })
    }

    /// Tells of an error as `report` does, but the handler at once: there may be no later.
    func reportAtOnce(_ error: PersistenceError) {
        guard isNew(error) else { return }
        (errorHandler ?? PersistenceError.defaultHandler)(error)
        place.call(listeners.calls { .failure(error) })
    }

    private func isNew(_ error: PersistenceError) -> Bool {
        let description = error.description
        return state.withLock { state in
            defer { state.reported = description }
            return state.reported != description
        }
    }
}
