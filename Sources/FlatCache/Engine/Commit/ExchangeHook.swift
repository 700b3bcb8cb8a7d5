/// A closure that decides whether a value of a type may be exchanged in place, without a commit
/// that passes the participants.
///
/// The cache calls the closure under the writers' lock, before each exchange of a value of the
/// type. It must not use the cache. If another closure refuses the exchange, the write passes the
/// stages of a commit although this closure has been called.
@usableFromInline
package struct ExchangeHook: Sendable {
    /// The addition of a hook to the table of its type, and the removal.
    @usableFromInline
    struct Entry: Sendable {
        /// Adds the hook under the number of its participant.
        let insert: @Sendable (_ number: UInt64) -> Void
        /// Removes the hook, and returns it, to be released after the locks.
        let remove: @Sendable (_ number: UInt64) -> AnyObject
    }

    /// The closure of a hook, as the table of its type stores it.
    final class Closure<Value> {
        let allowsExchange: @Sendable (_ stored: Value, _ new: Value) -> Bool

        init(_ allowsExchange: @escaping @Sendable (_ stored: Value, _ new: Value) -> Bool) {
            self.allowsExchange = allowsExchange
        }
    }

    /// Returns the entry of the hook in the table of its type, which is created if there is none.
    @usableFromInline let entry: @Sendable (TableDirectory) -> Entry

    /// Creates a hook for the values of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - allowsExchange: A closure that receives the stored and the new value. If it returns
    ///     `false`, the write passes the stages of a commit.
    @inlinable
    package init<Value: Identifiable & Sendable>(
        of type: Value.Type,
        _ allowsExchange: @escaping @Sendable (_ stored: Value, _ new: Value) -> Bool
    ) where Value.ID: Sendable {
        // A new table is created here, in the client's module, so that its steps are specialized.
        entry = { tables in tables.table(of: type).entry(ofExchangeHook: allowsExchange) }
    }
}

extension Table {
    @usableFromInline
    func entry(
        ofExchangeHook hook: @escaping @Sendable (_ stored: Value, _ new: Value) -> Bool
    ) -> ExchangeHook.Entry {
        ExchangeHook.Entry(
            insert: { [unowned self] number in
                exchangeHooks.insert(ExchangeHook.Closure(hook), for: number)
            },
            remove: { [unowned self] number in
                let removed = Released(exchangeHooks[number])
                exchangeHooks.remove(number)
                return removed
            }
        )
    }
}
