/// A check that a storage fulfills the contract of ``Storage``, for use in your own tests.
///
/// ```swift
/// import Testing
///
/// @Test func theKeychainIsAStorage() {
///     let failures = StorageConformance.check(
///         Keychain(),
///         key: "conformance.a",
///         otherKey: "conformance.b",
///         values: (Data([1]), Data([2])),
///         another: { Keychain() }
///     )
///     #expect(failures.isEmpty, "\(failures)")
/// }
/// ```
public enum StorageConformance {
    /// A promise of the contract of ``Storage``.
    public enum Promise: String, CaseIterable, Hashable, Sendable {
        /// A read returns the stored value, and a newer value replaces an older one.
        case storesValues
        /// A read returns `nil` after a removal.
        case removesValues
        /// Removing a missing value is no error.
        case removesNothing
        /// The values of two keys are independent.
        case keepsKeysApart
        /// Listeners are called for each write of their own key before the write returns, in the
        /// order of the writes.
        case tellsListeners
        /// Listeners are called with `nil` after a removal.
        case tellsOfRemovals
        /// A new listener isn't called with a value that was stored before.
        case tellsOnlyWhatIsNew
        /// A listener may read, write and remove the value that it's called for.
        case letsListenersUseTheKey
        /// After a token is disposed of or released, its listener isn't called any more, and other
        /// listeners still are.
        case endsWithTheToken
        /// A listener is called by one thread at a time.
        case tellsOneByOne
        /// All storages of one place notify each other's listeners.
        case sharesThePlace
        /// If ``Storage/announcesEveryChange`` is `true`, listeners are called before any call that
        /// changes a value returns: a call of this storage, of another storage of the same place,
        /// or of `change`.
        ///
        /// A remembered value is therefore always current.
        case announcesEveryChange
        /// While several threads write, each read returns a value that was written, and the last
        /// value that a listener receives is the value that is stored in the end.
        case survivesConcurrency
    }

    /// A promise that the storage broke.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise.
        public let promise: Promise

        /// The observed behavior.
        public let reason: String

        /// A description of the promise and the observed behavior.
        public var description: String { "\(promise): \(reason)" }
    }

    /// Checks a storage.
    ///
    /// The check overwrites the values of the two keys, and removes them in the end.
    ///
    /// ## Concurrency
    /// The check uses the storage on other threads, several at a time, and waits for them. If the
    /// storage deadlocks, the check reports a failure and leaves a blocked thread behind.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - key: A key that no other code uses.
    ///   - otherKey: Another such key.
    ///   - values: Two values that are not equal.
    ///   - another: Returns another storage of the same place, if there can be two.
    ///   - change: Stores a value, or removes it if it's `nil`, with a method of the storage that
    ///     ``Storage`` doesn't declare, if there is one.
    ///   - deadline: The time that the check of each promise may take, in seconds, before the
    ///     promise counts as broken.
    /// - Returns: The failures; an empty array if the storage keeps all promises.
    public static func check<Place: Storage>(
        _ storage: Place,
        key: Place.Key,
        otherKey: Place.Key,
        values: (Place.Value, Place.Value),
        another: (@Sendable () -> Place)? = nil,
        change: (@Sendable (Place.Value?, Place.Key) throws -> Void)? = nil,
        deadline: Double = 60
    ) -> [Failure] where Place.Value: Equatable {
        precondition(
            values.0 != values.1 && key != otherKey,
            "The check needs two different keys and two unequal values. Pass others."
        )
        let run = StorageConformanceRun(
            storage: storage,
            key: key,
            otherKey: otherKey,
            first: values.0,
            second: values.1,
            another: another,
            change: change
        )
        return run.all(deadline: deadline)
    }
}
