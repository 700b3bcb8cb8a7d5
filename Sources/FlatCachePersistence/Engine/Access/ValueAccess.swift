import FlatCache

/// The access to one value of a storage.
///
/// It hides the type of the storage and the stored form of the value.
protocol ValueAccess<Value>: Sendable {
    associatedtype Value: Sendable

    /// The key and the storage, for descriptions.
    var place: String { get }

    var version: ValueVersion { get }

    /// The clock that times the attempts to store a value.
    var clock: any PersistenceClock { get }

    /// `true` if every change is announced with a new version.
    var isAnnounced: Bool { get }

    /// The check that proves the known value to be current, if the storage provides one.
    var check: ValueCheck? { get }

    var isUnsaved: Bool { get }

    /// Compares the known value with the stored one, unless every change is announced, and retries
    /// storing an unsaved value.
    ///
    /// - Throws: An error if the storage could not be read.
    func refresh() throws(PersistenceError)

    /// Returns the current content and its version.
    ///
    /// - Throws: An error if the storage could not be read.
    func load() throws(PersistenceError) -> (content: PersistedContent<Value>, version: Int)

    /// Returns the current content from the storage, because other code may just have changed it.
    ///
    /// - Throws: An error if the storage could not be read.
    func reload() throws(PersistenceError) -> PersistedContent<Value>

    /// Stores a value, or removes the stored one if the value has no stored form.
    ///
    /// - Parameter atOnce: `true` to throw an error if another process holds the storage's lock,
    ///   instead of waiting.
    func store(_ value: Value, atOnce: Bool) throws(PersistenceError)

    /// Runs a closure while no other process runs such a closure for the value.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait for other processes.
    ///   - isolation: The actor of the caller.
    ///   - body: The closure. The method calls it once.
    func excludingOtherProcesses<Result>(
        timeout: Duration,
        isolation: isolated (any Actor)?,
        _ body: () throws -> Result
    ) async throws -> Result

    /// Waits until no other process holds the storage's lock, for a limited time.
    func waitForOthers() throws(PersistenceError)

    /// Stores a value; if the attempt fails, reads return it until the value changes again.
    ///
    /// If another process holds the storage's lock, another thread stores the value later.
    ///
    /// A value without a stored form can't be passed to other users of the key, so reads don't
    /// return it. Listeners receive each error.
    ///
    /// The value may be derived from a default that was read in place of the stored value. A stored
    /// value that can't be read now therefore isn't overwritten, because it may be intact.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - mayBeCorrupt: `true` if the stored value may be corrupt, so that it's copied first if
    ///     the storage can copy it.
    /// - Throws: The reason for the failure.
    func storeOrSetUnsaved(_ value: Value, mayBeCorrupt: Bool) throws(PersistenceError)

    func remove() throws(PersistenceError)

    func copyCorruptValue() throws(PersistenceError)

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Notifies listeners of an error.
    func report(_ error: PersistenceError)

    /// Makes calls in order with those to the listeners, one at a time, under no lock.
    func call(_ calls: [@Sendable () -> Void])

    /// Returns an error that names the key and the storage.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError

    /// Calls one closure with each new content and its version, and the other one with each error.
    ///
    /// - Returns: A token that ends the calls.
    func listen(
        delivery: CacheDelivery,
        toChanges receiveContent: @escaping @Sendable (PersistedContent<Value>, Int) -> Void,
        toErrors receiveError: @escaping @Sendable (PersistenceError) -> Void
    ) -> Disposable
}

extension ValueAccess {
    func store(_ value: Value) throws(PersistenceError) { try store(value, atOnce: false) }

    /// Runs a closure, and adds the key and the storage to an error that it throws.
    func explaining<Result>(
        _ operation: PersistenceError.Operation,
        _ body: () throws -> Result
    ) throws(PersistenceError) -> Result {
        do {
            return try body()
        } catch {
            throw explained(error, operation)
        }
    }
}

/// The content of a storage under a key.
enum PersistedContent<Value: Sendable>: Sendable {
    case value(Value)
    case absent
    /// A value that can't be decoded.
    case corrupt(PersistenceError)
}

/// The conversion between values and their stored form.
struct StoredForm<Value: Sendable, Stored: Sendable>: Sendable {
    /// Returns the stored form of a value, or `nil` for a value that is stored by a removal.
    let encode: @Sendable (Value) throws -> Stored?
    let decode: @Sendable (Stored) throws -> Value
}

extension StoredForm {
    /// Creates the form of values that always have one.
    init<Form: Transformer>(_ form: Form) where Form.Input == Value, Form.Output == Stored {
        self.init(encode: form.transformValue, decode: form.untransformValue)
    }

    /// Creates the form of optional values; storing `nil` removes the stored value.
    init<Form: Transformer>(_ form: Form) where Value == Form.Input?, Form.Output == Stored {
        self.init(encode: { try $0.map(form.transformValue) }, decode: form.untransformValue)
    }
}

extension StoredForm where Stored == PropertyListValue {
    /// Creates the form of values that always have one, as values of a property list.
    init<Form: Transformer>(list form: Form)
    where Form.Input == Value, Form.Output: PropertyListRepresentable {
        self.init(form.append(PropertyListValueTransformer()))
    }

    /// Creates the form of optional values, as values of a property list.
    init<Form: Transformer>(list form: Form)
    where Value == Form.Input?, Form.Output: PropertyListRepresentable {
        self.init(form.append(PropertyListValueTransformer()))
    }
}

/// A default value that is evaluated at most once, when it's first needed.
///
/// `evaluating` is held during the evaluation; `value` has its own lock.
final class DefaultValue<Value: Sendable>: Sendable {
    private let evaluating = WriterLock()
    private let value: Locked<Value?> = Locked(nil)
    private let evaluate: @Sendable () -> Value
    private let access: any ValueAccess

    init(of access: any ValueAccess, _ evaluate: @escaping @Sendable () -> Value) {
        self.access = access
        self.evaluate = evaluate
    }

    /// The value, or `nil` if the default hasn't been evaluated yet.
    var evaluated: Value? { value.withLock { $0 } }

    /// The value.
    ///
    /// If another thread is evaluating the default, this thread waits. Call this method under no
    /// other lock, because the user's closure may use the key of the default.
    func callAsFunction() -> Value {
        if let evaluated { return evaluated }
        precondition(
            !evaluating.isHeldByCurrentThread,
            """
            The default value of \(access.place) reads the value itself, which isn't stored yet. Don't \
            read a value in the closure of its default.
            """
        )
        evaluating.acquire()
        defer { evaluating.release() }
        if let evaluated { return evaluated }
        let new = evaluate()
        value.withLock { $0 = new }
        return new
    }
}
