public import FlatCache

extension PersistentObject {
    /// A change of a persistent object.
    public struct Update: Sendable {
        /// The kind of a change.
        public enum Event: Hashable, Sendable {
            /// The object in memory has changed through this ``PersistentObject`` and isn't saved
            /// yet.
            case changed

            /// The object has been saved, possibly after a merge with an object that another writer
            /// had stored.
            case saved

            /// Another writer has changed the stored object. If there were no unsaved changes, the
            /// object in memory has been loaded again.
            case changedExternally

            /// A save has replaced the unsaved object by the stored one, as the rule
            /// ``ConflictRule/keepExternal`` demands.
            case reverted
        }

        /// The object in memory after the change, or the default if there was none.
        public let newValue: Object?

        /// The kind of the change.
        public let event: Event
    }
}

/// A persistent object is a source: it's read and observed like an entity of a cache.
///
/// ```swift
/// let draft = PersistentObject<Order>(file: draftFile, defaultValue: Order())
/// let observation = draft.observeChanges { result in
///     guard case .success(let update) = result else { return }
///     print(update.event, update.newValue?.books.count ?? 0)  // changed 1, and later: saved 1
/// }
/// draft.update { $0?.books.append(book) }
/// try draft.save()
/// ```
///
/// An observer of the state receives the newest object after each change and each error. An
/// observer of the changes also learns the kind of a change, and the error of a load or an
/// automatic save. Each observation and each iterator keeps the persistent object alive.
extension PersistentObject: CacheSource {
    /// A change of the object, or an error that no caller could receive.
    public typealias Change = Result<Update, any Error>

    /// The ``object``.
    public var state: Object? { object }

    /// Calls a closure after each change and each error.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Object?>) -> Void
    ) -> Disposable {
        observeLatest(initial, delivery, inOrder: access.call, receive)
    }

    /// Calls a closure with each change and each error.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Change) -> Void
    ) -> Disposable {
        let listening = listeners.add(delivery: delivery, receive)
        return Disposable(stopping: listening.dispose) { [self] in
            // This closure keeps the object alive until the token is disposed of.
            withExtendedLifetime(self) {}
        }
    }
}

extension PersistentObject.Update: Equatable where Object: Equatable {}
