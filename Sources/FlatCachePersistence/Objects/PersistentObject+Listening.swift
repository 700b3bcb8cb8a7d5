public import FlatCache

extension PersistentObject {
    /// A change of a persistent object.
    public struct Update: Sendable {
        /// What has happened to an object.
        public enum Event: Hashable, Sendable {
            /// The object in memory has been changed through this ``PersistentObject``; not saved
            /// yet.
            case changed

            /// The object has been saved, perhaps merged with what somebody else had stored.
            case saved

            /// Somebody else has changed what is stored. If there was nothing unsaved the object
            /// has been loaded anew.
            case changedExternally

            /// A save has put what somebody else had stored in the place of the unsaved object,
            /// because of the rule ``ConflictRule/keepExternal``.
            case reverted
        }

        /// What was in memory then: the object, or the default if there was none.
        public let newValue: Object?

        /// What has happened.
        public let event: Event
    }

    /// Calls a closure after each change of the object, and with each error that comes up where
    /// nobody can be thrown to.
    ///
    /// ## Concurrency
    /// See ``PersistentObject``. What the closure reads may be newer than what it is told.
    ///
    /// - Parameters:
    ///   - delivery: Where and when the closure is called.
    ///   - updateListener: The closure.
    /// - Returns: A token: when it is disposed of or goes, no new call starts. It keeps the object
    ///   alive.
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener: @escaping @Sendable (Result<Update, any Error>) -> Void
    ) -> Disposable {
        let listening = listeners.add(delivery: delivery, updateListener)
        return Disposable(stopping: listening.dispose) { [self] in
            // The listener's own token has ended it; the object is kept until here.
            withExtendedLifetime(self) {}
        }
    }

    /// The objects for a consumer that awaits them: the current one first, then the one after each
    /// change.
    ///
    /// A consumer that is slower than the changes gets the newest and not those in between. The
    /// sequence does not end by itself.
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persistent object alive.
    public var values: CacheSequence<Object?> { stateSource.sequence }

    /// The changes, in their order, and errors that nobody could be thrown to, for a consumer that
    /// awaits them.
    ///
    /// What the consumer has not taken is kept in memory, without bound.
    public var updates: CacheSequence<Result<Update, any Error>> { updates(buffering: .unbounded) }

    /// Returns the changes, in their order, and errors that nobody could be thrown to, for a
    /// consumer that awaits them.
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persistent object alive.
    ///
    /// - Parameter policy: What is kept for a consumer that is slower than the changes.
    public func updates(
        buffering policy: BufferingPolicy
    ) -> CacheSequence<Result<Update, any Error>> {
        CacheSequence(policy) { [self] sender in
            addUpdateListener { sender.send(.known($0)) }
        }
    }

    /// The current object and those to come, as all the faces that show the newest use it.
    package var stateSource: StateSource<Object?> {
        StateSource { [self] delivery, receive in
            // Whoever comes to a state reads the latest object, so it does not matter which of the
            // two calls comes first.
            let newest = StateSourceState<Object?>.latest { [self] in .some(object) }
            let listening = addUpdateListener(delivery: delivery) { _ in receive(newest) }
            receive(newest)
            return listening
        }
    }

    /// The changes, as the publishers use them.
    package var updateSource: StateSource<Result<Update, any Error>> {
        StateSource { [self] delivery, receive in
            addUpdateListener(delivery: delivery) { receive(.known($0)) }
        }
    }
}

extension PersistentObject.Update: Equatable where Object: Equatable {}
