public import FlatCachePersistence

/// A check that a storage meets the requirements of `Storage`, for use in your own tests.
///
/// <!-- prelude: persistence -->
///
/// ```swift
/// import FlatCachePersistence
/// import FlatCacheTesting
/// import Foundation
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
    /// A requirement of `Storage`.
    public enum Requirement: String, CaseIterable, Hashable, Sendable {
        /// A read returns the stored value, and a newer value replaces an older one.
        case storesValues

        /// A read returns `nil` after a removal.
        case removesValues

        /// The removal of a missing value throws no error.
        case allowsRemovalOfMissingValues

        /// A write or a removal under one key leaves the values of other keys as they are.
        case separatesKeys

        /// Each write calls all listeners of its key, and no other listener, before it returns and
        /// in the order of the writes.
        case notifiesListeners

        /// Each removal calls the listeners of its key with `nil`.
        case notifiesOfRemovals

        /// A new listener isn't called with the value that is already stored.
        case skipsExistingValues

        /// A listener may read, write and remove the value of the key it listens to.
        ///
        /// The storage calls the listener again for these changes.
        case allowsReentrantListeners

        /// A listener isn't called after its token is disposed of or released. Other listeners
        /// still are.
        case endsListeningWithToken

        /// A listener is called by one thread at a time.
        case serializesListenerCalls

        /// All storages of one place read the same values and notify each other's listeners.
        case sharesChanges

        /// If `announcesEveryChange` is `true`, listeners are called before any call that changes
        /// a value returns: a call of this storage, of another storage of the same place, or of
        /// `change`.
        ///
        /// A value that a `Persister` remembers is therefore always current.
        case announcesEveryChange

        /// While several threads write, each read returns a value that was written, and the last
        /// value that a listener receives is the value that is stored in the end.
        case supportsConcurrentAccess
    }

    /// A requirement that the storage doesn't meet.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The requirement.
        public let requirement: Requirement

        /// The observed behavior.
        public let reason: String

        /// A description of the requirement and the observed behavior.
        public var description: String { "\(requirement): \(reason)" }
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
    ///   - another: A closure that returns another storage of the same place, if there can be two.
    ///   - change: A closure that stores a value, or removes it if it's `nil`, with a method of the
    ///     storage that `Storage` doesn't declare, if there is one.
    ///   - deadline: The time that the check of each requirement may take, in seconds, before the
    ///     requirement counts as not met.
    /// - Returns: The failures; an empty array if the storage meets all requirements.
    public static func check<Base: Storage>(
        _ storage: Base,
        key: Base.Key,
        otherKey: Base.Key,
        values: (Base.Value, Base.Value),
        another: (@Sendable () -> Base)? = nil,
        change: (@Sendable (Base.Value?, Base.Key) throws -> Void)? = nil,
        deadline: Double = 60
    ) -> [Failure] where Base.Value: Equatable {
        precondition(
            values.0 != values.1 && key != otherKey,
            "The check needs two different keys and two unequal values. Pass others."
        )
        let check = StorageCheck(
            storage: storage,
            key: key,
            otherKey: otherKey,
            first: values.0,
            second: values.1,
            another: another,
            change: change
        )
        return check.run(deadline: deadline)
    }
}
