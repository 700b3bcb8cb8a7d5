public import FlatCache

extension PersistentObject {
    /// A change of a persistent object, delivered by ``addUpdateListener(delivery:_:)`` and
    /// ``updates``.
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

    /// Calls a closure after each change of the object, and when a load or an automatic save fails.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile, defaultValue: Order())
    /// let listening = draft.addUpdateListener { result in
    ///     guard case .success(let update) = result else { return }
    ///     print(update.event, update.newValue?.books.count ?? 0)  // changed 1, and later: saved 1
    /// }
    /// draft.update { $0?.books.append(book) }
    /// try draft.save()
    /// ```
    ///
    /// ## Concurrency
    /// See ``PersistentObject``. If the closure reads the object, the result may be newer than the
    /// update that it receives.
    ///
    /// - Parameters:
    ///   - delivery: The delivery that decides where and when the closure is called.
    ///   - updateListener: The closure.
    /// - Returns: A token that ends the calls when it is disposed of or deallocated. It keeps the
    ///   persistent object alive.
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener: @escaping @Sendable (Result<Update, any Error>) -> Void
    ) -> Disposable {
        let listening = listeners.add(delivery: delivery, updateListener)
        return Disposable(stopping: listening.dispose) { [self] in
            // This closure keeps the object alive until the token is disposed of.
            withExtendedLifetime(self) {}
        }
    }

    /// An asynchronous sequence of the current object and the object after each change.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile)
    /// for await order in draft.values { print(order?.books.count ?? 0) }
    /// ```
    ///
    /// A consumer that is slower than the changes gets the newest object and skips those in
    /// between. The sequence doesn't end by itself.
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persistent object alive.
    public var values: CacheSequence<Object?> { stateSource.sequence }

    /// An asynchronous sequence of the changes and of the errors that listeners receive, in order.
    ///
    /// The sequence buffers all elements that the consumer hasn't taken, without a limit.
    public var updates: CacheSequence<Result<Update, any Error>> { updates(buffering: .unbounded) }

    /// Returns an asynchronous sequence of the changes and of the errors that listeners receive, in
    /// order.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile)
    /// for await result in draft.updates(buffering: .newest(10)) {
    ///     guard case .success(let update) = result else { continue }
    ///     if update.event == .changedExternally { print("Another program has saved the order.") }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persistent object alive.
    ///
    /// - Parameter policy: The policy for the elements that a slower consumer hasn't received yet.
    public func updates(
        buffering policy: BufferingPolicy
    ) -> CacheSequence<Result<Update, any Error>> {
        CacheSequence(policy) { [self] sender in
            addUpdateListener { sender.send(.known($0)) }
        }
    }

    /// The source from which all interfaces deliver the current object and its successors.
    package var stateSource: StateSource<Object?> {
        StateSource { [self] delivery, receive in
            // A receiver of this state reads the latest object, so the order of the two calls
            // doesn't matter.
            let newest = StateNotification<Object?>.latest { [self] in .some(object) }
            let listening = addUpdateListener(delivery: delivery) { _ in receive(newest) }
            receive(newest)
            return listening
        }
    }

    /// The source of the changes for publishers.
    package var updateSource: StateSource<Result<Update, any Error>> {
        StateSource { [self] delivery, receive in
            addUpdateListener(delivery: delivery) { receive(.known($0)) }
        }
    }
}

extension PersistentObject.Update: Equatable where Object: Equatable {}
