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
/// Unlike a ``Persister``, which stores each value at once, this only notes that there is something
/// to save. It is saved by ``save()``; and by itself, if there is something to save, when the app
/// goes to the background, when the process exits, and when the object goes; see ``AutoSave``. An
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
/// A change inside of an object of a class can't be seen from outside. Change it in ``update(_:)``,
/// or call ``setNeedsSave()`` afterwards; ``save()`` takes an object of a class for changed in any
/// case. The class must be `Sendable`. One of your own that conforms to `NSSecureCoding` is if it
/// is final and all its properties are constants, or, declared `@unchecked Sendable`, if it takes
/// care of its own locking: remember that it may be archived on another thread.
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
    private let defaultValue: DefaultValue<Object?>
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
        self.defaultValue = DefaultValue(name: { name }, defaultValue)
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

    /// Whether there is something that a save would store.
    public var hasUnsavedChanges: Bool { state.withLock { $0.isDirty } }

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
        state.withLock { state in
            state.isDirty || state.version == place.version.current ? (state.object, ()) : nil
        }
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

    /// Notes that the object has been changed from inside, so that it will be saved.
    public func setNeedsSave() {
        place.exclusively {
            refresh()
            change { $0.isDirty = true }
            announce(.changed)
        }
    }

    // MARK: Taking in what is stored

    /// Takes in what others have stored, unless there is something unsaved.
    ///
    /// To be called while the place is locked.
    func refresh() {
        let (isDirty, version) = state.withLock { ($0.isDirty, $0.version) }
        guard !isDirty, version != place.version.current else { return }
        do throws(PersistenceError) {
            let (content, version) = try place.load()
            takeIn(content, version)
        } catch {
            report(error)
        }
    }

    private func takeIn(_ content: ObjectContent, _ version: Int) {
        if state.withLock({ $0.base == content }) {
            // The object stays the very same.
            state.withLock { state in
                state.version = version
                if state.problem == nil { state.reported = nil }
            }
            return
        }
        do throws(PersistenceError) {
            let object = try decoded(content)
            change { state in
                state.object = object
                state.settle(content, version: version)
            }
        } catch {
            change { state in
                state.base = content
                state.version = version
                state.problem = error
            }
            report(error)
        }
    }

    func decoded(_ content: ObjectContent) throws(PersistenceError) -> Object? {
        do {
            return try coding.object(from: content)
        } catch {
            throw place.explained(error, .untransform)
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

    private func note(_ event: Result<Int, PersistenceError>) {
        place.exclusively {
            switch event {
            case .success(let version):
                if state.withLock({ $0.ownVersions.remove(version) }) != nil { return }
                refresh()
            case .failure(let error):
                report(error)
                // Perhaps all read what could not be stored.
                let before = state.withLock { $0.version }
                refresh()
                if state.withLock({ $0.version }) == before { return }
            }
            let isUnderstood = state.withLock { $0.isDirty || $0.problem == nil }
            if isUnderstood { announceExternalChange() }
        }
    }

    private func announceExternalChange() {
        announce(.changedExternally)
        place.call([
            { [weak self] in
                guard let self, let delegate else { return }
                delegate.objectChangedExternally(self)
            }
        ])
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
