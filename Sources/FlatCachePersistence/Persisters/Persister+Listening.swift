public import FlatCache

extension Persister {
    /// Calls a closure after each change of the value, and when a set value can't be stored or a
    /// change from outside can't be read or decoded.
    ///
    /// ```swift
    /// let listening = settings.$theme.addUpdateListener { result in
    ///     if case .success(let update) = result { print(update.newValue) }
    /// }
    /// ```
    ///
    /// If another process makes several changes in quick succession, they may coalesce: the
    /// listener then receives only the latest value. If an error repeats, the listener receives it
    /// once.
    ///
    /// ## Concurrency
    /// See ``Persister``. A read in the closure may return a newer value than the update has.
    ///
    /// - Parameters:
    ///   - delivery: The place and time at which the closure is called.
    ///   - updateListener: The closure.
    /// - Returns: A token. After it's disposed of or released, no new call starts. The token keeps
    ///   the persister alive.
    @inlinable
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener: @escaping @Sendable (Result<Update, any Error>) -> Void
    ) -> Disposable {
        // The client compiles this for the type of the value. Otherwise each call looks up the
        // metadata of six types. The lookup took a third of a `persist` (row 20b of Benchmarks).
        listen(delivery: delivery) { [self] value, version in
            replaceRememberedValue(with: value, nil, version)
            updateListener(.success(Update(newValue: value, event: .persisted(value))))
        } toRemovals: {
            updateListener(.success(Update(newValue: $0, event: .removed)))
        } toErrors: {
            updateListener(.failure($0))
        }
    }

    /// Calls a closure with each stored value and its version, another one with the default after
    /// each removal, and a third one with each error.
    @usableFromInline
    func listen(
        delivery: CacheDelivery,
        toValues receiveValue: @escaping @Sendable (Value, Int) -> Void,
        toRemovals receiveDefault: @escaping @Sendable (Value) -> Void,
        toErrors receiveError: @escaping @Sendable (any Error) -> Void
    ) -> Disposable {
        let reported = ErrorRecord()
        return access.listen(delivery: delivery) { [self] content, version in
            switch content {
            case .value(let value):
                reported.clear()
                errors.clear()
                receiveValue(value, version)
            case .absent:
                reported.clear()
                receiveDefault(defaultValue())
            case .corrupt(let error):
                // A file that is being written slowly is corrupt at each of many events.
                if reported.record(error) { receiveError(error) }
            }
        } toErrors: {
            receiveError($0)
        }
    }
}

extension Persister {
    /// A change of a persisted value.
    ///
    /// ```swift
    /// let listening = settings.$lastUser.addUpdateListener { result in
    ///     guard case .success(let update) = result else { return }
    ///     switch update.event {
    ///     case .persisted(let user): print("welcome, \(user ?? "")")
    ///     case .removed: print("signed out")
    ///     }
    /// }
    /// ```
    public struct Update: Sendable {
        /// The kind of a change.
        public enum Event: Sendable {
            /// This program or another one has stored the value.
            case persisted(Value)
            /// The value has been removed.
            case removed

            /// The stored value; `nil` after a removal.
            public var value: Value? {
                switch self {
                case .persisted(let value): value
                case .removed: nil
                }
            }
        }

        /// The value that the persister returns after the change: the stored one, or the default.
        public let newValue: Value

        /// The kind of the change.
        public let event: Event

        @inlinable
        init(newValue: Value, event: Event) {
            self.newValue = newValue
            self.event = event
        }

        /// Returns the update for a stored value, for tests of listeners.
        ///
        /// ```swift
        /// func describe(_ update: Persister<String>.Update) -> String { "Now \(update.newValue)" }
        ///
        /// print(describe(.persisted("dark")))  // Now dark
        /// ```
        ///
        /// - Parameter value: The stored value.
        public static func persisted(_ value: Value) -> Update {
            Update(newValue: value, event: .persisted(value))
        }

        /// Returns the update for a removed value, for tests of listeners.
        ///
        /// - Parameter defaultValue: The value that the persister returns without a stored one.
        public static func removed(defaultValue: Value) -> Update {
            Update(newValue: defaultValue, event: .removed)
        }
    }
}

extension Persister.Update: Equatable where Value: Equatable {}
extension Persister.Update.Event: Equatable where Value: Equatable {}
extension Persister.Update: Hashable where Value: Hashable {}
extension Persister.Update.Event: Hashable where Value: Hashable {}
