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
