/// Checks that a storage keeps the promises of ``Storage``, from a test of your own.
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
    /// What a storage promises.
    public enum Promise: String, CaseIterable, Hashable, Sendable {
        /// What has been stored is what is read, and the newer value replaces the older.
        case storesValues
        /// What has been removed is `nil`.
        case removesValues
        /// Removing what isn't there is no error.
        case removesNothing
        /// The values of two keys have nothing to do with each other.
        case keepsKeysApart
        /// Listeners have heard of each write when it returns, in the order of the writes, and of
        /// their own key only.
        case tellsListeners
        /// Listeners hear of a removal, as `nil`.
        case tellsOfRemovals
        /// What was stored before a listener came is not told.
        case tellsOnlyWhatIsNew
        /// A listener may read, write and remove the value that it is told of.
        case letsListenersUseTheKey
        /// Once a token has been disposed of, or has gone, its listener is not called any more, and
        /// others are.
        case endsWithTheToken
        /// Listeners are told one by one.
        case tellsOneByOne
        /// All storages of one place hear of each other.
        case sharesThePlace
        /// If the storage says so in ``Storage/announcesEveryChange``, listeners are called for
        /// each change before the call that made it returns: one of this storage, of another of the
        /// same place, or one that `change` makes. So a remembered value is never old.
        case announcesEveryChange
        /// While several threads write, each read is a value that was written, and what listeners
        /// hear last is what is stored in the end.
        case survivesConcurrency
    }

    /// A promise that has been broken.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise.
        public let promise: Promise

        /// What happened.
        public let reason: String

        /// A sentence that names the promise, and says what happened.
        public var description: String { "\(promise): \(reason)" }
    }

    /// Checks a storage.
    ///
    /// What is stored under the two keys is overwritten, and removed in the end.
    ///
    /// ## Concurrency
    /// The storage is used on other threads than this one, and on several at once. This waits for
    /// them. If the storage deadlocks, that is a failure, and a thread is left over.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - key: A key that nobody else uses.
    ///   - otherKey: Another one.
    ///   - values: Two values that are not equal.
    ///   - another: Makes another storage of the same place, if there can be two.
    ///   - change: Stores a value, or removes it if it is `nil`, by a method of the storage's own,
    ///     if there is any other than those of ``Storage``.
    ///   - deadline: How long each promise may take, in seconds, before it counts as broken.
    /// - Returns: The promises that are broken; none, if all is well.
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
            "The check needs two keys and two values that are not equal: give others."
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
