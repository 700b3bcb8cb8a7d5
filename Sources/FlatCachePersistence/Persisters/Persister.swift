public import FlatCache

/// An object that reads, writes and observes one typed value under a key of a storage.
///
/// ```swift
/// let draft = Persister(
///     file: draftFile,
///     transformer: JSONTransformer<Order>(),
///     defaultValue: Order()
/// )
/// try draft.persist(order)
/// print(draft.retrieveValue())
/// ```
///
/// All persisters of one key return the same value, however they were created. So do the types that
/// use a persister: ``Persisted`` and ``PersistentObject``. A persister
/// reads and decodes a value once, and again only after a change by this process or another.
///
/// ## Concurrency
/// You can use a persister on any thread. Writes of one key exclude each other. A read usually
/// returns without waiting. It waits for a write of the same key, and for the storage, in these
/// cases:
///
/// - The value must be loaded first, or the storage doesn't announce every change.
/// - A set property could not be stored. Until it can, each read tries again to *write* it, on the
///   reading thread. After a slow attempt, the next one waits for ten times its duration. If
///   another process holds the storage's lock, another thread tries instead.
/// - A default is to be stored; see ``DefaultValuePersistBehaviour``.
///
/// If the storage doesn't announce every change, a read that finds a change calls the listeners.
///
/// Listeners are called under no lock, in the order of the writes, one call at a time per key. The
/// writing thread calls them before its write returns. If another thread, or this thread further up
/// its stack, is already calling a listener of the same key, the call in progress delivers the
/// change instead. Changes from outside are delivered on a thread of the storage. A listener may
/// read, write and remove the same value.
public final class Persister<Value: Sendable>: Sendable {
    @usableFromInline let rememberedValue = Locked(RememberedValue<Value>())
    @usableFromInline let version: ValueVersion
    /// `true` if the storage announces every change.
    ///
    /// If it's `true`, the remembered value is current until the version advances.
    @usableFromInline let isAnnounced: Bool
    /// Returns whether the value of the latest version is current, if the storage doesn't announce
    /// every change.
    @usableFromInline let isCurrent: (@Sendable () -> Bool)?
    let access: any ValueAccess<Value>
    let defaultValue: DefaultValue<Value>
    let behaviour: DefaultValuePersistBehaviour
    private let errorHandler: PersistenceErrorHandler?
    /// The record of reported read errors.
    let errors: ErrorRecord

    init(
        _ access: some ValueAccess<Value>,
        behaviour: DefaultValuePersistBehaviour,
        onError errorHandler: PersistenceErrorHandler?,
        errors: ErrorRecord = ErrorRecord(),
        defaultValue: @escaping @Sendable () -> Value
    ) {
        self.access = access
        self.defaultValue = DefaultValue(of: access, defaultValue)
        self.behaviour = behaviour
        self.errorHandler = errorHandler
        self.errors = errors
        version = access.version
        isAnnounced = access.isAnnounced
        isCurrent = access.check
    }

    // MARK: Reading

    /// Returns the stored value, or the default if there's no value or it can't be read.
    ///
    /// ```swift
    /// let theme = Persister(key: "theme", defaultValue: "light")
    /// print(theme.retrieveValue())  // light, until a theme is stored
    /// ```
    ///
    /// If the read finds no value, ``DefaultValuePersistBehaviour/persistWhenNil`` makes it store
    /// the default that it returns. If it finds a corrupt value,
    /// ``DefaultValuePersistBehaviour/persistOnError`` does the same.
    ///
    /// The error handler receives a read error once, until a read succeeds again.
    ///
    /// - Complexity: O(1), with no access to the storage and no decoding, while the value is
    ///   unchanged and no set value has yet to be stored. If ``Storage/announcesEveryChange`` is
    ///   `false`, each call asks the storage; for a key of `UserDefaults` on Linux that's one plain
    ///   read.
    @inlinable
    public func retrieveValue() -> Value {
        if isAnnounced || isCurrent?() == true, let value = remembered() { return value }
        return find()
    }

    /// Returns the stored value, or the default if there's no value.
    ///
    /// ```swift
    /// do {
    ///     let draft = try settings.$draft.retrieveValueOrThrow()
    ///     print(draft.books.count)
    /// } catch {
    ///     print("The draft can't be read: \(error)")
    /// }
    /// ```
    ///
    /// With ``DefaultValuePersistBehaviour/persistWhenNil`` the method stores a default that it
    /// returns. It never replaces a corrupt value; it throws instead.
    ///
    /// - Throws: ``PersistenceError`` if the value can't be read or decoded, or if the default
    ///   can't be stored.
    /// - Complexity: O(1) while the value is unchanged.
    public func retrieveValueOrThrow() throws(PersistenceError) -> Value {
        let found = resolve(replacesCorrupt: false)
        if let error = found.error { throw error }
        return found.value
    }

    /// The remembered value, if it belongs to the latest version.
    @inlinable
    func remembered() -> Value? {
        // The version is loaded before the lock, because the load would wait for the lock's
        // acquire. The method may return the value of this version even if another thread writes
        // meanwhile.
        let latest = version.current
        return rememberedValue.withLock { $0.version == latest ? $0.value : nil }
    }

    @usableFromInline
    func find() -> Value {
        let found = resolve(replacesCorrupt: true)
        if let error = found.error { report(error) }
        return found.value
    }

    // MARK: Errors

    /// Reports an error to the handler, unless it's the last reported one and no read has succeeded
    /// since.
    func report(_ error: PersistenceError) {
        if errors.record(error) { handle(error) }
    }

    func handle(_ error: PersistenceError) {
        (errorHandler ?? PersistenceError.defaultHandler)(error)
    }
}
